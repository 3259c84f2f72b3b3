// A copy of another server of this API. walk.ts takes all of its pages, which are kept in a folder; only when they are
// complete, and of one snapshot, do their items become drafts. So a walk that fails yields nothing, and the next one goes
// on where it ended.

import { tmpdir } from 'node:os';
import { HttpClient, type HttpClientOptions } from '../download/client.ts';
import { toJson } from '../record/feed-schema.ts';
import { type Place, type SourceEntry, SourceError, type SourceReader } from '../source.ts';
import { readItem } from './item.ts';
import { Keep } from './keep.ts';
import { isObject, type JsonItem, readPage } from './page.ts';
import { ScratchKeep } from './scratch-keep.ts';
import { ApiServer, MAX_ANSWER_BYTES } from './server.ts';
import { type Walked, walkAll } from './walk.ts';

export interface MirrorOptions extends Omit<HttpClientOptions, 'secrets' | 'onWait'> {
  /** The base below which /all answers. */
  readonly url: string;
  readonly key: string;
  /**
   * Keeps the server's answers between runs: an interrupted walk resumes, and an unchanged server is not walked again. One
   * folder for each server. Without it they are in a scratch file while the source is read.
   */
  readonly folder?: string | undefined;
  /** Gets a line for each wait and each new beginning. */
  readonly onNotice?: (line: string) => void;
}

/** Throws SourceError if the URL, the key or the file of certificates cannot be used. Asks nothing yet. */
export function openMirror(options: MirrorOptions): SourceReader {
  const { url, key, folder, onNotice = () => {}, ...others } = options;
  const base = baseOf(url);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new SourceError(
      `${base}: the key is empty or has characters that a header cannot carry; check the key`,
    );
  }
  return {
    kind: 'mirror',
    label: base,
    unit: 'records',
    total: undefined,
    read: (onProgress) => {
      const client = new HttpClient({ ...others, secrets: [key], onWait: onNotice });
      const nowMs = (others.nowMs ?? Date.now)();
      return readMirror({ base, key, folder, client, nowMs, onNotice, onProgress });
    },
  };
}

function baseOf(url: string): string {
  const problem = (what: string): SourceError =>
    new SourceError(
      `--mirror: ${what}; give the base URL of a server, such as https://host.example/database/api/beta`,
    );
  if (!URL.canParse(url)) throw problem('this is not a URL');
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol)) throw problem('this is not an http or https URL');
  if (parsed.username !== '' || parsed.password !== '')
    throw problem('the URL contains a user or a password');
  if (parsed.search !== '' || parsed.hash !== '') throw problem('the URL has a query or a fragment');
  return parsed.href.replace(/\/+$/, '');
}

interface Reading {
  readonly base: string;
  readonly key: string;
  readonly folder: string | undefined;
  readonly client: HttpClient;
  readonly nowMs: number;
  readonly onNotice: (line: string) => void;
  readonly onProgress: (records: number) => void;
}

async function* readMirror(reading: Reading): AsyncGenerator<SourceEntry[]> {
  const { base, key, folder, client, nowMs, onNotice, onProgress } = reading;
  const keep = folder === undefined ? new ScratchKeep(tmpdir()) : new Keep(folder, MAX_ANSWER_BYTES, nowMs);
  try {
    const server = new ApiServer(base, key, client, keep);
    const walked = await walkAll(server, base, onProgress, onNotice);
    let isEmpty = true;
    for (const page of walked.pages) {
      const body = server.recall(page.name, page.path, page.tag);
      if (body === undefined) {
        throw new SourceError(
          `${folder ?? base}: a kept page was changed while it was read; run one import at a time`,
        );
      }
      const { items } = readPage(body, { url: new URL(base), type: 'kept', secrets: [key] });
      if (items.length === 0) continue;
      isEmpty = false;
      yield items.map((item) => entryOf(base, item, page.platform, walked));
    }
    if (isEmpty) throw new SourceError(`${base}: the server lists no advisories; check the URL and the key`);
  } finally {
    await client.close();
    keep.close();
  }
}

function entryOf(
  base: string,
  item: JsonItem,
  platform: Walked['pages'][number]['platform'],
  { types }: Walked,
): SourceEntry {
  const { id, product } = item;
  const name = typeof id === 'number' ? String(id) : 'an advisory without an id';
  const place: Place = { file: base, entry: name };
  const slug = isObject(product) ? product.slug : undefined;
  const type =
    typeof slug === 'string' && typeof id === 'number' ? types.get(platform)?.typeOf(slug, id) : undefined;
  const read =
    type === undefined
      ? { kind: 'reject' as const, problems: [{ field: 'product', message: 'no lookup shows its type' }] }
      : readItem(item, type);
  if (read.kind === 'draft') {
    return { kind: 'draft', draft: { place, sourceId: name, record: read.record }, warnings: read.warnings };
  }
  // The item as parsed: its page is one line of JSON.
  return {
    kind: 'reject',
    reject: { place, bytes: Buffer.from(toJson(item) ?? ''), problems: read.problems },
  };
}
