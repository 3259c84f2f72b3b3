// A store of objects in memory, as strict about tags and ranges as a web server, with the faults that tests
// ask for; and what a publisher puts into it.

import { createHash } from 'node:crypto';
import { MANIFEST_NAME, type Manifest, signatureName } from '../../../src/fleet/manifest.ts';
import {
  type AskedObject,
  ObjectError,
  type ObjectReply,
  type ObjectSource,
} from '../../../src/fleet/objects/objects.ts';

/** What happens to a request in place of an answer. */
export type Fault = (name: string, asked: AskedObject) => ObjectReply | Promise<ObjectReply> | undefined;

export class MemoryStore implements ObjectSource {
  shownAs = 'memory://store/latest.json';
  readonly objects = new Map<string, Uint8Array>();
  /** Every request: the name, and from where. */
  readonly asked: string[] = [];
  /** Bytes of bodies that were read. */
  sentBytes = 0;
  chunkBytes = 1000;
  fault: Fault = () => undefined;
  storeTimeMs: number | undefined;
  /** As some servers say it, which make their tags of that second and the length. */
  changedAtMs: number | undefined;

  async get(name: string, asked: AskedObject): Promise<ObjectReply> {
    const { etag, from = 0, rangeOf, signal } = asked;
    signal.throwIfAborted();
    this.asked.push(from === 0 ? name : `${name} from ${from}`);
    const fault = await this.fault(name, asked);
    if (fault !== undefined) return fault;
    const bytes = this.objects.get(name);
    if (bytes === undefined) return { kind: 'absent' };
    const found = `"${this.changedAtMs ?? sha256Of(bytes).slice(0, 16)}"`;
    if (etag === found) return { kind: 'unchanged', storeTimeMs: this.storeTimeMs };
    const start = rangeOf === found ? from : 0;
    return {
      kind: 'found',
      etag: found,
      bytes: bytes.length,
      from: start,
      storeTimeMs: this.storeTimeMs,
      changedAtMs: this.changedAtMs,
      body: this.#send(bytes, start, signal),
    };
  }

  async close(): Promise<void> {}

  /** A reply that ends with this error after some bytes. */
  half(name: string, until: number, asked: AskedObject): ObjectReply {
    const bytes = this.objects.get(name) as Uint8Array;
    const part = this.#send(bytes.subarray(0, until), asked.from ?? 0, asked.signal);
    return {
      kind: 'found',
      etag: `"${sha256Of(bytes).slice(0, 16)}"`,
      bytes: bytes.length,
      from: asked.from ?? 0,
      body: (async function* () {
        yield* part;
        throw new ObjectError('the connection was lost', true);
      })(),
    };
  }

  async *#send(bytes: Uint8Array, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let at = from; at < bytes.length; at += this.chunkBytes) {
      signal.throwIfAborted();
      const chunk = bytes.subarray(at, at + this.chunkBytes);
      this.sentBytes += chunk.length;
      yield chunk;
    }
  }
}

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface Publication {
  readonly sequence: number;
  /** Of the snapshot. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Members of the manifest that differ. */
  readonly change?: Partial<Manifest>;
  /** Members of its snapshot that differ. */
  readonly lie?: Partial<Manifest['snapshot']>;
  /** Undefined for no signature. */
  readonly signedBy?: string;
}

/** Puts everything in place, the manifest last. Returns the manifest. */
export function publishTo(
  { objects }: Pick<MemoryStore, 'objects'>,
  { sequence, id, bytes, change, lie, signedBy }: Publication,
): Manifest {
  const sha256 = sha256Of(bytes);
  const url = `snapshots/${sha256}.vdx`;
  const manifest: Manifest = {
    format: 1,
    sequence,
    published_at: '2026-01-10T12:00:00.000Z',
    expires: '2026-02-10T12:00:00.000Z',
    min_server_version: '0.1.0',
    snapshot: { url, size: bytes.length, sha256, id, built_at: '2026-01-10T11:00:00.000Z', ...lie },
    objects: [],
    ...change,
  };
  const text = JSON.stringify(manifest);
  objects.set(url, bytes);
  if (signedBy !== undefined) objects.set(signatureName(sha256Of(text)), Buffer.from(sign(text, signedBy)));
  objects.set(MANIFEST_NAME, Buffer.from(text));
  return manifest;
}

/** Not cryptography: what tests of the follower need of a signature. */
export const sign = (text: string, key: string): string => `${key} ${sha256Of(text)}`;
