// The options of `compile`, and its closing summary.

import { type Command, InvalidArgumentError } from 'commander';
import { SNAPSHOT_SUFFIX } from '../loader/format.ts';
import { counted, megabytes, withdrawnNote } from './figures.ts';
import { instant } from './options.ts';
import { STANDARD_STREAM } from './standard-streams.ts';

type CompileOptions = {
  readonly feed: readonly string[];
  readonly out: string;
  readonly skipInvalid?: true;
  readonly strict?: true;
  readonly builtAt?: number;
};

export function addCompileCommand(program: Command): void {
  program
    .command('compile')
    .description('compile feeds into a snapshot')
    .requiredOption('--feed <file...>', 'feed files: NDJSON, plain or gzip; - for standard input')
    .requiredOption(
      '--out <file|dir>',
      `snapshot to write: a file ending in ${SNAPSHOT_SUFFIX}, a folder (the name is then made from time and id), or - for standard output`,
    )
    .option('--skip-invalid', 'compile the valid lines, write the bad ones to <out>.rejects.ndjson')
    .option('--strict', 'treat a line with an unknown member as bad, instead of warning')
    .option('--built-at <time>', "the snapshot's build time, RFC 3339 (default: now)", buildTime)
    .action(async (options: CompileOptions, command: Command) => {
      const startMs = performance.now();
      const report = (line: string): void => command.configureOutput().writeErr?.(`${line}\n`);
      const { compileFeeds } = await import('./compile-feeds.ts'); // imported here to keep server startup fast
      const result = await compileFeeds(
        {
          feeds: options.feed,
          out: options.out,
          skipInvalid: options.skipInvalid === true,
          strict: options.strict === true,
          builtAtMs: options.builtAt === undefined ? Date.now() : options.builtAt * 1000,
        },
        report,
      );
      if (result.rejectsPath !== undefined) {
        report(`${counted(result.rejects, 'bad line')} written to ${result.rejectsPath}`);
      }
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      const { followed, dropped } = result.fixes;
      const fixes =
        followed + dropped === 0
          ? ''
          : `; ${counted(followed + dropped, 'fix', 'fixes')} affected by their own advisory: ${followed} replaced by another, ${dropped} dropped`;
      const sizes = `${megabytes(result.totalBytes)}, from ${megabytes(result.feedBytes)} of feed`;
      const count = `${counted(result.advisories, 'advisory', 'advisories')}${withdrawnNote(result.withdrawn)}`;
      const summary = `compiled ${count} into ${result.path} (id ${result.id}, ${sizes}, ${seconds} s)${fixes}`;
      if (result.path === STANDARD_STREAM) report(summary);
      else command.configureOutput().writeOut?.(`${summary}\n`);
    });
}

/** Epoch seconds. The field in the header is unsigned. */
function buildTime(text: string): number {
  const value = instant(text);
  if (value >= 0) return value;
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected a time in 1970 or later.`);
}
