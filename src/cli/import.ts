// The options of `import`, and its closing summary.

import type { Command } from 'commander';
import { counted, megabytes, withdrawnNote } from './figures.ts';
import { buildTime } from './options.ts';
import { addSourceOptions, type SourceOptions } from './sources/source-options.ts';
import { summaryJson, summaryLines } from './sources/summary.ts';
import { STANDARD_STREAM } from './standard-streams.ts';

type ImportOptions = SourceOptions & {
  readonly out: string;
  readonly builtAt?: number;
};

export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description('write the records of sources as one feed, which `compile --feed` reads');
  const select = addSourceOptions(command);
  command
    .option('--out <file>', 'feed to write, gzipped if the name ends in .gz; - for standard output', '-')
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
        print(JSON.stringify(summaryJson(summary, { path, bytes: totalBytes, rejects: result.rejects })));
        return;
      }
      for (const line of summaryLines(summary)) print(line);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      const count = `${counted(summary.advisories, 'advisory', 'advisories')}${withdrawnNote(summary.withdrawn)}`;
      print(`imported ${count} into ${path} (${megabytes(totalBytes)}, ${seconds} s)`);
    });
}
