// Programs that are not installed with the project: where they are, and what they say.

import { spawn, spawnSync } from 'node:child_process';

const LIMIT_MS = 240_000;

/** The first program that starts. */
export function foundProgram(...programs: readonly (string | undefined)[]): string | undefined {
  return programs.find(
    (program) => program !== undefined && spawnSync(program, ['-h'], { stdio: 'ignore' }).error === undefined,
  );
}

export interface Ran {
  /** -1 if it had to be ended. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

export function run(
  folder: string,
  program: string,
  words: readonly string[],
  env: Environment = {},
): Promise<Ran> {
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...env },
    timeout: LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status: status ?? -1, ...texts }));
  });
}
