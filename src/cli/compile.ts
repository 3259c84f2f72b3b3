// The options of `compile`, and its closing summary.

import type { Command } from 'commander';
import { SNAPSHOT_SUFFIX } from '../loader/format.ts';
import { startCommand } from './commands.ts';
import { counted, megabytes, secondsSince, withdrawnNote } from './figures.ts';
import { DEFAULT_LOSS_LIMITS } from './guards/loss-limits.ts';
import { endHelp, groupOptions } from './help.ts';
import { buildTime, percent } from './options.ts';
import type { SourcesResult } from './sources/compile-sources.ts';
import { addSourceOptions, SOURCE_OPTION_GROUPS, type SourceOptions } from './sources/source-options.ts';
import { summaryJson, summaryLines } from './sources/summary.ts';
import { STANDARD_STREAM } from './standard-streams.ts';
import { addVerbosityOptions, type Verbosity } from './verbosity.ts';

type CompileOptions = SourceOptions &
  Verbosity & {
    readonly out: string;
    readonly skipInvalid?: true;
    readonly builtAt?: number;
    readonly previous?: string;
    readonly maxWithdrawn: number;
    readonly maxShrink: number;
  };

export function addCompileCommand(program: Command): void {
  const command = startCommand(program, 'compile');
  const select = addSourceOptions(command);
  addVerbosityOptions(command)
    .requiredOption(
      '--out <file|dir>',
      `snapshot to write: a file ending in ${SNAPSHOT_SUFFIX}, a folder (the name is then made from time and id), or - for standard output`,
    )
    .option(
      '--skip-invalid',
      'with feeds alone: compile the valid lines, and write the bad ones to <out>.rejects.ndjson',
    )
    .option('--built-at <time>', "the snapshot's build time, RFC 3339 (default: now)", buildTime)
    .option(
      '--previous <snapshot>',
      'snapshot to take unchanged advisories from, which is faster, and to compare the new one with (default: compare with the newest in the folder, or with the file that is replaced)',
    )
    .option(
      '--max-withdrawn <percent>',
      'refuse a snapshot that loses more than this percentage of the published advisories, of all or of one source; 100 allows any loss',
      percent,
      DEFAULT_LOSS_LIMITS.maxWithdrawn,
    )
    .option(
      '--max-shrink <percent>',
      'refuse a snapshot with at least this percentage fewer advisories, as a server does; 100 allows any loss',
      percent,
      DEFAULT_LOSS_LIMITS.maxShrink,
    )
    .action(async (options: CompileOptions, command: Command) => {
      const startMs = performance.now();
      const { writeOut, writeErr } = command.configureOutput();
      const report = (line: string): void => writeErr?.(`${line}\n`);
      const { compileSources } = await import('./sources/compile-sources.ts'); // not for --help
      const { out, ids, maxReject, builtAt, maxWithdrawn, maxShrink } = options;
      const { examineLosses, placeOf, requirePrevious } = await import('./guards/publication-guard.ts');
      const { isFromEarlierRelease, openPrevious } = await import('./sources/previous-snapshot.ts');
      const named = options.previous;
      // Then nothing can be kept from it, nor compared with it.
      const previous = named !== undefined && isFromEarlierRelease(named, report) ? undefined : named;
      await requirePrevious(previous);
      const opened = previous === undefined ? undefined : openPrevious(previous, report);
      const result = await compileSources(
        {
          ...select(options),
          out,
          ...(ids === undefined ? {} : { idsPath: ids }),
          guards: {
            ...(maxReject === undefined ? {} : { maxRejectPercent: maxReject }),
            examine: (candidate) => {
              const place = placeOf(out, candidate.target);
              examineLosses({ previous, opened, place, maxWithdrawn, maxShrink }, candidate, report);
            },
          },
          skipInvalid: options.skipInvalid === true,
          strict: options.strict === true,
          isVerbose: options.verbose === true,
          previous: opened,
          builtAtMs: builtAt === undefined ? Date.now() : builtAt * 1000,
        },
        report,
      );
      if (result.rejectsPath !== undefined) {
        const what =
          result.summary === undefined
            ? counted(result.rejects, 'bad line')
            : counted(result.rejects, 'rejected entry', 'rejected entries');
        report(`${what} written to ${result.rejectsPath}`);
      }
      const print = result.path === STANDARD_STREAM ? report : (line: string) => writeOut?.(`${line}\n`);
      if (options.json === true) {
        const { path: file, id, totalBytes, advisories, withdrawn, rejects, rejectsPath = null } = result;
        const written = {
          ...{ file, id, total_bytes: totalBytes, advisories, withdrawn },
          ...{ rejects, rejects_file: rejectsPath },
        };
        print(JSON.stringify(summaryJson(result.summary, written)));
        return;
      }
      if (options.quiet === true) return;
      for (const line of result.summary === undefined ? [] : summaryLines(result.summary)) print(line);
      const fixes = fixesLine(result);
      if (fixes !== undefined) print(fixes);
      print(closingLine(result, secondsSince(startMs)));
    });
  groupOptions(command, {
    ...SOURCE_OPTION_GROUPS,
    'Guards against bad data': [
      ...['--max-reject', '--max-withdrawn', '--max-shrink', '--strict', '--skip-invalid'],
    ],
    Output: ['--out', '--previous', '--built-at', '--json', '--quiet', '--verbose'],
  });
  endHelp(command, {
    examples: [
      'compile --osv all.zip --out /var/lib/vulndex/snapshots/',
      'compile --wordfence production.json --osv all.zip --prefer wordfence,osv --out new.vdx',
      'compile --feed feed.ndjson.gz --skip-invalid --out new.vdx',
    ],
    statuses: {
      0: 'the snapshot was written',
      1: 'nothing was written: a source cannot be read or is bad, a guard refused, a full disk',
    },
  });
}

/** Undefined if every fixed version is one. */
function fixesLine({ fixes: { followed, dropped } }: SourcesResult): string | undefined {
  const count = followed + dropped;
  if (count === 0) return undefined;
  const fixes = count === 1 ? '1 fixed version is' : `${count.toLocaleString('en-US')} fixed versions are`;
  return (
    `${fixes} still vulnerable by the same advisory: ` +
    `${followed.toLocaleString('en-US')} replaced by a later fixed version, ${dropped.toLocaleString('en-US')} left out`
  );
}

function closingLine(result: SourcesResult, seconds: string): string {
  const from = result.feedBytes === undefined ? '' : `, from ${megabytes(result.feedBytes)} of feed`;
  const count = `${counted(result.advisories, 'advisory', 'advisories')}${withdrawnNote(result.withdrawn)}`;
  return `compiled ${count} into ${result.path} (id ${result.id}, ${megabytes(result.totalBytes)}${from}, ${seconds})`;
}
