// Which programs outside npm a run needs, and how to get those that are missing.

import { accessSync, constants, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TargetName } from './target.ts';

const PACKAGES: Readonly<Record<string, string>> = {
  wrk: 'wrk',
  taskset: 'util-linux',
  nginx: 'nginx-light',
};

/** What prevents the run, one line each with its remedy. */
export function missing(targets: readonly TargetName[]): string[] {
  if (process.platform !== 'linux') return ['CPU time and pinning need Linux'];
  const programs = ['wrk', 'taskset', ...(targets.some((name) => name.startsWith('nginx')) ? ['nginx'] : [])];
  const absent = programs.filter((program) => !isInstalled(program));
  const lines = absent.map(
    (program) => `${program} is not installed: apt-get install --no-install-recommends ${PACKAGES[program]}`,
  );
  if (allowedCores().length < 2)
    lines.push('two cores are needed, one for the server and one for wrk, and there is only one');
  return lines;
}

export function isInstalled(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']; // where Debian puts nginx
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The cores that this process may use: a container can have any subset of the machine's. */
export function allowedCores(): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    return parseCoreList(list);
  } catch {
    return Array.from({ length: availableParallelism() }, (_, core) => core);
  }
}

/** `0-2,5` as 0, 1, 2, 5. */
export function parseCoreList(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
