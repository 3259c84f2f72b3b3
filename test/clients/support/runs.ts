// Runs of a client: its own home folder, a clean environment, a project folder for each run, and a time
// limit.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Client, NODE } from './clients.ts';

const LIMIT_MS = 120_000; // the slowest takes about a second on an idle machine

export interface Run {
  readonly status: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Writes files below a folder, making it. */
export function writeProject(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

export interface RunPlan {
  readonly project: string;
  /** Kept between runs, so that its cache is used. */
  readonly home: string;
  readonly words: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the client in the project. */
export function runClient(
  { program }: Pick<Client, 'program'>,
  { project, home, words, env = AUTOMATED }: RunPlan,
): Promise<Run> {
  mkdirSync(home, { recursive: true });
  const [command, ...rest] = [...program, ...words];
  const child = spawn(command, rest, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that nothing it starts outlives it
    env: { ...environment(home), ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stderr += `\nstill running after ${LIMIT_MS / 1000} s`;
      endGroup(child.pid);
    }, LIMIT_MS);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ status: code ?? signal, stdout, stderr });
    });
  });
}

/** Lockfiles are not changed by default. */
const AUTOMATED = { CI: '1' };

/** Nothing of the caller's: no proxy, no registry, no npm_config_* of the script that started the tests. */
function environment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(NODE)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    DENO_DIR: join(home, 'deno'),
    DENO_NO_UPDATE_CHECK: '1',
    NPM_CONFIG_UPDATE_NOTIFIER: 'false',
    DO_NOT_TRACK: '1',
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // the group is already gone
  }
}
