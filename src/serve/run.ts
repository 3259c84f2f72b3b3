// One serving process: the folder of snapshots, the keys, the listener and the signals, wired together. Owns
// what happens at start, on change and at the end; how anything is done is the parts'.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { hashKey, type KeysFile, makeKey, readKeysFile, SHIPPED_TIERS } from '../access/keys-file.ts';
import { watchKeysFile } from '../access/watch-keys.ts';
import { KeyRing } from '../http/auth.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { HttpServer } from '../http/server.ts';
import { type Readiness, Service } from '../http/service.ts';
import type { Generation } from '../index/generation.ts';
import { HotSwap } from '../loader/hot-swap.ts';
import { type Log, openLog } from './log.ts';

export interface RunOptions {
  readonly snapshots: string;
  /** Undefined: a key is made for this run. */
  readonly keys: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  readonly drainSeconds: number;
  /** Milliseconds. */
  readonly maxSnapshotAge: number | undefined;
  /** Lines for the person at the terminal, printed before the one that says where the server listens. */
  readonly greet?: (context: {
    readonly address: string;
    readonly key: string | undefined;
    readonly generation: Generation | undefined;
  }) => readonly string[];
}

/** The address cannot be had; the message says which and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Serves until a signal ends it. Throws KeysFileError, NativeAddonError, ListenError. */
export async function run(options: RunOptions): Promise<void> {
  await refuseTakenPort(options.host, options.port);
  const runKey = options.keys === undefined ? makeKey() : undefined;
  const keysFile =
    options.keys === undefined ? fileForRunKey(runKey as string) : await readKeysFile(options.keys);
  const log = openLog();
  const limiter = new RateLimiter();
  let ring = new KeyRing(keysFile, (id) => limiter.slotOf(id));
  let isDraining = false;
  let isClosing = false;
  const swap = followSnapshots(options.snapshots, log);
  const service = new Service({
    generation: () => swap.current(),
    keys: () => ring,
    limiter,
    readiness: (nowMs) => readinessOf(swap, isDraining, options.maxSnapshotAge, nowMs),
    isClosing: () => isClosing,
    latestAnchor: options.latestAnchor,
    nowMs: Date.now,
    makeRequestId: randomUUID,
    onInternalError: (error, requestId) => log.error({ err: error, requestId }, 'request failed'),
  });
  const server = await HttpServer.listen({ service, host: options.host, port: options.port });
  const address = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${server.port}`;
  if (runKey !== undefined) console.log(`no keys file; key for this run: ${runKey}`);
  for (const line of options.greet?.({ address, key: runKey, generation: swap.current() }) ?? [])
    console.log(line);
  console.log(`listening on ${address}`);
  log.release();
  const watcher =
    options.keys === undefined
      ? undefined
      : watchKeysFile(options.keys, {
          inForce: keysFile,
          onChange: (file) => {
            ring = new KeyRing(file, (id) => limiter.slotOf(id));
            limiter.retain(file.keys.map((key) => key.id));
            log.info({ keys: file.keys.length }, 'keys file changed');
          },
          onRefused: (error) =>
            log.error({ err: error }, 'keys file refused; the keys before it stay in force'),
        });
  process.on('SIGHUP', () => {
    log.info('looking for snapshots again');
    swap.scan({ judgesFresh: true });
  });
  await signalled();
  isDraining = true;
  log.info({ drainSeconds: options.drainSeconds }, 'draining');
  await new Promise((resolve) => setTimeout(resolve, options.drainSeconds * 1000));
  swap.stop();
  watcher?.close();
  server.stopListening();
  isClosing = true;
  await server.idle();
  server.close();
  log.info('stopped');
}

function followSnapshots(folder: string, log: Log): HotSwap {
  const swap = new HotSwap(folder, {
    onLoaded: ({ generation, fileBytes }, file, tookMs) =>
      log.info(
        {
          file,
          id: generation.id,
          builtAt: new Date(generation.parts.builtAtMs).toISOString(),
          advisories: generation.advisoryCount,
          fileBytes,
          tookMs: Math.round(tookMs),
        },
        'snapshot loaded',
      ),
    onRefused: (error, file) => log.error({ file, err: error }, 'snapshot refused'),
    onOlder: (file, id) => log.warn({ file, id }, 'snapshot is older than the one in force; not loaded'),
    onFolder: (error) =>
      error === undefined
        ? log.info({ folder }, 'snapshot folder is readable again')
        : log.error({ folder, err: error }, 'snapshot folder cannot be read; what is loaded stays in force'),
  });
  swap.start();
  return swap;
}

function readinessOf(
  swap: HotSwap,
  isDraining: boolean,
  maxSnapshotAgeMs: number | undefined,
  nowMs: number,
): Readiness {
  if (isDraining) return { kind: 'unready', code: 'draining', detail: 'This process is shutting down.' };
  const generation = swap.current();
  if (generation === undefined) {
    return { kind: 'unready', code: 'no_snapshot', detail: 'No snapshot is loaded yet.' };
  }
  const ageMs = nowMs - generation.parts.builtAtMs;
  if (maxSnapshotAgeMs !== undefined && ageMs > maxSnapshotAgeMs) {
    const detail = `The data is ${Math.floor(ageMs / 1000)} s old, more than the ${maxSnapshotAgeMs / 1000} s allowed.`;
    return { kind: 'unready', code: 'snapshot_too_old', detail };
  }
  return { kind: 'ready' };
}

function fileForRunKey(key: string): KeysFile {
  return {
    tiers: { ...SHIPPED_TIERS },
    keys: [{ id: 'this-run', name: 'this run', sha256: hashKey(key), tier: 'partner' }],
  };
}

/** The native listener shares a taken port instead of refusing it, so the port is tried the ordinary way first. */
async function refuseTakenPort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is taken' : `it is not possible (${error.code})`;
      reject(new ListenError(`cannot listen on ${host}:${port}: ${why}; choose another --port or --host`));
    });
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

/** Resolves with the first signal to stop. A second one ends the process at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
