// The options of `serve`: names, defaults, environment variables, refusals. What serving is, the wiring decides.

import { type Command, Option } from 'commander';
import { CommandError } from './command-error.ts';
import { duration, wholeNumber } from './options.ts';

export interface ServeOptions {
  readonly snapshots: string;
  readonly keys: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  readonly drainSeconds: number;
  readonly maxSnapshotAge: number | undefined;
}

const port = wholeNumber({ min: 0, max: 65_535 });
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

export function addServeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--snapshots <dir>', 'folder whose newest snapshot is served')
        .env('VULNDEX_SNAPSHOTS')
        .default('snapshots'),
    )
    .addOption(
      new Option('--keys <file>', 'keys file; without one: loopback only, with a key made for this run').env(
        'VULNDEX_KEYS',
      ),
    )
    .addOption(new Option('--host <host>', 'address to listen on').env('VULNDEX_HOST').default('127.0.0.1'))
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 takes a free one')
        .env('VULNDEX_PORT')
        .default(8080)
        .argParser(port),
    )
    .addOption(
      new Option('--latest-anchor <anchor>', 'what the 24 hours of /latest are counted back from')
        .env('VULNDEX_LATEST_ANCHOR')
        .choices(['clock', 'snapshot'])
        .default('clock'),
    )
    .addOption(
      new Option('--drain-seconds <seconds>', 'between SIGTERM and the closing of the port')
        .env('VULNDEX_DRAIN_SECONDS')
        .default(5)
        .argParser(wholeNumber({ min: 0, max: 3600 })),
    )
    .addOption(
      new Option('--max-snapshot-age <duration>', '/readyz answers 503 when the data is older (90s, 36h, 2d)')
        .env('VULNDEX_MAX_SNAPSHOT_AGE')
        .argParser(duration),
    );
}

export function addServeCommand(program: Command, serve: (options: ServeOptions) => Promise<void>): void {
  addServeOptions(program.command('serve').description('answer requests from the newest snapshot')).action(
    async (options: ServeOptions) => {
      checkServeOptions(options);
      await serve(options);
    },
  );
}

/** Throws CommandError for options that do not go together. */
export function checkServeOptions({ keys, host }: ServeOptions): void {
  if (keys === undefined && !LOOPBACK.test(host)) {
    throw new CommandError(
      `without a keys file only loopback is served, and --host is ${host}: ` +
        'make one with `keys add --file keys.json --tier standard --name NAME` and give it as --keys',
    );
  }
}
