// Downloads a file: beside its target under a temporary name, then renamed, so that the target is always whole. What the
// server says about the version of the file comes back, for asking next time whether it changed.

import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { temporaryPath } from '../../files/temporary-file.ts';
import { SourceError } from '../source.ts';
import type { HttpHead } from './body.ts';
import type { HttpClient, HttpRequest } from './client.ts';
import { HttpError, shownUrl } from './http-error.ts';

/** What a server says about the version of a file. */
export interface FileVersion {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export type Downloaded =
  /** The server has the version that was asked about. */
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'fetched';
      readonly version: FileVersion;
      readonly bytes: number;
      /** Of the file, in hex. */
      readonly sha256: string;
    };

export interface DownloadOptions {
  /** Sent to the origin of the URL only: files are often served from another one. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The version that the target has, if it is there. */
  readonly known?: FileVersion;
  readonly maxBytes: number;
  /** Gets the number of bytes since the last call; negative if the download begins again. */
  readonly onBytes?: (bytes: number) => void;
}

/** Throws HttpError, or SourceError if the target cannot be written. */
export async function downloadFile(
  client: HttpClient,
  url: URL,
  target: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  const { headers = {}, known = {} } = options;
  const asked: HttpRequest = {
    mayLeaveOrigin: true,
    headers,
    openHeaders: {
      // The file as stored: its own compression is kept, and no other added.
      'accept-encoding': 'identity',
      ...(known.etag === undefined ? {} : { 'if-none-match': known.etag }),
      ...(known.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
    },
  };
  const temporary = temporaryPath(dirname(target), 'fetching');
  try {
    const downloaded = await client.stream(url, asked, (head, body) => write(head, body, temporary, options));
    if (downloaded.kind === 'fetched') await writing(target, () => rename(temporary, target));
    return downloaded;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function write(
  head: HttpHead,
  body: AsyncIterable<Uint8Array>,
  path: string,
  { maxBytes, onBytes = () => {} }: DownloadOptions,
): Promise<Downloaded> {
  if (head.status === 304) return { kind: 'unchanged' };
  if (head.status !== 200) {
    const problem = `${shownUrl(head.url)}: status ${head.status} instead of a file; check the URL`;
    throw new HttpError('unusable', problem, head.status);
  }
  const file = await writing(path, () => open(path, 'w', 0o644)); // truncates what a failed attempt left
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > maxBytes) {
        const problem = `${shownUrl(head.url)}: the file has more than ${maxBytes} bytes; check the URL`;
        throw new HttpError('too-large', problem, head.status);
      }
      hash.update(piece);
      await writing(path, () => writeAll(file, piece));
      onBytes(piece.length);
    }
    await writing(path, () => file.sync());
  } catch (error) {
    onBytes(-bytes);
    throw error;
  } finally {
    await file.close();
  }
  const version = { etag: head.header('etag'), lastModified: head.header('last-modified') };
  return { kind: 'fetched', version, bytes, sha256: hash.digest('hex') };
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
}

async function writing<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const { message } = error as Error;
    const remedy = "check the folder's permissions and space";
    throw new SourceError(`${path}: the file cannot be written (${message}); ${remedy}`, { cause: error });
  }
}
