// The benches by name; runs some of them on one corpus.

import type { Generation } from '../../src/index/generation.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { conditionsOf, describe } from '../conditions.ts';
import { type Corpus, makeCorpus } from '../corpus.ts';
import { inWorkFolder } from '../work-folder.ts';
import { prepareCompile } from './compile.ts';
import { prepareImport } from './import.ts';
import { prepareKeys } from './keys.ts';
import { prepareLayout } from './layout.ts';
import { prepareLoad } from './load.ts';
import { prepareLookup } from './lookup.ts';
import { type Effort, measure, type Prepared, type Row } from './measure.ts';
import { formatRows, type Report } from './report.ts';
import { preparePage, prepareService } from './service.ts';
import { prepareStab } from './stab.ts';

/** These read the files of a corpus, and run first, while memory is empty. */
const OF_CORPUS: Readonly<Record<string, (corpus: Corpus) => Prepared>> = {
  load: prepareLoad,
  layout: prepareLayout,
  compile: prepareCompile,
  import: prepareImport,
};
const OF_GENERATION: Readonly<Record<string, (generation: Generation) => Prepared>> = {
  keys: prepareKeys,
  stab: prepareStab,
  lookup: prepareLookup,
  service: prepareService,
  page: preparePage,
};
export const BENCH_NAMES: readonly string[] = [...Object.keys(OF_CORPUS), ...Object.keys(OF_GENERATION)];
/** What runs if no bench is named. */
export const USUAL_NAMES = BENCH_NAMES.filter((name) => !['layout', 'compile', 'import'].includes(name));

export interface SuiteOptions extends Effort {
  readonly advisories: number;
  /** Of BENCH_NAMES. */
  readonly names: readonly string[];
  /** Only tasks whose question or name contains this. */
  readonly task: string;
  readonly say: (text: string) => void;
}

export function runSuite(options: SuiteOptions): Promise<Report> {
  const { advisories, names, task: wanted, say } = options;
  return inWorkFolder(async (folder) => {
    const corpus = await makeCorpus(folder, advisories);
    const notes: Record<string, readonly string[]> = {};
    const rows: Row[] = [];
    const run = (name: string, prepared: Prepared): void => {
      const tasks = prepared.tasks.filter((task) => `${task.asks} ${task.name}`.includes(wanted));
      if (tasks.length === 0) return;
      const measured = measure(name, tasks, options);
      notes[name] = prepared.notes;
      rows.push(...measured);
      say(
        [`\n## ${name}\n`, ...prepared.notes.map((note) => `- ${note}`), '', formatRows(measured)].join('\n'),
      );
    };
    const conditions = conditionsOf('bench', corpus);
    say(describe(conditions));
    for (const [name, prepare] of Object.entries(OF_CORPUS)) {
      if (names.includes(name)) run(name, prepare(corpus));
    }
    const chosen = Object.entries(OF_GENERATION).filter(([name]) => names.includes(name));
    if (chosen.length > 0) {
      const { generation } = loadSnapshot(corpus.snapshotPath);
      for (const [name, prepare] of chosen) run(name, prepare(generation));
    }
    return { ...conditions, notes, rows };
  });
}
