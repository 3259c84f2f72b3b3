// Programs that scripts start: each in a group of its own, so that nothing outlives the script, however it
// ends.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { childrenOf } from './test/leftovers.ts';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 50;

/** Ends a process with its group, and, where there is /proc, what it has started in other groups. */
export function killTree(pid: number | undefined): void {
  if (pid === undefined) return; // never started
  killDescendants(pid);
  kill(-pid);
}

/** Where there is /proc. */
export function killDescendants(pid: number): void {
  for (const child of childrenOf(pid)) {
    killDescendants(child);
    kill(child);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // already gone
  }
}

/**
 * Removes a folder, even while a process that was just killed completes its last write there. Node 24 says
 * nothing of a folder that it could not empty, and no release's `maxRetries` lists the folder again.
 */
export function removeFolder(folder: string): void {
  for (let tries = REMOVE_TRIES; ; tries--) {
    try {
      rmSync(folder, { recursive: true, force: true });
      if (!existsSync(folder)) return;
      if (tries === 1) throw new Error(`${folder} cannot be removed: something still writes into it`);
    } catch (error) {
      if (tries === 1) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVE_PAUSE_MS);
  }
}

/**
 * Until the returned function is called, a signal that ends this process calls `clean` first: of several, the
 * last one added first.
 */
export function onInterrupt(clean: () => void): () => void {
  // Not before other listeners: that of the loader says that the signal has arrived, without which it kills
  // after 30 ms.
  if (cleanings.length === 0) for (const signal of SIGNALS) process.on(signal, interrupted);
  cleanings.push(clean);
  return () => {
    cleanings.splice(cleanings.indexOf(clean), 1);
    if (cleanings.length === 0) removeListeners();
  };
}

const cleanings: (() => void)[] = [];

function interrupted(signal: NodeJS.Signals): void {
  for (const clean of cleanings.toReversed()) clean();
  removeListeners();
  process.kill(process.pid, signal);
}

function removeListeners(): void {
  for (const signal of SIGNALS) process.removeListener(signal, interrupted);
}

/** Runs npm, which prints what it has to say. Throws if it fails. */
export async function npm(words: readonly string[], cwd = '.'): Promise<void> {
  const child = spawn('npm', words, { cwd, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const end = onInterrupt(() => killTree(child.pid));
  const [status] = await once(child, 'exit');
  end();
  if (status !== 0) throw new Error(`npm ${words.join(' ')} ended with status ${status}`);
}

export function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
