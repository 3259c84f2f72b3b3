// Which programs outside npm a run needs, and how to get those that are missing.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpOptions } from './options.ts';
import { PROGRAM_PATH } from './server-process.ts';

const SQLITE_NODE = 22;
const SQLITE_FOLDER = join('bench', 'baselines', 'node_modules', 'better-sqlite3');
const PACKAGES = { wrk: 'wrk', taskset: 'util-linux', nginx: 'nginx-light' } as const;

/** What prevents the run, one line each with its remedy. */
export function missing({ baseline, against }: Pick<HttpOptions, 'baseline' | 'against'>): string[] {
  if (process.platform !== 'linux') return ['CPU time and pinning need Linux'];
  const lines = Object.entries(PACKAGES)
    .filter(([program]) => program !== 'nginx' || baseline.includes('nginx'))
    .filter(([program]) => !isInstalled(program))
    .map(([program, name]) => `${program} is not installed: apt-get install --no-install-recommends ${name}`);
  if (allowedCores().length < 2)
    lines.push('two cores are needed, one for the server and one for wrk, and there is only one');
  if (baseline.includes('sqlite')) lines.push(...missingForSqlite());
  if (!existsSync(join('dist', 'cli.js'))) lines.push('the server is not built: npm run build');
  return [...lines, ...unbuilt(against)];
}

/** A line if the other checkout is not built. */
export function unbuilt(against: string | undefined): string[] {
  if (against === undefined || existsSync(join(against, 'dist', 'cli.js'))) return [];
  return [`${against} has no dist/cli.js: run npm ci && npm run build there`];
}

/** better-sqlite3 crashes in older releases. */
function missingForSqlite(): string[] {
  if (Number.parseInt(process.versions.node, 10) < SQLITE_NODE)
    return [
      `sqlite needs Node ${SQLITE_NODE} or newer, and this is ${process.version}: run that, or leave sqlite out`,
    ];
  return existsSync(SQLITE_FOLDER) ? [] : ['sqlite is not installed: npm ci --prefix bench/baselines'];
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
