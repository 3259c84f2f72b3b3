// A folder that is published to: a volume that replicas mount, what a web server serves, what a tool copies
// on. Every file appears whole, by a rename. A lock beside the file makes a condition hold until then.

import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LockedError, withFileLock } from '../../files/lock-file.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import { sweepTemporaryFiles, temporaryPath } from '../../files/temporary-file.ts';
import { end, openContent } from './body.ts';
import { FolderSource } from './folder.ts';
import {
  type AskedObject,
  type ListedObject,
  type ObjectContent,
  ObjectError,
  type ObjectReply,
  type ObjectTarget,
  type PutCondition,
  type PutOutcome,
} from './objects.ts';

export class FolderTarget implements ObjectTarget {
  readonly shownAs: string;
  readonly #folder: string;
  readonly #source: FolderSource;

  constructor(folder: string) {
    this.shownAs = folder;
    this.#folder = folder;
    this.#source = new FolderSource(folder);
  }

  get(name: string, asked: AskedObject): Promise<ObjectReply> {
    return this.#source.get(name, asked);
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  async put(
    name: string,
    content: ObjectContent,
    signal: AbortSignal,
    condition?: PutCondition,
  ): Promise<PutOutcome> {
    const path = join(this.#folder, name);
    return this.#explained(path, async () => {
      makeFolder(this.#folder, dirname(path));
      sweepTemporaryFiles(dirname(path), Date.now());
      if (condition === undefined) {
        await replace(path, content, signal);
        return 'stored';
      }
      return withFileLock(path, async (lock) => {
        if (!(await this.#holds(name, condition, signal))) return 'changed';
        await replace(path, content, signal, () => lock.requireHeld());
        return 'stored';
      });
    });
  }

  async list(prefix: string): Promise<readonly ListedObject[]> {
    const folder = join(this.#folder, dirname(`${prefix}x`));
    return this.#explained(folder, async () => {
      const found: ListedObject[] = [];
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifAbsent([]))) {
        const name = join(dirname(`${prefix}x`), entry.name);
        if (!entry.isFile() || entry.name.startsWith('.') || !name.startsWith(prefix)) continue;
        const { size, mtimeMs } = await stat(join(folder, entry.name));
        found.push({ name, bytes: size, changedAtMs: mtimeMs });
      }
      return found;
    });
  }

  async remove(name: string): Promise<void> {
    const path = join(this.#folder, name);
    await this.#explained(path, async () => rmSync(path, { force: true }));
  }

  async #holds(name: string, condition: PutCondition, signal: AbortSignal): Promise<boolean> {
    const found = await this.get(name, { signal });
    if (found.kind === 'found') await end(found.body);
    if (condition.kind === 'absent') return found.kind === 'absent';
    return found.kind === 'found' && found.etag === condition.etag;
  }

  async #explained<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof LockedError) throw new ObjectError(error.message, true, { cause: error });
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined || error instanceof ObjectError) throw error;
      const remedy = 'check the folder, its permissions and the room on its disk';
      throw new ObjectError(`${path}: ${message}; ${remedy}`, code === 'ENOSPC', { cause: error });
    }
  }
}

/** A store has few folders, which are made as they are needed; the one above it must be there. */
function makeFolder(root: string, folder: string): void {
  for (const each of [root, folder]) {
    try {
      mkdirSync(each);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function replace(
  path: string,
  content: ObjectContent,
  signal: AbortSignal,
  beforeRename: () => void = () => {},
): Promise<void> {
  const temporary = temporaryPath(dirname(path), 'publishing');
  try {
    const hash = createHash('sha256');
    await pipeline(
      openContent(content),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(temporary, { flags: 'wx', mode: 0o644, flush: true }),
      { signal },
    );
    if (content.kind === 'file' && hash.digest('hex') !== content.sha256) {
      throw new ObjectError(`${content.path}: it changed while it was copied; publish it again`, true);
    }
    beforeRename();
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } finally {
    rmSync(temporary, { force: true });
  }
}

function ifAbsent<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}
