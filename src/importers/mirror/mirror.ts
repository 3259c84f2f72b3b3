// A copy of another server of this API. walk.ts takes all of its pages, which are kept in a folder; only when
// they are complete, and of one snapshot, do their items become drafts. So a walk that fails yields nothing,
// and the next one goes on where it ended.

import { tmpdir } from 'node:os';
import { HttpClient, type HttpClientOptions } from '../../download/client.ts';
import { DEFAULT_TRANSFER_LIMITS } from '../../download/limits.ts';
import { SourceError } from '../../download/source-error.ts';
import { isValidUrl } from '../../download/valid-url.ts';
import { type PackedSourceEntry, packEntry } from '../packed-draft.ts';
import { toJson } from '../record/feed-schema.ts';
import { isObject, type JsonObject } from '../record/json.ts';
import type { Place, SourceEntry } from '../source.ts';
import type { ServerCopy, ServerOptions, SourceReader } from '../source-kind.ts';
import { AnswerFolder, type AnswerStore } from './answer-folder.ts';
import { readItem } from './item.ts';
import { readPage } from './page.ts';
import { ScratchAnswers } from './scratch-answers.ts';
import { ApiServer, MAX_ANSWER_BYTES } from './server.ts';
import { type Walked, walkAll } from './walk.ts';

/** The URL is the base below which /all answers. */
export type MirrorOptions = ServerOptions & Pick<HttpClientOptions, 'retries' | 'signal' | 'nowMs' | 'wait'>;

export function openMirror(options: MirrorOptions): SourceReader {
  const base = checkedBase(options);
  return sourceOf(base, async function* (onProgress) {
    const { folder, nowMs = Date.now } = options;
    const answers =
      folder === undefined
        ? new ScratchAnswers(tmpdir())
        : new AnswerFolder(folder, MAX_ANSWER_BYTES, nowMs());
    try {
      yield* entriesOf(await walk(base, answers, options, onProgress));
    } finally {
      answers.close();
    }
  });
}

export async function copyMirror(
  options: MirrorOptions & { readonly folder: string },
  onProgress: (records: number) => void,
): Promise<ServerCopy> {
  const base = checkedBase(options);
  const answers = new AnswerFolder(options.folder, MAX_ANSWER_BYTES, (options.nowMs ?? Date.now)());
  const copy = await walk(base, answers, options, onProgress);
  return { fingerprint: copy.server.fingerprint(), source: sourceOf(base, () => entriesOf(copy)) };
}

function sourceOf(base: string, read: SourceReader['read']): SourceReader {
  return { label: base, unit: 'records', total: undefined, read };
}

function checkedBase({ url, key }: MirrorOptions): string {
  const base = baseOf(url);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new SourceError(
      `${base}: the key is empty or has characters that a header cannot carry; check the key`,
    );
  }
  return base;
}

function baseOf(url: string): string {
  const problem = (what: string): SourceError =>
    new SourceError(
      `--mirror: ${what}; give the base URL of a server, such as https://host.example/database/api/beta`,
    );
  if (!isValidUrl(url)) throw problem('this is not a URL');
  const parsed = new URL(url);
  if (!/^https?:$/.test(parsed.protocol)) throw problem('this is not an http or https URL');
  if (parsed.username !== '' || parsed.password !== '')
    throw problem('the URL contains a user or a password');
  if (parsed.search !== '' || parsed.hash !== '') throw problem('the URL has a query or a fragment');
  return parsed.href.replace(/\/+$/, '');
}

interface Copy {
  readonly base: string;
  readonly key: string;
  readonly server: ApiServer;
  readonly walked: Walked;
}

async function walk(
  base: string,
  answers: AnswerStore,
  { url, key, folder, limits, onNotice = () => {}, ...others }: MirrorOptions,
  onProgress: (records: number) => void,
): Promise<Copy> {
  const { maxBytes, maxMs } = { ...DEFAULT_TRANSFER_LIMITS, ...limits };
  const client = new HttpClient({ ...others, maxMs, secrets: [key], onWait: onNotice });
  try {
    const server = new ApiServer(base, key, client, answers, maxBytes);
    return { base, key, server, walked: await walkAll(server, base, onProgress, onNotice) };
  } finally {
    await client.close();
  }
}

async function* entriesOf({ base, key, server, walked }: Copy): AsyncGenerator<PackedSourceEntry[]> {
  let isEmpty = true;
  for (const page of walked.pages) {
    const body = server.recall(page.name, page.path, page.tag);
    if (body === undefined) {
      throw new SourceError(`${base}: a kept page was changed while it was read; run one import at a time`);
    }
    const { items } = readPage(body, { url: new URL(base), type: 'kept', secrets: [key] });
    if (items.length === 0) continue;
    isEmpty = false;
    yield items.map((item) => packEntry(entryOf(base, item, page.platform, walked)));
  }
  if (isEmpty) throw new SourceError(`${base}: the server lists no advisories; check the URL and the key`);
}

function entryOf(
  base: string,
  item: JsonObject,
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
