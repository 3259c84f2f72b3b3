// The benches by name; runs some of them on one corpus.

import { loadSnapshot } from '../src/loader/load.ts';
import { prepareBatch } from './batch.ts';
import type { BenchContext, Prepared } from './bench-context.ts';
import { SEED, withCorpus } from './corpus.ts';
import { prepareCursor } from './cursor.ts';
import { prepareKeys } from './keys.ts';
import { benchLayout } from './layout.ts';
import { benchLoad } from './load.ts';
import { prepareLookup } from './lookup.ts';
import { type Effort, measure, type Row } from './measure.ts';
import { preparePage } from './page.ts';
import { formatRows, machine, type Report } from './report.ts';
import { prepareService } from './service.ts';
import { prepareStab } from './stab.ts';

const IN_PROCESS: Readonly<Record<string, (context: BenchContext) => Prepared>> = {
  keys: prepareKeys,
  stab: prepareStab,
  lookup: prepareLookup,
  service: prepareService,
  page: preparePage,
  cursor: prepareCursor,
  batch: prepareBatch,
};
/** `load` comes first, while memory is empty; `layout` prints sizes, which go into no report. */
export const BENCH_NAMES: readonly string[] = ['load', ...Object.keys(IN_PROCESS), 'layout'];
/** What runs if no bench is named. */
export const USUAL_NAMES = BENCH_NAMES.filter((name) => name !== 'layout');

export interface SuiteOptions extends Effort {
  readonly advisories: number;
  /** Of BENCH_NAMES. */
  readonly names: readonly string[];
  /** Only tasks whose question or name contains this. */
  readonly task: string;
  readonly command: string;
  readonly say: (line: string) => void;
}

export async function runSuite(options: SuiteOptions): Promise<Report> {
  const { advisories, names, task: wanted, command, say } = options;
  const keepsFeed = names.includes('load') || names.includes('layout');
  return withCorpus(advisories, keepsFeed, (corpus) => {
    const report = {
      machine: machine(),
      command,
      advisories,
      seed: SEED,
      snapshotId: corpus.snapshotId,
      notes: {} as Record<string, readonly string[]>,
      rows: [] as Row[],
    };
    const print = (name: string, notes: readonly string[], rows: readonly Row[]): void => {
      if (rows.length === 0) return;
      report.notes[name] = notes;
      report.rows.push(...rows);
      for (const line of ['', `${name}`, ...notes.map((note) => `  # ${note}`), ...formatRows(rows)])
        say(line);
    };
    const { node, cpu, cpuCount } = report.machine;
    say(`Node ${node}, ${cpuCount} x ${cpu}`);
    say(`${advisories} synthetic advisories, seed ${SEED}, snapshot ${corpus.snapshotId}; ${command}`);
    if (names.includes('load')) {
      const { notes, rows } = benchLoad(corpus, options.rounds);
      print('load', notes, rows);
    }
    const inProcess = Object.keys(IN_PROCESS).filter((name) => names.includes(name));
    if (inProcess.length > 0) {
      const { generation } = loadSnapshot(corpus.snapshotPath);
      for (const name of inProcess) {
        const { notes, tasks } = IN_PROCESS[name]({ generation });
        const chosen = tasks.filter((task) => `${task.asks} ${task.name}`.includes(wanted));
        print(name, notes, measure(name, chosen, options));
      }
    }
    if (names.includes('layout')) benchLayout(corpus);
    return report;
  });
}
