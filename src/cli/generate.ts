// `generate`: writes a synthetic feed. Owns the file: a temporary one next to the target, renamed when
// complete, so that a reader never sees half a feed. The generator decides what is in the feed.

import { createWriteStream, rmSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Command } from 'commander';
import { sweepTemporaryFiles, temporaryPath } from '../files/temporary-file.ts';
import { type FeedPlan, generateFeed } from '../generator/feed.ts';
import { CommandError, UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { counted, megabytes, secondsSince } from './figures.ts';
import { endHelp } from './help.ts';
import { cleaningUp } from './interruption.ts';
import { wholeNumber } from './options.ts';
import { type Progress, SILENT, showProgress } from './progress.ts';
import { STANDARD_STREAM, writeToOutput } from './standard-streams.ts';
import { addQuietOption, type Verbosity } from './verbosity.ts';

type GenerateOptions = Verbosity & {
  readonly advisories: number;
  readonly seed: number;
  readonly out: string;
};

const MAX_ADVISORIES = 10_000_000;
const MAX_SEED = 2 ** 32 - 1;
// Written to zlib or the file at once; line by line, the hand-over would dominate.
const BLOCK_CHARS = 256 * 1024;
// Half the time of zlib's default 6 for a tenth more bytes, and still over half the work.
const GZIP_LEVEL = 3;

export function addGenerateCommand(program: Command): void {
  const command = startCommand(program, 'generate');
  addQuietOption(command)
    .requiredOption(
      '--advisories <count>',
      'number of advisories',
      wholeNumber({ min: 1, max: MAX_ADVISORIES }),
    )
    .option('--seed <number>', 'the same seed gives the same feed', wholeNumber({ min: 0, max: MAX_SEED }), 1)
    .requiredOption('--out <file>', 'file to write, gzipped if the name ends in .gz; - for standard output')
    .action(async ({ advisories, seed, out, quiet }: GenerateOptions, command: Command) => {
      const startMs = performance.now();
      const progress = showProgress({ label: 'generating', unit: 'advisories', total: advisories });
      const isOutput = out === STANDARD_STREAM;
      const { bytes } = isOutput
        ? await generateToOutput({ advisories, seed }, process.stdout.isTTY ? SILENT : progress)
        : await generateTo(out, { advisories, seed }, progress);
      if (quiet === true) return;
      const count = counted(advisories, 'advisory', 'advisories');
      const summary = `generated ${count} into ${out} (seed ${seed}, ${megabytes(bytes)}, ${secondsSince(startMs)})`;
      const { writeOut, writeErr } = command.configureOutput();
      (isOutput ? writeErr : writeOut)?.(`${summary}\n`);
    });
  endHelp(command, {
    examples: ['generate --advisories 20000 --out feed.ndjson.gz'],
    statuses: { 0: 'the feed was written', 1: 'nothing was written: no such folder, a full disk' },
  });
}

/**
 * Writes a feed to `path`, gzipped if that ends in `.gz`; an existing file is replaced by a rename at the
 * end. Returns the size of the file. Advances `progress` by every advisory and ends it. Throws CommandError
 * when the file cannot be written, and leaves nothing behind.
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

/** Writes the feed to standard output, never gzipped. */
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

// Checked before the work, not after. Also, a rename would replace a device such as /dev/null with a file.
async function checkTarget(path: string): Promise<void> {
  if (path === '') throw new UsageError('--out is empty; name a file');
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
      return 'the folder does not exist; create it first';
    case 'EACCES':
    case 'EPERM':
      return 'no permission to write to the folder; check its permissions';
    case 'ENOTDIR':
      return 'part of the path is not a folder; name a file in a folder';
    case 'ENOSPC':
      return 'the disk is full; free some space or write elsewhere';
    default:
      return `writing failed (${message})`;
  }
}
