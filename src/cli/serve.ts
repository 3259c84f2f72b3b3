// The options of `serve`: names, defaults, environment variables, validation. What serving means is up to the
// caller.

import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { EngineAddress } from '../fleet/leases/engine-address.ts';
import { addClientOptions, type ClientOptions, checkClientOptions } from './client-options.ts';
import { UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { addFollowOptions, checkFollowOptions, type FollowOptions } from './follow-options.ts';
import { endHelp, groupOptions, type OptionGroups } from './help.ts';
import { checkLimits, limitsEngine } from './limits-option.ts';
import { duration, setting, text, wholeNumber } from './options.ts';
import { origins } from './origin.ts';

export interface ServeOptions extends ClientOptions, FollowOptions {
  readonly snapshots: string;
  readonly keys: string | undefined;
  /** Where the quotas of a fleet are kept; undefined if this process counts by itself. */
  readonly limits: EngineAddress | undefined;
  readonly limitsPasswordFile: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  readonly drainSeconds: number;
  /** Milliseconds. */
  readonly maxSnapshotAge: number | undefined;
  /** What happens when the data is older than that. */
  readonly stale: 'serve' | 'unready';
  /** What /readyz waits for: a snapshot, or also the first prepared files. */
  readonly ready: 'data' | 'files';
  /** Undefined: the transport and the number of cores decide. */
  readonly workers: number | undefined;
  /**
   * The HTTP implementation: uWebSockets, Node's own http, or `auto` for the first of them that is available.
   */
  readonly transport: 'auto' | 'uws' | 'node';
  readonly opsHost: string;
  /** 0 picks a free port. */
  readonly opsPort: number;
  /** A snapshot with this many percent fewer advisories than the live one is refused; 100 accepts any. */
  readonly maxShrink: number;
  readonly maxVerdictChange: number;
  readonly maxSnapshotBytes: number;
  /** Snapshots kept in memory beside the live one. */
  readonly keepGenerations: number;
  /** For each worker. */
  readonly maxConnections: number;
  /** For all workers together. */
  readonly maxHeldBytes: number;
  /** The share of requests in the access log, 0 to 1. */
  readonly accessLog: number;
  /** `*` alone, or origins as browsers send them; empty switches CORS off. */
  readonly corsOrigin: readonly string[];
}

const MAX_WORKERS = 256;
const MAX_KEPT = 16;

const port = wholeNumber({ min: 0, max: 65_535 });
const address = text('an address, such as 127.0.0.1, or 0.0.0.0 for every interface');
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** `latestAnchor` is the default of its option. */
export function addServeOptions(
  command: Command,
  latestAnchor: ServeOptions['latestAnchor'] = 'clock',
): Command {
  command
    .addOption(
      setting('--snapshots <dir>', 'folder to serve the newest snapshot from', {
        parse: text('a folder'),
        default: 'snapshots',
      }),
    )
    .addOption(
      setting(
        '--keys <file>',
        'keys file; without one, the server listens only on loopback, with a key made for this run',
        { parse: text('a file; leave the option out to serve only loopback') },
      ),
    )
    .addOption(
      setting(
        '--limits <url>',
        'Valkey or Redis that keeps the quotas of a fleet: valkey://[user:password@]host[:port][/db], or valkeys:// for TLS',
        { parse: limitsEngine },
      ),
    )
    .addOption(
      setting(
        '--limits-password-file <file>',
        'password for --limits: the first line of the file, instead of the one in the URL',
        { parse: text('a file') },
      ),
    )
    .addOption(setting('--host <host>', 'address to listen on', { parse: address, default: '127.0.0.1' }))
    .addOption(
      setting('--port <port>', 'port to listen on; 0 picks a free one', { parse: port, default: 8080 }),
    )
    .addOption(
      setting('--latest-anchor <anchor>', 'where the 24 hours of /latest end', {
        choices: ['clock', 'snapshot'],
        default: latestAnchor,
      }),
    )
    .addOption(
      setting('--drain-seconds <seconds>', 'time between SIGTERM and closing the port', {
        parse: wholeNumber({ min: 0, max: 3600 }),
        default: 5,
      }),
    )
    .addOption(
      setting(
        '--max-snapshot-age <duration>',
        'warn when the data is older than this (90s, 36h, 2d); see --stale',
        { parse: duration },
      ),
    )
    .addOption(
      setting(
        '--stale <how>',
        'past --max-snapshot-age: serve with a Warning header, or also be unready (/readyz 503)',
        { choices: ['serve', 'unready'], default: 'serve' },
      ),
    )
    .addOption(
      setting(
        '--ready <when>',
        'ready (/readyz 200) with a snapshot loaded, or only with the first files of the mounts prepared as well',
        { choices: ['data', 'files'], default: 'data' },
      ),
    )
    .addOption(
      setting(
        '--workers <count>',
        'threads that answer requests, sharing one port and one copy of the data (default: number of CPU cores)',
        { parse: wholeNumber({ min: 1, max: MAX_WORKERS }) },
      ),
    )
    .addOption(
      setting(
        '--transport <kind>',
        'the HTTP server: uws (uWebSockets), node (the http module of Node), or auto: uws if it has a binary, else node',
        { choices: ['auto', 'uws', 'node'], default: 'auto' },
      ),
    )
    .addOption(
      setting(
        '--ops-host <host>',
        'address of the operations listener: /metrics and /status, without a key',
        { parse: address, default: '127.0.0.1' },
      ),
    )
    .addOption(
      setting('--ops-port <port>', 'port of the operations listener; 0 picks a free one', {
        parse: port,
        default: 8081,
      }),
    )
    .addOption(
      setting(
        '--max-shrink <percent>',
        'refuse a snapshot with at least this percentage fewer advisories; 100 accepts any',
        { parse: wholeNumber({ min: 0, max: 100 }), default: 20 },
      ),
    )
    .addOption(
      setting(
        '--max-verdict-change <percent>',
        'refuse a snapshot that would change a verdict of more than this percentage of the products looked up last; 100 accepts any',
        { parse: wholeNumber({ min: 0, max: 100 }), default: 100 },
      ),
    )
    .addOption(
      setting(
        '--max-snapshot-bytes <bytes>',
        'refuse snapshot files larger than this, before reading their data',
        {
          parse: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          default: 2 ** 31,
          shown: '2147483648, 2 GiB',
        },
      ),
    )
    .addOption(
      setting(
        '--keep-generations <count>',
        'previous snapshots that stay in memory, for requests that name one and for /changes; 0 for none',
        { parse: wholeNumber({ min: 0, max: MAX_KEPT }), default: 1 },
      ),
    )
    .addOption(
      setting(
        '--max-connections <count>',
        'open connections per worker; lowered to fit the limit on open files (ulimit -n)',
        { parse: wholeNumber({ min: 1, max: 1_000_000 }), default: 20_000 },
      ),
    )
    .addOption(
      setting(
        '--max-held-bytes <bytes>',
        'memory for request bodies and for replies that clients are slow to read, shared by the workers; a caller may have an eighth of a share for its bodies',
        {
          parse: wholeNumber({ min: 2 ** 26, max: Number.MAX_SAFE_INTEGER }),
          default: 2 ** 30,
          shown: '1073741824, 1 GiB',
        },
      ),
    )
    .addOption(
      setting('--access-log <rate>', 'share of requests to log, 0 to 1', { parse: share, default: 0 }),
    )
    .addOption(
      setting('--cors-origin <origin...>', 'origins whose pages may read replies; * for all', {
        parse: origins,
        default: [],
        shown: 'none',
      }),
    );
  return groupOptions(addClientOptions(addFollowOptions(command)), OPTION_GROUPS);
}

const OPTION_GROUPS: OptionGroups = {
  Data: [
    ...['--snapshots', '--latest-anchor', '--keep-generations', '--max-snapshot-age', '--stale', '--ready'],
    ...['--max-shrink', '--max-verdict-change', '--max-snapshot-bytes'],
  ],
  Source: ['--source', '--source-interval', '--source-key', '--source-plain-http', '--source-ca'],
  Clients: [
    ...['--keys', '--limits', '--limits-password-file', '--mounts', '--anonymous', '--trusted-proxies'],
    ...['--public-url', '--npm-upstream', '--cors-origin'],
  ],
  'Service port': [
    ...['--host', '--port', '--transport', '--workers', '--max-connections', '--max-held-bytes'],
    '--drain-seconds',
  ],
  Operations: ['--ops-host', '--ops-port', '--access-log', '--no-console'],
};

export const SERVE_STATUSES = {
  0: 'stopped by SIGTERM or SIGINT, after the last reply',
  1: 'failed: a port in use, an unreadable keys file or folder',
};

export function addServeCommand(program: Command, serve: (options: ServeOptions) => Promise<void>): void {
  const command = addServeOptions(startCommand(program, 'serve')).action(async (options: ServeOptions) => {
    checkServeOptions(options);
    await serve(options);
  });
  endHelp(command, {
    examples: [
      'serve --snapshots /var/lib/vulndex/snapshots',
      'serve --snapshots /var/lib/vulndex/snapshots --keys keys.json --host 0.0.0.0 --mounts all',
      'serve --snapshots /var/lib/vulndex/snapshots --source https://data.example/latest.json',
    ],
    statuses: SERVE_STATUSES,
  });
}

/** Throws UsageError for options that conflict, or name what is not there. */
export function checkServeOptions(options: ServeOptions): void {
  const { keys, host, port, opsHost, opsPort, stale, maxSnapshotAge } = options;
  for (const [option, address] of [
    ['--host', host],
    ['--ops-host', opsHost],
  ]) {
    if (keys !== undefined || LOOPBACK.test(address)) continue;
    throw new UsageError(
      `without a keys file only loopback can be served, but ${option} is ${address}: ` +
        'create one with `keys add --keys keys.json --tier standard --name NAME` and pass it with --keys',
    );
  }
  if (stale === 'unready' && maxSnapshotAge === undefined) {
    throw new UsageError('--stale unready has no effect without --max-snapshot-age: set both');
  }
  if (port === opsPort && port !== 0) {
    throw new UsageError(`--port and --ops-port are both ${port}: choose another for one of them`);
  }
  checkFolder(options.snapshots);
  checkLimits(options);
  checkClientOptions(options);
  checkFollowOptions(options);
}

/** One that is not there may come later, so it is left to the server, which says so. */
function checkFolder(path: string): void {
  let found: Stats | undefined;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch {
    return; // the server reports what it cannot read, and tries again
  }
  if (found === undefined || found.isDirectory()) return;
  throw new UsageError(
    `--snapshots ${path} is a file, and a folder is expected: give the folder that holds it, --snapshots ${dirname(path)}`,
  );
}

/** Parses a share: 0, 1 or a decimal fraction in between. */
function share(text: string): number {
  if (/^(?:0|1|0?\.\d{1,9}|1\.0*)$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected a number from 0 (none) to 1 (all).`);
}
