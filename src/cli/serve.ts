// The options of `serve`: names, defaults, environment variables, refusals. What serving is, the wiring decides.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from './command-error.ts';
import { duration, wholeNumber } from './options.ts';
import { origins } from './origin.ts';

export interface ServeOptions {
  readonly snapshots: string;
  readonly keys: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  readonly drainSeconds: number;
  /** Milliseconds. */
  readonly maxSnapshotAge: number | undefined;
  /** What becomes of a process whose data is older than that. */
  readonly stale: 'serve' | 'unready';
  /** Undefined: the transport and the cores decide. */
  readonly workers: number | undefined;
  /** What carries the requests: uWebSockets, Node's own http, or the first of them that there is. */
  readonly transport: 'auto' | 'uws' | 'node';
  readonly opsHost: string;
  /** 0 takes a free one. */
  readonly opsPort: number;
  /** A snapshot with this many percent fewer advisories than the one in force is refused; 100 takes any. */
  readonly maxShrink: number;
  readonly maxSnapshotBytes: number;
  /** Of each worker. */
  readonly maxConnections: number;
  /** The share of requests in the access log, 0 to 1. */
  readonly accessLog: number;
  /** `*` alone, or origins as browsers send them; empty switches CORS off. */
  readonly corsOrigin: readonly string[];
}

const MAX_WORKERS = 256;

const port = wholeNumber({ min: 0, max: 65_535 });
const address = text('an address, such as 127.0.0.1, or 0.0.0.0 for every interface');
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** `latestAnchor` is the default of its option. */
export function addServeOptions(
  command: Command,
  latestAnchor: ServeOptions['latestAnchor'] = 'clock',
): Command {
  return command
    .addOption(
      new Option('--snapshots <dir>', 'folder whose newest snapshot is served')
        .env('VULNDEX_SNAPSHOTS')
        .default('snapshots')
        .argParser(text('a folder')),
    )
    .addOption(
      new Option('--keys <file>', 'keys file; without one: loopback only, with a key made for this run')
        .env('VULNDEX_KEYS')
        .argParser(text('a file; leave it out to serve loopback only')),
    )
    .addOption(
      new Option('--host <host>', 'address to listen on')
        .env('VULNDEX_HOST')
        .default('127.0.0.1')
        .argParser(address),
    )
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
        .default(latestAnchor),
    )
    .addOption(
      new Option('--drain-seconds <seconds>', 'between SIGTERM and the closing of the port')
        .env('VULNDEX_DRAIN_SECONDS')
        .default(5)
        .argParser(wholeNumber({ min: 0, max: 3600 })),
    )
    .addOption(
      new Option(
        '--max-snapshot-age <duration>',
        'warn when the data is older than this (90s, 36h, 2d); see --stale',
      )
        .env('VULNDEX_MAX_SNAPSHOT_AGE')
        .argParser(duration),
    )
    .addOption(
      new Option(
        '--stale <how>',
        'past --max-snapshot-age: serve with a Warning header, or be unready (/readyz 503) as well',
      )
        .env('VULNDEX_STALE')
        .choices(['serve', 'unready'])
        .default('serve'),
    )
    .addOption(
      new Option(
        '--workers <count>',
        'threads that answer requests, on one port from one copy of the data (default: the cores)',
      )
        .env('VULNDEX_WORKERS')
        .argParser(wholeNumber({ min: 1, max: MAX_WORKERS })),
    )
    .addOption(
      new Option(
        '--transport <kind>',
        "what carries the requests: uws, Node's own http, or auto: uws where it has a binary",
      )
        .env('VULNDEX_TRANSPORT')
        .choices(['auto', 'uws', 'node'])
        .default('auto'),
    )
    .addOption(
      new Option(
        '--ops-host <host>',
        'address of the operations listener: /metrics and /status, without a key',
      )
        .env('VULNDEX_OPS_HOST')
        .default('127.0.0.1')
        .argParser(address),
    )
    .addOption(
      new Option('--ops-port <port>', 'port of the operations listener; 0 takes a free one')
        .env('VULNDEX_OPS_PORT')
        .default(8081)
        .argParser(port),
    )
    .addOption(
      new Option(
        '--max-shrink <percent>',
        'refuse a snapshot with this many percent fewer advisories; 100 takes any',
      )
        .env('VULNDEX_MAX_SHRINK')
        .default(20)
        .argParser(wholeNumber({ min: 0, max: 100 })),
    )
    .addOption(
      new Option(
        '--max-snapshot-bytes <bytes>',
        'refuse a larger snapshot file before anything is read of it',
      )
        .env('VULNDEX_MAX_SNAPSHOT_BYTES')
        .default(2 ** 31, '2147483648, 2 GiB')
        .argParser(wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    )
    .addOption(
      new Option(
        '--max-connections <count>',
        'connections that each worker keeps open; fewer where the limit on open files (ulimit -n) allows fewer',
      )
        .env('VULNDEX_MAX_CONNECTIONS')
        .default(20_000)
        .argParser(wholeNumber({ min: 1, max: 1_000_000 })),
    )
    .addOption(
      new Option('--access-log <rate>', 'share of the requests that are logged, 0 to 1')
        .env('VULNDEX_ACCESS_LOG')
        .default(0)
        .argParser(share),
    )
    .addOption(
      new Option('--cors-origin <origin...>', 'origins whose pages may read replies; * for all')
        .env('VULNDEX_CORS_ORIGIN')
        .default([], 'none')
        .argParser(origins),
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

/** Throws UsageError for options that do not go together. */
export function checkServeOptions(options: ServeOptions): void {
  const { keys, host, port, opsHost, opsPort, stale, maxSnapshotAge } = options;
  for (const [option, address] of [
    ['--host', host],
    ['--ops-host', opsHost],
  ]) {
    if (keys !== undefined || LOOPBACK.test(address)) continue;
    throw new UsageError(
      `without a keys file only loopback is served, and ${option} is ${address}: ` +
        'make one with `keys add --keys keys.json --tier standard --name NAME` and give it as --keys',
    );
  }
  if (stale === 'unready' && maxSnapshotAge === undefined) {
    throw new UsageError('--stale unready has no effect without --max-snapshot-age: say how old is too old');
  }
  if (port === opsPort && port !== 0) {
    throw new UsageError(`--port and --ops-port are both ${port}: choose another for one of them`);
  }
}

/** Reader of a share: 0, 1 or a decimal fraction between them. */
function share(text: string): number {
  if (/^(?:0|1|0?\.\d{1,9}|1\.0*)$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected a number from 0 (none) to 1 (all).`);
}

/** Reader of a text that says something: a template that left a variable empty did not mean any value. */
function text(expected: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '') return text;
    throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected ${expected}.`);
  };
}
