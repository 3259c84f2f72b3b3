// What a test file may leave behind in a process that it shares: timers, servers, ports, threads, child
// processes, files, changed globals.

import fs, { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Names of what keeps the event loop running that a test can start; those of Node's own work in progress are
 * left out.
 */
const RESOURCES: readonly string[] = [
  'FSEventWrap',
  'Immediate',
  'MessagePort',
  'PipeWrap',
  'ProcessWrap',
  'StatWatcher',
  'TCPServerWrap',
  'TCPSocketWrap',
  'Timeout',
  'UDPWrap',
  'Worker',
];
/** Objects whose functions tests replace. */
const WATCHED: Readonly<Record<string, object>> = {
  globalThis,
  process,
  'process.stdout': process.stdout,
  'process.stderr': process.stderr,
  console,
  performance,
  Date,
  Math,
  JSON,
  fs,
  'Object.prototype': Object.prototype,
  'Array.prototype': Array.prototype,
};
const SIGNALS = [
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
  'uncaughtException',
  'unhandledRejection',
];
/** Caches of the loader that starts child processes from sources. */
const CACHES = /^(tsx-\d+|node-compile-cache)$/;
const LISTENING = '0A'; // of the states in /proc/net/tcp
/** Set by the lane itself, and by the program before it loads the addon, once for a process. */
const OWN_VARIABLES: readonly string[] = ['TMPDIR', 'UWS_HTTP_MAX_HEADERS_SIZE'];
/** The loader's own child process. */
const OWN_CHILD = 'esbuild';

/** What stands at one moment: a value, or a count, for each name. */
export type Standing = ReadonlyMap<string, unknown>;

/**
 * `folder`: the temporary folder of the file that runs. `sharesProcess`: globals count too; alone, a file may
 * load a library that changes them, as playwright-core does.
 */
export function standing(folder: string, sharesProcess: boolean): Standing {
  const all = new Map<string, unknown>();
  const count = (name: string): unknown => all.set(name, Number(all.get(name) ?? 0) + 1);
  for (const name of process.getActiveResourcesInfo()) if (RESOURCES.includes(name)) count(`a ${name}`);
  for (const port of ownPorts()) count(`a server on port ${port}`);
  for (const pid of childrenOf('self')) if (nameOf(pid) !== OWN_CHILD) count(`the process ${pid}`);
  for (const name of readdirSync(folder)) if (!CACHES.test(name)) count(`${name} in its temporary folder`);
  for (const signal of SIGNALS) all.set(`listeners of ${signal}`, process.listenerCount(signal));
  for (const [name, value] of Object.entries(process.env))
    if (!OWN_VARIABLES.includes(name)) all.set(`process.env.${name}`, value);
  all.set('process.cwd()', process.cwd());
  if (!sharesProcess) return all;
  for (const [owner, object] of Object.entries(WATCHED)) {
    for (const [key, { get }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      // Some getters print a warning; those of globalThis load what they stand for, and then are it.
      if (get !== undefined && object !== globalThis) continue;
      const value: unknown = Reflect.get(object, key);
      if (typeof value === 'function' || key === 'isTTY') all.set(`${owner}.${key}`, value);
    }
  }
  return all;
}

/** What there is more or less of, or what is another, in words. */
export function differences(before: Standing, now: Standing): string[] {
  const names = [...new Set([...before.keys(), ...now.keys()])];
  return names.flatMap((name) => {
    const [was, is] = [before.get(name), now.get(name)];
    if (Object.is(was, is)) return [];
    if (typeof was === 'function' || typeof is === 'function')
      return isSameFunction(name, was, is) ? [] : `${name} was changed`;
    // Less of what another file has left is no fault of this one.
    if (/^(an? |the process |.* in its temporary folder$)/.test(name))
      return Number(is ?? 0) > Number(was ?? 0) ? name : [];
    return `${name} was ${String(was)} and is ${String(is)}`;
  });
}

/** A mocked method is restored as an own property of an object that inherited it. */
function isSameFunction(name: string, was: unknown, is: unknown): boolean {
  const dot = name.lastIndexOf('.');
  const inherited = Object.getPrototypeOf(WATCHED[name.slice(0, dot)])?.[name.slice(dot + 1)];
  return (was ?? inherited) === is;
}

/**
 * Ports on which this process listens, found where there is /proc: servers of an addon are in no list of
 * Node's.
 */
function ownPorts(): number[] {
  const sockets = new Set(
    namesIn('/proc/self/fd').map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/self/fd/${fd}`))?.[1]),
  );
  return ['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((table) =>
    textIn(table)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTENING && sockets.has(fields[9]))
      .map((fields) => Number.parseInt(fields[1].split(':')[1], 16)),
  );
}

function nameOf(pid: number): string {
  return textIn(`/proc/${pid}/comm`).trim();
}

/** The child processes of a process, found where there is /proc. */
export function childrenOf(pid: number | 'self'): number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((task) =>
    textIn(`/proc/${pid}/task/${task}/children`)
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
}

function namesIn(folder: string): string[] {
  return orElse(() => readdirSync(folder), []);
}

function textIn(file: string): string {
  return orElse(() => readFileSync(file, 'utf8'), '');
}

function linkOf(path: string): string {
  return orElse(() => readlinkSync(path), '');
}

/** For entries of /proc, which vanish while they are read, and systems without it. */
function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
