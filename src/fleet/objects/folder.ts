// Objects in a folder that something else fills: a mounted volume, a checkout, the target of a sync. Its
// layout is that of every store; the folder that a server reads its snapshots from is another one.

import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { type AskedObject, ObjectError, type ObjectReply, type ObjectSource } from './objects.ts';

const CHUNK_BYTES = 1 << 20;

export class FolderSource implements ObjectSource {
  readonly shownAs: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.shownAs = folder;
    this.#folder = folder;
  }

  async get(name: string, { etag, from = 0, rangeOf, signal }: AskedObject): Promise<ObjectReply> {
    const path = this.#pathOf(name);
    let file: FileHandle;
    try {
      // Without waiting: the opening of a pipe that nobody writes to would never end, nor would the process.
      file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && name !== '') return { kind: 'absent' };
      if (code === 'ENXIO') {
        throw new ObjectError(`${path}: expected a regular file, got a socket; check --source`, false);
      }
      throw unreadable(path, error);
    }
    try {
      const stat = await file.stat({ bigint: true });
      if (!stat.isFile()) {
        const problem = `${path}: expected a regular file, got ${kindOf(stat)}; check --source`;
        throw new ObjectError(problem, false);
      }
      // A file that is replaced has another number, one that is written in place another time.
      const found = `"${stat.ino.toString(16)}-${stat.size.toString(16)}-${stat.mtimeNs.toString(16)}"`;
      if (found === etag) {
        await file.close();
        return { kind: 'unchanged' };
      }
      const start = found === rangeOf && from <= stat.size ? from : 0;
      return {
        kind: 'found',
        etag: found,
        bytes: Number(stat.size),
        from: start,
        body: readFrom(file, start, path, signal),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async close(): Promise<void> {}

  #pathOf(name: string): string {
    const path = normalize(name);
    if (/^(?:\/|\.\.(?:\/|$))/.test(path) || name.includes('\0')) {
      throw new ObjectError(`${this.#folder}: it names ${name}, which is not below this folder`, false);
    }
    return join(this.#folder, path);
  }
}

async function* readFrom(
  file: FileHandle,
  from: number,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for (let position = from; ; ) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await file
        .read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
        .catch((error: unknown) => {
          throw unreadable(path, error);
        });
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function kindOf(stat: BigIntStats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a pipe';
  return 'a device';
}

function unreadable(path: string, error: unknown): ObjectError {
  const { code, message } = error as NodeJS.ErrnoException;
  const problem = `${path}: it cannot be read (${code ?? message}); check the path and who may read it`;
  return new ObjectError(problem, true, { cause: error });
}
