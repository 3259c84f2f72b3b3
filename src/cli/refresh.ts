// `refresh`: one command for a timer. Its options, what it prints, and its exit statuses.

import { type Command, Option } from 'commander';
import { EXIT_BUSY, EXIT_REFUSED, EXIT_SOURCE, EXIT_UNCHANGED, UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { counted, durationOf, megabytes, withdrawnNote } from './figures.ts';
import { endHelp } from './help.ts';
import { percent } from './options.ts';
import { readRefreshConfig } from './refresh/refresh-config.ts';
import type { RefreshOutcome } from './refresh/refresh-run.ts';
import type { SourceStatus } from './refresh/source-status.ts';
import { formatTime } from './snapshot-report.ts';
import { summaryLines } from './sources/summary.ts';
import { addVerbosityOptions, type Verbosity } from './verbosity.ts';

type RefreshOptions = Verbosity & {
  readonly config: string;
  readonly dryRun: boolean;
  readonly checkConfig?: true;
  readonly json: boolean;
  readonly unchangedOk: boolean;
  readonly maxWithdrawn?: number;
  readonly maxShrink?: number;
};

/** `version` is that of the program. */
export function addRefreshCommand(program: Command, version: string): void {
  const command = startCommand(program, 'refresh');
  addVerbosityOptions(command)
    .requiredOption('--config <file>', 'the configuration, JSON: docs/feeding.md describes it')
    .option('--dry-run', 'fetch, compile and compare, but publish nothing', false)
    .addOption(
      new Option(
        '--check-config',
        'check the configuration and print what would be fetched; no request is made and nothing is written',
      ).conflicts('dryRun'),
    )
    .option('--max-withdrawn <percent>', 'for this run, instead of guards.max_withdrawn', percent)
    .option('--max-shrink <percent>', 'for this run, instead of guards.max_shrink', percent)
    .option('--unchanged-ok', 'exit with 0 instead of 4 if nothing is new', false)
    .option('--json', 'print the outcome as one JSON object', false)
    .action(async (options: RefreshOptions, command: Command) => {
      const startMs = performance.now();
      const { writeOut, writeErr } = command.configureOutput();
      const report = (line: string): void => writeErr?.(`${line}\n`);
      const { runRefresh, RefreshError } = await import('./refresh/refresh-run.ts'); // not for --help
      const { checkConfig, formatChecked } = await import('./refresh/check-config.ts');
      let sources: readonly SourceStatus[] | undefined;
      const tookMs = (): number => Math.round(performance.now() - startMs);
      const print = (fields: object): void => {
        const about = sources === undefined ? {} : { sources: sources.map(describeSource) };
        writeOut?.(`${JSON.stringify({ ...fields, ...about, took_ms: tookMs() })}\n`);
      };
      try {
        const config = withLimits(readRefreshConfig(options.config), options);
        const { dryRun: isDryRun, verbose, quiet } = options;
        const environment = process.env;
        if (options.checkConfig === true) {
          const checked = checkConfig(config, environment);
          const missing = checked.sources.filter(({ problem }) => problem !== null);
          const outcome = missing.length === 0 ? 'checked' : 'source-failed';
          if (options.json) print({ outcome, ...checked });
          else if (quiet !== true) writeOut?.(formatChecked(checked));
          for (const { location, problem } of missing) report(`vulndex: ${location}: ${problem}`);
          if (missing.length > 0) process.exitCode = EXIT_SOURCE;
          return;
        }
        const onSources = (statuses: readonly SourceStatus[]): void => {
          sources = statuses;
        };
        const isVerbose = verbose === true;
        const outcome = await runRefresh(
          { config, isDryRun, isVerbose, version, environment, onSources },
          report,
        );
        if (options.json) print(describe(outcome));
        else if (quiet !== true) {
          for (const line of [...sourceLines(sources ?? []), ...summaryOf(outcome)]) report(line);
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
  endHelp(command, {
    examples: [
      'refresh --config /etc/vulndex/refresh.json --quiet',
      'refresh --config /etc/vulndex/refresh.json --check-config',
      'refresh --config /etc/vulndex/refresh.json --dry-run',
    ],
    statuses: {
      0: 'published, or in a dry run would be; with --check-config, it can be used',
      1: 'failed',
      2: 'wrong options or configuration',
      [EXIT_UNCHANGED]: 'nothing is new',
      [EXIT_REFUSED]: 'a guard refused the new snapshot',
      [EXIT_SOURCE]: 'a source is unreachable or bad',
      [EXIT_BUSY]: 'another refresh of the folder is running',
    },
  });
}

function sourceLines(statuses: readonly SourceStatus[]): readonly string[] {
  return statuses.map((source) => {
    const age = source.status === 'unchanged' ? ` for ${durationOf(Date.now() - source.changedAtMs)}` : '';
    return `${source.name} (${source.location}): ${source.status}${age}`;
  });
}

function describeSource(source: SourceStatus): object {
  const { name, kind, location, status } = source;
  const changedAtMs = 'changedAtMs' in source ? source.changedAtMs : undefined;
  return {
    ...{ name, kind, location, status },
    changed_at: changedAtMs === undefined ? null : formatTime(changedAtMs),
    age_ms: changedAtMs === undefined ? null : Date.now() - changedAtMs,
  };
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
      const { path, id, advisories, withdrawn, totalBytes, rejects, rejectsPath } = outcome.result;
      const count = `${counted(advisories, 'advisory', 'advisories')}${withdrawnNote(withdrawn)}`;
      const rejected =
        rejectsPath === undefined
          ? ''
          : `; ${counted(rejects, 'bad entry', 'bad entries')} left out, in ${rejectsPath}`;
      const removed =
        outcome.removed.length === 0 ? '' : `; removed ${counted(outcome.removed.length, 'old snapshot')}`;
      return `published ${count} as ${path} (id ${id}, ${megabytes(totalBytes)}, ${seconds})${rejected}${removed}`;
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
