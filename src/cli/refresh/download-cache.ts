// Files of the web, kept in a folder and fetched again only when they have changed. What a file was answered
// with (its entity tag, its date) is kept beside it, once the file has been imported: one that a broken
// connection cut short can look complete. A file is replaced when all of its successor has arrived, never
// before.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type HttpHead, readDecoded } from '../../download/body.ts';
import type { HttpClient } from '../../download/client.ts';
import { HttpError } from '../../download/http-error.ts';
import { SourceError } from '../../download/source-error.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { sweepTemporaryFiles, temporaryPath } from '../../files/temporary-file.ts';
import { counted, megabytes } from '../figures.ts';
import { cleaningUp } from '../interruption.ts';

interface CachedFile {
  readonly path: string;
  /** SHA-256 of the content in hex. */
  readonly sha256: string;
  /** Whether the server sent it just now. */
  readonly isNew: boolean;
}

/** Of notes. Those of release 0.1 are for files that may never have been imported. */
const FORMAT = 2;

/** What is kept beside a file. Not its URL, whose query may be a secret; the file's name tells URLs apart. */
interface Note {
  readonly format: typeof FORMAT;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly bytes: number;
  readonly sha256: string;
}

export class DownloadCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Of files that have not been imported, by path. */
  readonly #notes = new Map<string, Note>();

  /** Creates the folder. No file may have more than `maxBytes`. */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    mkdirSync(folder, { recursive: true });
    sweepTemporaryFiles(folder, Date.now());
  }

  /** The current file. Throws SourceError; the file of an earlier call is then still there. */
  async get(
    url: URL,
    key: string | undefined,
    client: HttpClient,
    onProgress: (bytes: number) => void,
  ): Promise<CachedFile> {
    const path = join(this.#folder, nameFor(url));
    const known = readNote(path);
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    // Open, since an export may be stored on another server. Some answer in gzip all the same.
    const openHeaders: Record<string, string> = { 'accept-encoding': 'identity' };
    if (known?.etag) openHeaders['if-none-match'] = known.etag;
    if (known?.last_modified) openHeaders['if-modified-since'] = known.last_modified;
    return client.stream(url, { headers, openHeaders, mayLeaveOrigin: true }, async (head, body) => {
      if (head.status !== 304) return this.#store(path, url, head, body, onProgress);
      if (known !== undefined) return { path, sha256: known.sha256, isNew: false };
      throw new SourceError(
        `${url.origin}${url.pathname}: status 304 to a request without a condition; try again later`,
      );
    });
  }

  /** The files are what they should be: from now on they are fetched again only when they have changed. */
  confirm(): void {
    for (const [path, note] of this.#notes) replaceFile(notePath(path), `${JSON.stringify(note)}\n`);
    this.#notes.clear();
  }

  async #store(
    path: string,
    url: URL,
    head: HttpHead,
    body: AsyncIterable<Uint8Array>,
    onProgress: (bytes: number) => void,
  ): Promise<CachedFile> {
    const temporary = temporaryPath(this.#folder, 'fetching');
    const remove = (): void => rmSync(temporary, { force: true });
    try {
      const { bytes, sha256 } = await cleaningUp(remove, () =>
        this.#write(temporary, url, readDecoded(head, this.#counted(url, body, onProgress))),
      );
      const etag = head.header('etag') ?? null;
      const note: Note = {
        format: FORMAT,
        etag,
        last_modified: head.header('last-modified') ?? null,
        bytes,
        sha256,
      };
      // First: a file must never be taken for the one that another note describes.
      rmSync(notePath(path), { force: true });
      renameSync(temporary, path);
      this.#notes.set(path, note);
      return { path, sha256, isNew: true };
    } finally {
      remove();
    }
  }

  async #write(
    temporary: string,
    url: URL,
    content: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly bytes: number; readonly sha256: string }> {
    const hash = createHash('sha256');
    let bytes = 0;
    const file = await open(temporary, 'wx', 0o644);
    try {
      for await (const piece of content) {
        bytes += piece.length;
        this.#requireRoom(url, bytes);
        hash.update(piece);
        await file.writeFile(piece); // continues where the last piece ended
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return { bytes, sha256: hash.digest('hex') };
  }

  /** Pieces as they arrive. They have a limit too: gzip without end may inflate to nothing. */
  async *#counted(
    url: URL,
    body: AsyncIterable<Uint8Array>,
    onProgress: (bytes: number) => void,
  ): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      this.#requireRoom(url, bytes);
      yield piece;
      onProgress(piece.length);
    }
  }

  #requireRoom(url: URL, bytes: number): void {
    if (bytes <= this.#maxBytes) return;
    throw new HttpError(
      'too-large',
      `${url.origin}${url.pathname}: larger than max_download_bytes (${counted(this.#maxBytes, 'byte')}, ` +
        `${megabytes(this.#maxBytes)}); check the URL, or raise it in the configuration`,
    );
  }
}

/** Tells files of different URLs apart, and keeps the end of the name, which says what it is. */
function nameFor(url: URL): string {
  const name = basename(url.pathname)
    .replace(/[^\w.-]/g, '_')
    .slice(-80);
  const hash = createHash('sha256').update(url.href).digest('hex').slice(0, 16);
  return name === '' ? hash : `${hash}-${name}`;
}

function notePath(path: string): string {
  return `${path}.note.json`;
}

/** Undefined unless the file is there and as long as its note says. */
function readNote(path: string): Note | undefined {
  try {
    const text = readFileSync(notePath(path), 'utf8');
    // Its members are checked below.
    const { format, etag = null, last_modified = null, bytes, sha256 } = JSON.parse(text) as Partial<Note>;
    if (format !== FORMAT) return undefined;
    if (typeof bytes !== 'number' || statSync(path).size !== bytes) return undefined;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    if (etag !== null && typeof etag !== 'string') return undefined;
    if (last_modified !== null && typeof last_modified !== 'string') return undefined;
    return { format, etag, last_modified, bytes, sha256 };
  } catch {
    return undefined; // no file, or a damaged note: it is fetched again
  }
}
