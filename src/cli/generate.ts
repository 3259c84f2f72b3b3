// `generate`: a synthetic feed in a file. It owns the file: a temporary one beside the target, renamed when it is
// whole, so that a reader never meets half a feed. What is in a feed is the generator's.

import { createWriteStream, rmSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { sweepTemporaryFiles, temporaryPath } from '../compiler/temporary-file.ts';
import { type FeedPlan, generateFeed } from '../generator/feed.ts';
import { CommandError, UsageError } from './command-error.ts';
import { counted, megabytes } from './figures.ts';
import { cleaningUp } from './interruption.ts';
import { wholeNumber } from './options.ts';
import { type Progress, SILENT, showProgress } from './progress.ts';
import { STANDARD_STREAM, writeToOutput } from './standard-streams.ts';

type GenerateOptions = { readonly advisories: number; readonly seed: number; readonly out: string };

const MAX_ADVISORIES = 10_000_000;
const MAX_SEED = 2 ** 32 - 1;
const BLOCK_CHARS = 256 * 1024; // handed to zlib or the file at once; by lines, the hand-over would cost the most
const GZIP_LEVEL = 3; // half the time of zlib's usual 6 for a tenth more bytes, and still the slower half of the work

export function addGenerateCommand(program: Command): void {
  program
    .command('generate')
    .description('write a synthetic feed with real-world proportions')
    .requiredOption(
      '--advisories <count>',
      'how many advisories',
      wholeNumber({ min: 1, max: MAX_ADVISORIES }),
    )
    .option('--seed <number>', 'the same seed gives the same feed', wholeNumber({ min: 0, max: MAX_SEED }), 1)
    .requiredOption(
      '--out <file>',
      'where to write it; gzip when the name ends in .gz; - for standard output',
    )
    .action(async ({ advisories, seed, out }: GenerateOptions, command: Command) => {
      const startMs = performance.now();
      const progress = showProgress({ label: 'generating', unit: 'advisories', total: advisories });
      const isOutput = out === STANDARD_STREAM;
      const { bytes } = isOutput
        ? await generateToOutput({ advisories, seed }, process.stdout.isTTY ? SILENT : progress)
        : await generateTo(out, { advisories, seed }, progress);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      const count = counted(advisories, 'advisory', 'advisories');
      const summary = `generated ${count} into ${out} (seed ${seed}, ${megabytes(bytes)}, ${seconds} s)`;
      const { writeOut, writeErr } = command.configureOutput();
      (isOutput ? writeErr : writeOut)?.(`${summary}\n`);
    });
}

/**
 * Writes a feed to `path`, gzipped when that ends in `.gz`; what was there is replaced at the end, at once.
 * Returns the size of the file. `progress` hears of every advisory and is ended.
 * Throws CommandError when the file cannot be written; nothing is left behind then.
 */
export async function generateTo(
  path: string,
  plan: FeedPlan,
  progress: Progress = SILENT,
): Promise<{ readonly bytes: number }> {
  await checkTarget(path);
  const temporary = temporaryPath(dirname(path), 'generating');
  const remove = (): void => rmSync(temporary, { force: true });
  try {
    sweepTemporaryFiles(dirname(path), Date.now());
    return await cleaningUp(remove, async () => {
      const file = createWriteStream(temporary);
      const blocks = () => blocksOf(plan, progress);
      if (path.endsWith('.gz')) await pipeline(blocks, createGzip({ level: GZIP_LEVEL }), file);
      else await pipeline(blocks, file);
      await rename(temporary, path);
      return { bytes: file.bytesWritten };
    });
  } catch (error) {
    remove();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(`${path}: ${writingProblem(code, message)}`, { cause: error });
  } finally {
    progress.end();
  }
}

/** As generateTo, to standard output and never gzipped. */
async function generateToOutput(plan: FeedPlan, progress: Progress): Promise<{ readonly bytes: number }> {
  let bytes = 0;
  function* counted(): Generator<Buffer> {
    for (const block of blocksOf(plan, progress)) {
      bytes += block.length;
      yield block;
    }
  }
  try {
    await writeToOutput(counted());
    return { bytes };
  } finally {
    progress.end();
  }
}

// Before the work, not after it; and a rename would put a file in the place of a device such as /dev/null.
async function checkTarget(path: string): Promise<void> {
  if (path === '') throw new UsageError('the name of the file to write is empty; name one');
  const target = await stat(path).catch(() => undefined);
  if (target === undefined || target.isFile()) return;
  throw new CommandError(
    `${path}: this is ${target.isDirectory() ? 'a folder' : 'not a regular file'}; name a file`,
  );
}

function* blocksOf(plan: FeedPlan, progress: Progress): Generator<Buffer> {
  let block = '';
  let count = 0;
  for (const record of generateFeed(plan)) {
    block += `${JSON.stringify(record)}\n`;
    count++;
    if (block.length < BLOCK_CHARS) continue;
    yield Buffer.from(block);
    progress.advance(count);
    block = '';
    count = 0;
  }
  yield Buffer.from(block);
  progress.advance(count);
}

function writingProblem(code: string, message: string): string {
  switch (code) {
    case 'ENOENT':
      return 'the folder does not exist; make it first';
    case 'EACCES':
    case 'EPERM':
      return 'the folder may not be written to; check its permissions';
    case 'ENOSPC':
      return 'the disk is full; free some space or write elsewhere';
    default:
      return `writing failed (${message})`;
  }
}
