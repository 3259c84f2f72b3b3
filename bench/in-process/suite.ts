// The benches by name; one start of some of them on one corpus.

import type { Generation } from '../../src/index/generation.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import type { Corpus } from '../corpus.ts';
import { prepareCompile } from './compile.ts';
import { prepareLoad } from './load.ts';
import { prepareLookup } from './lookup.ts';
import { type Effort, measure, type Prepared, type Timed } from './measure.ts';
import { prepareStab } from './stab.ts';

/**
 * These read the files of a corpus, and run first, while memory is empty. They run once per round: in a fixed
 * time, a faster machine would also measure code that V8 has optimised further.
 */
const OF_CORPUS: Readonly<Record<string, (corpus: Corpus) => Prepared | Promise<Prepared>>> = {
  load: prepareLoad,
  compile: prepareCompile,
};
const OF_GENERATION: Readonly<Record<string, (generation: Generation) => Prepared>> = {
  stab: prepareStab,
  lookup: prepareLookup,
};
export const BENCH_NAMES: readonly string[] = [...Object.keys(OF_CORPUS), ...Object.keys(OF_GENERATION)];

export interface SuiteOptions extends Effort {
  /** Of BENCH_NAMES. */
  readonly names: readonly string[];
  /** Only tasks whose question or name contains this. */
  readonly task: string;
}

/** What one start of a bench measured, and on what. */
export interface BenchStart {
  readonly bench: string;
  readonly notes: readonly string[];
  readonly tasks: readonly Timed[];
}

export async function runSuite(corpus: Corpus, options: SuiteOptions): Promise<BenchStart[]> {
  const { names, task: wanted } = options;
  const starts: BenchStart[] = [];
  const run = async (bench: string, { notes, tasks: all }: Prepared, roundMs: number): Promise<void> => {
    const tasks = all.filter((task) => `${task.asks} ${task.name}`.includes(wanted));
    if (tasks.length > 0) starts.push({ bench, notes, tasks: await measure(tasks, { ...options, roundMs }) });
  };
  for (const [name, prepare] of Object.entries(OF_CORPUS)) {
    if (names.includes(name)) await run(name, await prepare(corpus), 0);
  }
  const chosen = Object.entries(OF_GENERATION).filter(([name]) => names.includes(name));
  const { generation } = loadSnapshot(corpus.snapshotPath);
  for (const [name, prepare] of chosen) await run(name, prepare(generation), options.roundMs);
  return starts;
}
