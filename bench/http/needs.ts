// Which programs outside npm a run needs, how to get those that are missing, and the clean-up when a run ends.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inWorkFolder } from '../work-folder.ts';
import { killAll, PROGRAM_PATH } from './server-process.ts';
import type { TargetName } from './targets.ts';

const PACKAGES = { wrk: 'wrk', taskset: 'util-linux', nginx: 'nginx-light' } as const;

/**
 * Does the work in a temporary folder. If something prevents it, prints what, and sets exit status 1. Servers that still
 * run at the end are killed.
 */
export async function runIfPossible(
  targets: readonly TargetName[],
  work: (folder: string, cores: readonly number[]) => Promise<void>,
): Promise<void> {
  const lacks = missing(targets);
  for (const line of lacks) console.error(line);
  if (lacks.length > 0) process.exitCode = 1;
  else await inWorkFolder((folder) => work(folder, allowedCores()), killAll);
}

/** What prevents the run, one line each with its remedy. */
export function missing(targets: readonly TargetName[]): string[] {
  if (process.platform !== 'linux') return ['CPU time and pinning need Linux'];
  const isNeeded = (program: string): boolean =>
    program !== 'nginx' || targets.some((name) => name.startsWith('nginx'));
  const lines = Object.entries(PACKAGES)
    .filter(([program]) => isNeeded(program) && !isInstalled(program))
    .map(([program, name]) => `${program} is not installed: apt-get install --no-install-recommends ${name}`);
  if (allowedCores().length < 2)
    lines.push('two cores are needed, one for the server and one for wrk, and there is only one');
  if (!existsSync(join('dist', 'cli.js'))) lines.push('the server is not built: npm run build');
  return lines;
}

function isInstalled(program: string): boolean {
  const env = { ...process.env, PATH: PROGRAM_PATH };
  return spawnSync(program, ['--version'], { env, stdio: 'ignore' }).error === undefined;
}

/** The cores that this process may use: a container can have any subset of the machine's. Requires Linux. */
export function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return parseCoreList(list);
}

/** `0-2,5` as 0, 1, 2, 5. */
export function parseCoreList(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
