// `npm run bench:growth -- [options]`: how loading, memory and two kinds of requests grow from size to size.
// Each size has a corpus of its own, made by the built program, and several processes that measure it. The
// working folder is the repository.

import { execFileSync, fork } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { BUILT_AT_MS, SEED } from '../corpus.ts';
import { figureOf, markdownTable, percent, significant } from '../figures.ts';
import { between } from '../options.ts';
import { writeOsvExport } from '../osv-export.ts';
import { inWorkFolder } from '../work-folder.ts';
import { type Curve, drawCurves } from './curve.ts';
import { FIGURES, measurePoint, type Point } from './point.ts';

interface Options {
  readonly sizes: readonly number[];
  readonly starts: number;
  readonly export: boolean;
  readonly picture?: string;
}

interface Order {
  readonly snapshotPath: string;
  readonly advisories: number;
}

type Name = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as Name[]; // as written there
const SIZES = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 5_000_000];

function inOwnProcess(order: Order): Promise<Point> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url));
    child.once('message', (point: Point) => resolve(point));
    // No effect once resolved.
    child.once('exit', (status) => reject(new Error(`a start ended with status ${status}`)));
    child.send(order);
  });
}

/** Compiles a corpus of the size, by the program in dist. */
function makeSnapshot(folder: string, advisories: number, isExport: boolean): string {
  const run = (...words: readonly string[]): void => {
    execFileSync(process.execPath, [join('dist', 'cli.js'), ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  const source = join(folder, isExport ? 'all.zip' : 'feed.ndjson');
  if (isExport) writeOsvExport(source, { records: advisories, seed: SEED });
  else run('generate', '--advisories', String(advisories), '--seed', String(SEED), '--out', source);
  const out = join(folder, 'growth.vdx');
  const builtAt = new Date(BUILT_AT_MS).toISOString();
  run('compile', isExport ? '--osv' : '--feed', source, '--out', out, '--built-at', builtAt);
  rmSync(source);
  return out;
}

async function main(): Promise<void> {
  const size = between(1_000, 10_000_000);
  const options = new Command('npm run bench:growth --')
    .option('--sizes <n...>', 'advisories', (text, before: number[] = []) => [...before, size(text)])
    .option('--starts <n>', 'processes that measure each size', between(1, 100), 3)
    .option('--export', "an OSV export in npm's proportions, nearly all malware, in place of a feed", false)
    .option('--picture <file>', 'draw the curves as an SVG')
    .parse()
    .opts<Partial<Options> & Omit<Options, 'sizes'>>();
  const sizes = options.sizes ?? SIZES;
  const measured = new Map<number, readonly Point[]>();
  for (const advisories of sizes) {
    console.error(`${advisories} advisories`);
    await inWorkFolder(async (folder) => {
      const snapshotPath = makeSnapshot(folder, advisories, options.export);
      const points: Point[] = [];
      while (points.length < options.starts) points.push(await inOwnProcess({ snapshotPath, advisories }));
      measured.set(advisories, points);
    });
  }
  console.log(tableOf(measured));
  if (options.picture !== undefined) writeFileSync(options.picture, drawCurves(curvesOf(measured)));
}

/** Medians of the starts with their spread. */
function tableOf(measured: ReadonlyMap<number, readonly Point[]>): string {
  const rows = [...measured].map(([advisories, points]) => [
    advisories.toLocaleString('en-US'),
    ...NAMES.map((name) => {
      const { median, spread } = figureOf(points.map((point) => point[name]));
      return `${significant(median)} (${percent(spread)})`;
    }),
  ]);
  const headings = NAMES.map((name) => `${FIGURES[name].title}, ${FIGURES[name].unit}`);
  return markdownTable(['advisories', ...headings], rows, 0);
}

function curvesOf(measured: ReadonlyMap<number, readonly Point[]>): readonly Curve[] {
  return NAMES.map((name) => ({
    ...FIGURES[name],
    points: [...measured].map(([each, points]) => ({
      size: each,
      value: figureOf(points.map((point) => point[name])).median,
    })),
  }));
}

if (process.send === undefined) await main();
else {
  process.once('message', ({ snapshotPath, advisories }: Order) => {
    process.send?.(measurePoint(snapshotPath, advisories), () => process.disconnect());
  });
}
