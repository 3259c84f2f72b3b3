// Gets a snapshot into `*.part`, from where an earlier attempt or process got to, and checks its size and
// hash. What is complete is renamed by the caller.

import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { ManifestFile, ManifestSnapshot } from './manifest.ts';
import { Refusal } from './manifest-rules.ts';
import { end } from './objects/body.ts';
import { type AskedObject, ObjectError, type ObjectSource } from './objects/objects.ts';

const CHUNK_BYTES = 1 << 20;

interface SnapshotFetch {
  readonly source: ObjectSource;
  readonly snapshot: Pick<ManifestSnapshot, keyof ManifestFile | 'id'>;
  /** Where it is put. */
  readonly path: string;
  /** Of the object that the file there is the beginning of; undefined if it is of nothing known. */
  readonly partEtag: string | undefined;
  /** Of an object whose contents were not what the manifest says: it is not read again. */
  readonly badEtag: string | undefined;
  /** The id in the header of a file; undefined if the file has none, as the loader will say. */
  readonly readId: (path: string) => string | undefined;
  /** Called before the first byte of another object is written. Throws the system's error. */
  readonly onBegin: (etag: string | undefined) => void;
  /** The size of the file so far, and what was added to it. */
  readonly onBytes: (bytes: number, added: number) => void;
  readonly signal: AbortSignal;
}

/** The contents are not those of the manifest. */
export class WrongContents extends Refusal {
  /** Of the object. */
  readonly etag: string | undefined;

  constructor(code: 'wrong-size' | 'wrong-hash' | 'wrong-id', message: string, etag: string | undefined) {
    super(code, message);
    this.etag = etag;
  }
}

/** Resolves when all of it is on the disk. Throws Refusal, ObjectError, or the system's error. */
export async function fetchSnapshot(fetch: SnapshotFetch): Promise<void> {
  const file = await open(fetch.path, 'a+');
  try {
    await fetchInto(file, fetch);
    await file.sync();
  } catch (error) {
    const isOfUse = !(error instanceof WrongContents) && (await file.stat()).size > 0;
    if (!isOfUse) await rm(fetch.path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function fetchInto(file: FileHandle, fetch: SnapshotFetch): Promise<void> {
  const { source, snapshot, partEtag, badEtag, signal } = fetch;
  const what = `${source.shownAs}: ${snapshot.url}`;
  let { size: bytes } = await file.stat();
  if (partEtag === undefined || bytes > snapshot.size) bytes = await cut(file);
  let hash = await hashOf(file, bytes, signal);
  let etag = partEtag;
  if (bytes < snapshot.size) {
    const asked: AskedObject = {
      signal,
      ...(badEtag === undefined ? {} : { etag: badEtag }),
      ...(bytes === 0 || partEtag === undefined ? {} : { from: bytes, rangeOf: partEtag }),
    };
    const reply = await source.get(snapshot.url, asked);
    if (reply.kind === 'unchanged') {
      throw new Refusal(
        'wrong-hash',
        `${what}: it is still another file than the manifest says; publish again`,
      );
    }
    if (reply.kind === 'absent') {
      throw new Refusal('missing', `${what}: the manifest names it, and it is not there; publish again`);
    }
    if (reply.bytes !== undefined && reply.bytes !== snapshot.size) {
      await end(reply.body);
      throw wrongSize(what, snapshot, String(reply.bytes), reply.etag);
    }
    if (reply.from !== bytes) {
      bytes = await cut(file);
      hash = createHash('sha256');
    }
    if (bytes === 0) fetch.onBegin(reply.etag);
    etag = reply.etag;
    for await (const chunk of reply.body) {
      if (bytes + chunk.length > snapshot.size) throw wrongSize(what, snapshot, 'more', etag);
      await writeAll(file, chunk);
      hash.update(chunk);
      bytes += chunk.length;
      fetch.onBytes(bytes, chunk.length);
    }
  }
  if (bytes < snapshot.size) {
    throw new ObjectError(`${what}: it ended after ${bytes} of ${snapshot.size} bytes`, true);
  }
  const sha256 = hash.digest('hex');
  if (sha256 === snapshot.sha256) {
    const id = fetch.readId(fetch.path);
    if (id === undefined || id === snapshot.id) return;
    const problem = `${what}: its id is ${id}, and the manifest says ${snapshot.id}`;
    throw new WrongContents('wrong-id', `${problem}; publish again`, etag);
  }
  const problem = `${what}: its SHA-256 is ${sha256}, and the manifest says ${snapshot.sha256}`;
  throw new WrongContents('wrong-hash', `${problem}; publish again`, etag);
}

function wrongSize(
  what: string,
  { size }: ManifestFile,
  got: string,
  etag: string | undefined,
): WrongContents {
  const problem = `${what}: it has ${got} bytes, and the manifest says ${size}; publish again`;
  return new WrongContents('wrong-size', problem, etag);
}

/** Requires: opened for appending, so that the next byte is the first. */
async function cut(file: FileHandle): Promise<0> {
  await file.truncate(0);
  return 0;
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    done += (await file.write(chunk, done, chunk.length - done)).bytesWritten;
  }
}

/** Whether the file is what the manifest says. Throws the system's error. */
export async function hasContents(
  path: string,
  { size, sha256 }: ManifestFile,
  signal: AbortSignal,
): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    return (await hashOf(file, size, signal)).digest('hex') === sha256;
  } finally {
    await file.close();
  }
}

async function hashOf(file: FileHandle, bytes: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(bytes === 0 ? 0 : CHUNK_BYTES);
  for (let position = 0; position < bytes; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, bytes - position), position);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return hash;
}
