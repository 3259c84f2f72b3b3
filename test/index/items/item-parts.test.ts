// Items in several memories: every answer has the bytes that it has when all items are in one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { readKnownFeed, readKnownLookups } from '../../../scripts/known-lookups/files.ts';
import { etags } from '../../../src/dialects/etags.ts';
import { handleBatch } from '../../../src/dialects/patchstack/batch.ts';
import { handleAll, handleLatest } from '../../../src/dialects/patchstack/listing.ts';
import { writePage } from '../../../src/dialects/patchstack/patchstack.ts';
import { handleProduct } from '../../../src/dialects/patchstack/product.ts';
import { vulnerabilityHandler } from '../../../src/dialects/vulnerability.ts';
import type { HandlerContext } from '../../../src/http/context.ts';
import type { Answer } from '../../../src/http/replies/responses.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import type { RequestView } from '../../../src/http/transport/request-view.ts';
import { finish } from '../../../src/http/work/steps.ts';
import type { Generation, GenerationParts } from '../../../src/index/generation.ts';
import { DEFAULT_PART_BYTES, MAX_MEMORY_BYTES } from '../../../src/index/items/item-parts.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { PLATFORMS } from '../../../src/index/product-type.ts';
import { loadSnapshot, openGeneration } from '../../../src/loader/snapshot/load.ts';
import { type FeedJson, feedRecord, npmProduct } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { pluck } from '../../support/pluck.ts';
import { generationOf } from '../../support/snapshots/generation.ts';
import { withTexts } from '../../support/snapshots/mutations.ts';
import { compileRecords, readBytes, writeBytes } from '../../support/snapshots/snapshots.ts';

const LIMITS = { partBytes: DEFAULT_PART_BYTES, memoryBytes: MAX_MEMORY_BYTES };
const BATCH_ITEMS = 50;

/** The answer to a request as bytes, or the kind of another answer. */
type Ask = (context: HandlerContext) => string;

function contextOf(generation: Generation): HandlerContext {
  return {
    generation,
    kept: [],
    nowMs: Date.UTC(2026, 0, 1),
    own: new OwnAddress(),
    latestAnchor: 'snapshot',
    memory: new ThreadMemory(generation),
    prepared: undefined,
  };
}

function request(query: string): RequestView {
  return { method: 'GET', path: '', query, address: '', header: () => '', list: () => '' };
}

function bytesOf(answer: Answer | undefined): string {
  if (answer === undefined || answer.kind !== 'json') return answer?.kind ?? 'none';
  return typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString('latin1');
}

function listings(advisories: number): Map<string, Ask> {
  const asks = new Map<string, Ask>();
  for (const [name, handle] of Object.entries({ all: handleAll, latest: handleLatest })) {
    for (const platform of PLATFORMS) {
      for (const more of ['', '&include=details']) {
        for (const perPage of [1, 7, 50, 500]) {
          const pages = name === 'all' ? Math.ceil(advisories / perPage) + 1 : 2;
          for (let page = 1; page <= pages; page++) {
            const query = `platform=${platform}&per_page=${perPage}&page=${page}${more}`;
            asks.set(`${name}?${query}`, (context) => bytesOf(handle(request(query), [], context)));
          }
        }
      }
    }
  }
  return asks;
}

interface Query {
  readonly type: string;
  readonly name: string;
  readonly version: string;
}

function lookups(queries: readonly Query[]): Map<string, Ask> {
  const asks = new Map<string, Ask>();
  for (const query of ['', 'include=details', 'fix=true']) {
    for (const { type, name, version } of queries) {
      const parts = [type, encodeURIComponent(name), encodeURIComponent(version)];
      asks.set(`${parts.join('/')}?${query}`, (context) =>
        bytesOf(handleProduct(request(query), parts, context)),
      );
    }
    for (let first = 0; first < queries.length; first += BATCH_ITEMS) {
      const body = Buffer.from(JSON.stringify(queries.slice(first, first + BATCH_ITEMS)));
      asks.set(`batch ${first}?${query}`, (context) =>
        bytesOf(finish(handleBatch(query, [], body, context, () => undefined))),
      );
    }
  }
  return asks;
}

const handleVulnerability = vulnerabilityHandler(etags.patchstack, writePage);

function pages(ids: readonly number[]): Map<string, Ask> {
  return new Map(
    ids.map((id) => [
      `vulnerability/${id}`,
      (context) => bytesOf(handleVulnerability(request(''), [String(id)], context, undefined)),
    ]),
  );
}

function assertSame(one: Generation, other: Generation, asks: ReadonlyMap<string, Ask>): void {
  const [ofOne, ofOther] = [contextOf(one), contextOf(other)];
  for (const [what, ask] of asks) {
    const answer = ask(ofOne);
    assert.ok(answer.startsWith('{') || answer.startsWith('['), `${what}: ${answer}`);
    assert.ok(answer === ask(ofOther), `${what} differs`);
  }
}

const partsOf = (generation: Generation): number => generation.parts.items.parts.length;

/** Every request about the advisories of some feed records, except lookups. */
function listingsAndPages(records: readonly FeedJson[]): Map<string, Ask> {
  return new Map([...listings(records.length), ...pages(records.map(({ id }) => Number(id)))]);
}

test('the known lookups, listings and pages have the same bytes, however items are divided', async (t) => {
  const records = readKnownFeed() as unknown as readonly FeedJson[]; // they are lines of a feed
  const path = await compileRecords(temporaryFolder(t), records);
  const whole = loadSnapshot(path).generation;
  assert.equal(partsOf(whole), 1);
  const known = readKnownLookups().filter(({ expect }) => expect !== undefined);
  const asks = new Map([...listingsAndPages(records), ...lookups(known.map(({ q }) => q))]);
  const counts: number[] = [];
  for (const partBytes of [4_500, 20_000]) {
    const { generation } = loadSnapshot(path, { ...LIMITS, partBytes });
    counts.push(partsOf(generation));
    assertSame(whole, generation, asks);
  }
  t.diagnostic(`${asks.size} requests; ${records.length} advisories in ${counts.join(' and in ')} parts`);
  assert.ok(counts[0] > 20 && counts[1] > 5);
});

test('a boundary may be before any item, and an item may be alone', async (t) => {
  const records = Array.from({ length: 9 }, (_, i) =>
    feedRecord(i + 1, {
      title: 'x'.repeat((i * 37) % 90),
      details: i % 3 === 0 ? `details of ${i}` : '',
      ...(i % 4 === 3 ? { product: npmProduct('lib') } : {}),
      ...(i === 6 ? { withdrawn_at: '2026-01-05T00:00:00Z' } : {}),
    }),
  );
  const path = await compileRecords(temporaryFolder(t), records);
  const whole = loadSnapshot(path).generation;
  const products = ['plugin/gallery', 'npm/lib'].map((text) => text.split('/'));
  const queries = products.flatMap(([type, name]) =>
    ['*', '1.0.0'].map((version) => ({ type, name, version })),
  );
  const asks = new Map([...listingsAndPages(records), ...lookups(queries)]);
  const { itemStart } = whole.parts.items.parts[0];
  for (let boundary = 1; boundary < records.length; boundary++) {
    const { generation } = loadSnapshot(path, { ...LIMITS, partBytes: itemStart[boundary] });
    assert.equal(generation.parts.items.parts[1].firstOrdinal, boundary);
    assertSame(whole, generation, asks);
  }
  const { generation } = loadSnapshot(path, { ...LIMITS, partBytes: 1 });
  assert.equal(partsOf(generation), records.length);
  assertSame(whole, generation, asks);
});

test('an item that is longer than a part gets one of its own', async (t) => {
  // The second is also longer than what is copied to shared memory at once.
  for (const title of ['x'.repeat(30_000), 'é'.repeat(120_000)]) {
    const records = [1, 2, 3, 4, 5].map((id) => feedRecord(id, id === 3 ? { title } : {}));
    const path = await compileRecords(temporaryFolder(t), records);
    const whole = loadSnapshot(path).generation;
    const { generation } = loadSnapshot(path, { ...LIMITS, partBytes: 10_000 });
    assert.deepEqual(pluck(generation.parts.items.parts, 'firstOrdinal'), [0, 2, 3]);
    assertSame(whole, generation, listingsAndPages(records));
  }
});

test('an item that is longer than a memory is refused', async (t) => {
  const records = [1, 2, 3].map((id) => feedRecord(id, id === 2 ? { title: 'x'.repeat(30_000) } : {}));
  const path = await compileRecords(temporaryFolder(t), records);
  const limits = { partBytes: 10_000, memoryBytes: 40_000 };
  assert.equal(partsOf(loadSnapshot(path, limits).generation), 3);
  assert.throws(() => loadSnapshot(path, { ...limits, memoryBytes: 20_000 }), {
    code: 'bad-index',
    section: 'index.advisoryItemBytes',
    message: /each of at most 19992/, // a word is to spare
  });
});

test('bytes that are not UTF-8 are found in any part, with the advisory they belong to', async (t) => {
  const records = [1, 2, 3, 4].map((id) => feedRecord(id));
  const folder = temporaryFolder(t);
  const sound = readBytes(await compileRecords(folder, records));
  for (const id of [1, 4]) {
    const bad = withTexts(sound, (texts) => {
      texts[Buffer.from(texts).indexOf(`Advisory ${id}`)] = 0xff;
    });
    const path = writeBytes(folder, 'bad.vdx', bad);
    const { generation } = loadSnapshot(path, { ...LIMITS, partBytes: 1 });
    assert.throws(() => generation.items.require(0, generation.advisoryCount), {
      message: new RegExp(`texts and terms of advisory ${id}`),
    });
  }
});

test('parts can be posted: the receiver sees the same bytes and takes areas of its own', async (t) => {
  const records = [1, 2, 3, 4, 5, 6].map((id) => feedRecord(id));
  const path = await compileRecords(temporaryFolder(t), records);
  const { generation, packed } = loadSnapshot(path, { ...LIMITS, partBytes: 1_500 });
  assert.ok(partsOf(generation) > 2);
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(generation.parts);
  const posted = receiveMessageOnPort(port2)?.message as GenerationParts; // what was posted
  port1.close();
  assertSame(generation, openGeneration(posted, packed), listingsAndPages(records));
  const [own, others] = [generation.parts, posted].map(({ items }) => items.parts[1].memory.buffer);
  assert.equal(own.byteLength, others.byteLength, 'the memory is the same, so that areas do not overlap');
});

test('a snapshot without advisories has one part, which is empty', async (t) => {
  const generation = generationOf(t, []);
  assert.equal(partsOf(generation), 1);
  const [answer] = listings(0).values();
  assert.match(answer(contextOf(generation)), /^\{"vulnerabilities":\[\],/);
});
