// `refresh`: one command for a timer. Its options, what it prints, and its exit statuses.

import type { Command } from 'commander';
import { EXIT_UNCHANGED, UsageError } from './command-error.ts';
import { counted, megabytes, withdrawnNote } from './figures.ts';
import { percent } from './options.ts';
import { readRefreshConfig } from './refresh/refresh-config.ts';
import type { RefreshOutcome } from './refresh/refresh-run.ts';
import { formatTime } from './snapshot-report.ts';
import { summaryLines } from './sources/summary.ts';

type RefreshOptions = {
  readonly config: string;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly unchangedOk: boolean;
  readonly maxWithdrawn?: number;
  readonly maxShrink?: number;
};

/** `version` is that of the program. */
export function addRefreshCommand(program: Command, version: string): void {
  program
    .command('refresh')
    .description('fetch the sources of a configuration file, and publish a new snapshot if anything is new')
    .requiredOption('--config <file>', 'the configuration, JSON: docs/feeding.md describes it')
    .option('--dry-run', 'fetch, compile and compare, but publish nothing', false)
    .option('--max-withdrawn <percent>', 'for this run, instead of guards.max_withdrawn', percent)
    .option('--max-shrink <percent>', 'for this run, instead of guards.max_shrink', percent)
    .option('--unchanged-ok', 'exit with 0 instead of 4 if nothing is new', false)
    .option('--json', 'print the outcome as one JSON object', false)
    .addHelpText(
      'after',
      '\nExit status: 0 published (or, in a dry run, would be), 4 nothing is new, 5 refused by a guard, ' +
        '6 a source is unreachable or bad, 7 another refresh is running, 1 another failure, ' +
        '2 wrong options or configuration.',
    )
    .action(async (options: RefreshOptions, command: Command) => {
      const startMs = performance.now();
      const { writeOut, writeErr } = command.configureOutput();
      const report = (line: string): void => writeErr?.(`${line}\n`);
      const { runRefresh, RefreshError } = await import('./refresh/refresh-run.ts'); // not for --help
      const tookMs = (): number => Math.round(performance.now() - startMs);
      const print = (fields: object): void =>
        writeOut?.(`${JSON.stringify({ ...fields, took_ms: tookMs() })}\n`);
      try {
        const config = withLimits(readRefreshConfig(options.config), options);
        const plan = { config, isDryRun: options.dryRun, version, environment: process.env };
        const outcome = await runRefresh(plan, report);
        if (options.json) print(describe(outcome));
        else {
          for (const line of summaryOf(outcome)) report(line);
          writeOut?.(`${sentence(outcome, tookMs())}\n`);
        }
        if (outcome.kind === 'unchanged' && !options.unchangedOk) process.exitCode = EXIT_UNCHANGED;
      } catch (error) {
        if (options.json) {
          const failure = error instanceof RefreshError ? error.outcome : 'failed';
          const outcome = error instanceof UsageError ? 'misused' : failure;
          print({ outcome, message: (error as Error).message });
        }
        throw error;
      }
    });
}

function withLimits(
  config: ReturnType<typeof readRefreshConfig>,
  { maxWithdrawn = config.maxWithdrawn, maxShrink = config.maxShrink }: RefreshOptions,
): ReturnType<typeof readRefreshConfig> {
  return { ...config, maxWithdrawn, maxShrink };
}

function summaryOf(outcome: RefreshOutcome): readonly string[] {
  if (outcome.kind !== 'published' || outcome.result.summary === undefined) return [];
  return summaryLines(outcome.result.summary);
}

function sentence(outcome: RefreshOutcome, tookMs: number): string {
  const seconds = `${(tookMs / 1000).toFixed(1)} s`;
  switch (outcome.kind) {
    case 'published': {
      const { path, id, advisories, withdrawn, totalBytes } = outcome.result;
      const count = `${counted(advisories, 'advisory', 'advisories')}${withdrawnNote(withdrawn)}`;
      const removed =
        outcome.removed.length === 0 ? '' : `; removed ${counted(outcome.removed.length, 'old snapshot')}`;
      return `published ${count} as ${path} (id ${id}, ${megabytes(totalBytes)}, ${seconds})${removed}`;
    }
    case 'would-publish':
      return `dry run: a snapshot would be published (id ${outcome.id}, ${seconds})`;
    case 'unchanged': {
      const { id, builtAtMs } = outcome.snapshot;
      return `nothing is new since snapshot ${id}, built ${formatTime(builtAtMs)} (${seconds})`;
    }
  }
}

function describe(outcome: RefreshOutcome): object {
  switch (outcome.kind) {
    case 'published': {
      const { path, id, advisories, withdrawn, totalBytes, rejects, rejectsPath = null } = outcome.result;
      return {
        outcome: outcome.kind,
        ...{ file: path, id, advisories, withdrawn, total_bytes: totalBytes },
        ...{ rejects, rejects_file: rejectsPath, removed: outcome.removed },
      };
    }
    case 'would-publish':
      return { outcome: outcome.kind, id: outcome.id };
    case 'unchanged': {
      const { id, builtAtMs } = outcome.snapshot;
      return { outcome: outcome.kind, id, built_at: formatTime(builtAtMs) };
    }
  }
}
