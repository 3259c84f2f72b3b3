// Runs the program as a separate process, as a shell would, and captures its output.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import { builtProgram } from './built-program.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const PROGRESS_LINES = /^.+, [\d.,]+ \S+\/s\n/gm;

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** Without the lines that say how far it is: there are none before work has taken a second. */
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Standard input; empty if absent. */
  readonly input?: string | Uint8Array;
  /** Standard input stays open after that, until the program ends. */
  readonly keepsInputOpen?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the process once it is started. */
  readonly started?: (child: ChildProcess) => void;
}

/** Sends the signal once the condition holds; not if the process has ended before. */
export async function killWhen(
  child: ChildProcess,
  signal: NodeJS.Signals,
  isSo: () => boolean,
): Promise<void> {
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await until(`the moment to send ${signal}`, () => hasEnded() || isSo());
  child.kill(signal);
}

export function runProgram(words: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  const { input, keepsInputOpen = false, env = {}, started } = options;
  const child = spawn(process.execPath, [builtProgram(), ...words], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: [input === undefined && !keepsInputOpen ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  child.stdin?.on('error', () => {}); // the program may end before it has read everything
  if (input !== undefined) child.stdin?.write(input);
  if (!keepsInputOpen) child.stdin?.end();
  started?.(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) =>
      resolve({ status, signal, stdout: Buffer.concat(out), stderr: stderr.replace(PROGRESS_LINES, '') }),
    );
  });
}
