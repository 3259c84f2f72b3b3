// `-` in place of a file: standard input for reading, standard output for writing. Snapshots need random
// access, so one from a pipe is first copied to a temporary file.

import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { EXIT_FAILED, UsageError } from './command-error.ts';
import { cleaningUp, cleanUp } from './interruption.ts';

export const STANDARD_STREAM = '-';

/** Passes `use` a file with random access: the one named, or a temporary copy of standard input. */
export async function withInputFile<Result>(file: string, use: (path: string) => Result): Promise<Result> {
  if (file !== STANDARD_STREAM) return use(file);
  return withScratchFolder(async (folder) => {
    const copy = join(folder, 'input');
    await pipeline(process.stdin, createWriteStream(copy, { mode: 0o600 }));
    return use(copy);
  });
}

/** Passes `use` a temporary folder, which is removed when `use` returns, fails or is interrupted. */
export async function withScratchFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    return await cleaningUp(remove, () => use(folder));
  } finally {
    remove();
  }
}

/** Throws UsageError if binary output would go to a terminal. */
export function requireRedirected(what: string): void {
  if (!process.stdout.isTTY) return;
  throw new UsageError(
    `cannot write ${what} to a terminal: redirect standard output, or name a file with --out`,
  );
}

/** Copies the file to standard output. */
export async function copyToOutput(path: string): Promise<void> {
  await writeToOutput(createReadStream(path));
}

/** Writes chunks to standard output as they are generated. */
export async function writeToOutput(source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  await pipeline(source, process.stdout, { end: false });
}

/** Ends the process silently, with cleanup, when the reader of its output has gone, as `| head` does. */
export function endWithReader(output: NodeJS.WriteStream): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    cleanUp();
    process.exit(EXIT_FAILED);
  });
}
