// What a reader needs to repeat a run: the machine, the command, and the corpus.

import { cpus } from 'node:os';
import { type Corpus, SEED } from './corpus.ts';

export interface Conditions {
  readonly machine: string;
  readonly node: string;
  readonly command: string;
  readonly advisories: number;
  readonly seed: number;
  readonly snapshotId: string;
}

/** Requires: this process runs the script of that name. */
export function conditionsOf(script: string, { feed, snapshotId }: Corpus): Conditions {
  const words = process.argv.slice(2).join(' ');
  return {
    machine: `${cpus().length} x ${cpus()[0].model.trim()}`,
    node: process.version,
    command: `npm run ${script}${words === '' ? '' : ` -- ${words.trim()}`}`,
    advisories: feed.advisories,
    seed: SEED,
    snapshotId,
  };
}

export function describe({ machine, node, command, advisories, seed, snapshotId }: Conditions): string {
  const corpus = `${advisories.toLocaleString('en-US')} synthetic advisories, seed ${seed}, snapshot ${snapshotId}.`;
  return `${corpus}\n${machine}, Node ${node}. \`${command}\``;
}
