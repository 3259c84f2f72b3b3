// `diff`: what changed from one snapshot to another. Prints a summary and the differences in groups, or one
// line of JSON for each difference.

import type { Command } from 'commander';
import { CHANGES, type Change, compareGenerations, type Difference } from '../compare/differences.ts';
import type { Generation } from '../index/generation.ts';
import { loadChecked } from '../loader/snapshot/load.ts';
import { EXIT_DIFFERENT, UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { DifferenceView, formatDifferences, type Side } from './diff-text.ts';
import { endHelp } from './help.ts';
import { wholeNumber } from './options.ts';
import { showProgress } from './progress.ts';
import { formatTime, readOrExplain } from './snapshot-report.ts';
import { snapshotNamed } from './snapshots-in.ts';
import { STANDARD_STREAM, writeToOutput } from './standard-streams.ts';
import { addQuietOption } from './verbosity.ts';

type DiffOptions = {
  readonly json: boolean;
  readonly limit?: number;
  readonly exitCode: boolean;
};

const TEXT_LIMIT = 20;
const LINES_PER_WRITE = 1000;

export function addDiffCommand(program: Command): void {
  const command = startCommand(program, 'diff');
  addQuietOption(command, 'show no progress')
    .argument('<previous>', 'the older snapshot, or a folder: its newest one; - for standard input')
    .argument('<next>', 'the newer snapshot, or a folder: its newest one; - for standard input')
    .option('--json', 'print a line of JSON for each difference, and then one with the summary', false)
    .option(
      '--limit <count>',
      `the most differences to list of each kind (default: ${TEXT_LIMIT}; with --json all)`,
      wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    )
    .option('--exit-code', 'exit with status 3 if there are differences', false)
    .action(async (previousName: string, nextName: string, options: DiffOptions, command: Command) => {
      if (previousName === STANDARD_STREAM && nextName === STANDARD_STREAM) {
        throw new UsageError('standard input can be read only once; name a file for one of the snapshots');
      }
      const report = (line: string): void => command.configureOutput().writeErr?.(`${line}\n`);
      const previous = await loadSide(previousName, report);
      const next = await loadSide(nextName, report);
      const comparison = new Comparison(previous.generation, next.generation);
      if (options.json) await writeToOutput(jsonLines(previous, next, comparison, options.limit));
      else {
        const listed = comparison.differences(options.limit ?? TEXT_LIMIT);
        const text = formatDifferences(previous, next, [...listed], comparison.counts);
        command.configureOutput().writeOut?.(text);
      }
      if (options.exitCode && comparison.isDifferent) process.exitCode = EXIT_DIFFERENT;
    });
  endHelp(command, {
    notes: [
      'Fields have the names of docs/feed-format.md; "affected[].fixed_in" means that only fixes changed.',
    ],
    examples: ['diff old.vdx /var/lib/vulndex/snapshots', 'diff old.vdx new.vdx --json --exit-code'],
    statuses: {
      0: 'compared, whether different or not',
      1: 'a snapshot cannot be used',
      [EXIT_DIFFERENT]: 'different, with --exit-code',
    },
  });
}

async function loadSide(name: string, report: (line: string) => void): Promise<Side> {
  const file = snapshotNamed(name, report);
  const { generation } = await readOrExplain(file, (path) => loadChecked(path));
  return { file, generation };
}

/** Runs a comparison once, counting all differences and passing on some. */
class Comparison {
  readonly counts: Record<Change | 'unchanged', number> = {
    added: 0,
    changed: 0,
    withdrawn: 0,
    restored: 0,
    gone: 0,
    unchanged: 0,
  };
  readonly #previous: Generation;
  readonly #next: Generation;

  constructor(previous: Generation, next: Generation) {
    this.#previous = previous;
    this.#next = next;
  }

  get isDifferent(): boolean {
    return CHANGES.some((change) => this.counts[change] > 0);
  }

  /** At most `limit` of each kind. The counts are final when it has ended. */
  *differences(limit: number): Generator<Difference> {
    const total = Math.max(this.#previous.advisoryCount, this.#next.advisoryCount);
    const progress = showProgress({ label: 'comparing', unit: 'advisories', total });
    const onPair = (): void => {
      progress.advance(1);
      this.counts.unchanged++;
    };
    try {
      for (const difference of compareGenerations(this.#previous, this.#next, onPair)) {
        this.counts.unchanged--;
        this.counts[difference.kind]++;
        if (this.counts[difference.kind] <= limit) yield difference;
      }
    } finally {
      progress.end();
    }
  }
}

function* jsonLines(
  previous: Side,
  next: Side,
  comparison: Comparison,
  limit = Number.POSITIVE_INFINITY,
): Generator<Buffer> {
  const view = new DifferenceView(previous, next);
  let lines: string[] = [];
  for (const difference of comparison.differences(limit)) {
    lines.push(JSON.stringify(view.describe(difference)));
    if (lines.length < LINES_PER_WRITE) continue;
    yield Buffer.from(`${lines.join('\n')}\n`);
    lines = [];
  }
  const summary = { previous: describeSide(previous), next: describeSide(next), ...comparison.counts };
  lines.push(JSON.stringify({ summary }));
  yield Buffer.from(`${lines.join('\n')}\n`);
}

function describeSide({ file, generation }: Side): object {
  return {
    file,
    id: generation.id,
    built_at: formatTime(generation.parts.builtAtMs),
    advisories: generation.advisoryCount,
    withdrawn: generation.advisoryCount - generation.publishedCount,
  };
}
