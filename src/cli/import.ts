// The options of `import`, and its closing summary.

import type { Command } from 'commander';
import { startCommand } from './commands.ts';
import { counted, megabytes, secondsSince, withdrawnNote } from './figures.ts';
import { endHelp, groupOptions } from './help.ts';
import { buildTime } from './options.ts';
import { addSourceOptions, SOURCE_OPTION_GROUPS, type SourceOptions } from './sources/source-options.ts';
import { summaryJson, summaryLines } from './sources/summary.ts';
import { STANDARD_STREAM } from './standard-streams.ts';
import { addVerbosityOptions, type Verbosity } from './verbosity.ts';

type ImportOptions = SourceOptions &
  Verbosity & {
    readonly out: string;
    readonly builtAt?: number;
  };

export function addImportCommand(program: Command): void {
  const command = startCommand(program, 'import');
  const select = addSourceOptions(command);
  addVerbosityOptions(command)
    .requiredOption('--out <file>', 'feed to write, gzipped if the name ends in .gz; - for standard output')
    .option('--built-at <time>', 'when new advisories were first seen, RFC 3339 (default: now)', buildTime)
    .action(async (options: ImportOptions, command: Command) => {
      const startMs = performance.now();
      const { writeOut, writeErr } = command.configureOutput();
      const report = (line: string): void => writeErr?.(`${line}\n`);
      const { importSources } = await import('./sources/import-sources.ts'); // not for --help
      const { out, ids, maxReject, builtAt } = options;
      const result = await importSources(
        {
          ...select(options),
          out,
          ...(ids === undefined ? {} : { idsPath: ids }),
          ...(maxReject === undefined ? {} : { maxRejectPercent: maxReject }),
          strict: options.strict === true,
          isVerbose: options.verbose === true,
          builtAtMs: builtAt === undefined ? Date.now() : builtAt * 1000,
        },
        report,
      );
      if (result.rejectsPath !== undefined) {
        report(
          `${counted(result.rejects, 'rejected entry', 'rejected entries')} written to ${result.rejectsPath}`,
        );
      }
      const print = result.path === STANDARD_STREAM ? report : (line: string) => writeOut?.(`${line}\n`);
      const { summary, path, totalBytes } = result;
      if (options.json === true) {
        const { rejects, rejectsPath = null } = result;
        const written = { file: path, total_bytes: totalBytes, rejects, rejects_file: rejectsPath };
        print(JSON.stringify(summaryJson(summary, written)));
        return;
      }
      if (options.quiet === true) return;
      for (const line of summaryLines(summary)) print(line);
      const count = `${counted(summary.advisories, 'advisory', 'advisories')}${withdrawnNote(summary.withdrawn)}`;
      print(`imported ${count} into ${path} (${megabytes(totalBytes)}, ${secondsSince(startMs)})`);
    });
  groupOptions(command, {
    ...SOURCE_OPTION_GROUPS,
    'Guards against bad data': ['--max-reject', '--strict'],
    Output: ['--out', '--built-at', '--json', '--quiet', '--verbose'],
  });
  endHelp(command, {
    examples: [
      'import --osv all.zip --out npm.ndjson.gz',
      'import --osv all.zip --ids vulndex-ids.tsv --out - | vulndex compile --feed - --out new.vdx',
    ],
    statuses: {
      0: 'the feed was written',
      1: 'nothing was written: a source cannot be read, or has too many bad entries',
    },
  });
}
