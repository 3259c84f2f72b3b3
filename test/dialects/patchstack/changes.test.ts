// GET /changes from the point of view of a client that keeps a copy.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findChangedIds } from '../../../src/compare/differences.ts';
import { handleChanges } from '../../../src/dialects/patchstack/changes.ts';
import { Dice } from '../../../src/generator/dice.ts';
import type { HandlerContext } from '../../../src/http/context.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { formatRollBack, ROLL_BACK_FILE, writeMarker } from '../../../src/loader/live/markers.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { pluck } from '../../support/pluck.ts';
import { printedSeed } from '../../support/seed.ts';
import {
  outcomeOf,
  startServer,
  type TestServer,
  type TestServerOptions,
} from '../../support/serving/server.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 11);
const NPM = { product: npmProduct('left'), affected: [span(null, '1.0.0')] };
const WITHDRAWN = { withdrawn_at: '2026-02-03T00:00:00Z' };

interface Scene {
  readonly server: TestServer;
  /** By the order of publication. */
  readonly ids: string[];
  publish(records: readonly FeedJson[]): Promise<void>;
}

async function serve(
  t: TestContext,
  feeds: readonly (readonly FeedJson[])[],
  options: TestServerOptions = {},
) {
  const server = await startServer(t, { keepGenerations: 16, ...options });
  const ids: string[] = [];
  const publish = async (records: readonly FeedJson[]): Promise<void> => {
    await server.publish(records, BUILT_AT_MS + ids.length * 1_000);
    ids.push(server.swap.current()?.id ?? '');
  };
  for (const feed of feeds) await publish(feed);
  return { server, ids, publish } satisfies Scene;
}

interface ChangesPage {
  readonly since: string;
  readonly snapshot: string;
  readonly changes: readonly {
    readonly id: number;
    readonly change: string;
    readonly vulnerability?: { readonly id: number; readonly title: string };
  }[];
  readonly cursor: {
    readonly next_cursor: string | null;
    readonly has_more: boolean;
    readonly per_page: number;
  };
}

/** All pages, and the number of them. */
async function walk(server: TestServer, query: string): Promise<readonly [page: ChangesPage, pages: number]> {
  const changes: ChangesPage['changes'][number][] = [];
  for (let cursor = '', pages = 1; ; pages++) {
    const response = await server.request(`/changes?${query}&cursor=${cursor}`);
    assert.equal(outcomeOf(response), '200', query);
    const page: ChangesPage = response.json();
    changes.push(...page.changes);
    if (page.cursor.next_cursor === null) return [{ ...page, changes }, pages];
    cursor = page.cursor.next_cursor;
  }
}

/** As in `3 added, 1 withdrawn`. */
function say({ changes }: ChangesPage): string {
  return changes.map(({ id, change }) => `${id} ${change}`).join(', ');
}

const FIRST = [feedRecord(1), feedRecord(2), feedRecord(3), feedRecord(4), feedRecord(9, NPM)];
const SECOND = [
  feedRecord(1),
  feedRecord(2, { title: 'Other' }),
  feedRecord(3, WITHDRAWN),
  feedRecord(5),
  feedRecord(10, NPM),
];

test('each id of the platform that differs is listed once, by descending id, with the item if it is listed now', async (t) => {
  const { server, ids } = await serve(t, [FIRST, SECOND]);
  const response = await server.request(`/changes?since=${ids[0]}`);
  const page: ChangesPage = response.json();
  assert.equal(say(page), '5 added, 4 removed, 3 withdrawn, 2 changed');
  assert.deepEqual([page.since, page.snapshot], ids);
  assert.deepEqual(page.cursor, { next_cursor: null, has_more: false, per_page: 100 });
  const all = (await server.request('/all')).json().vulnerabilities;
  for (const { id, vulnerability } of page.changes) {
    assert.deepEqual(
      vulnerability,
      all.find((item: { id: number }) => item.id === id),
    );
  }
  assert.equal(response.headers.get('etag'), (await server.request('/all')).headers.get('etag'));
  const npm = (await server.request(`/changes?since=${ids[0]}&platform=NPM`)).json();
  assert.equal(say(npm), '10 added, 9 removed');
});

test('with include=details the items have details', async (t) => {
  const { server, ids } = await serve(t, [FIRST, [feedRecord(1, { details: 'Look' }), ...FIRST.slice(1)]]);
  const { changes } = (await server.request(`/changes?since=${ids[0]}&include=details`)).json();
  assert.equal(changes.length, 1);
  assert.equal(changes[0].vulnerability.advisory_details, 'Look');
});

test('a page is made in steps, one for each id that it looks at', async (t) => {
  const { server, ids } = await serve(t, [FIRST]);
  const since = server.swap.current();
  assert.ok(since);
  await server.publish(SECOND, BUILT_AT_MS + 1_000);
  const generation = server.swap.current();
  assert.ok(generation);
  const context: HandlerContext = {
    generation,
    kept: [
      { generation, changedIds: findChangedIds(since, generation) },
      { generation: since, changedIds: undefined },
    ],
    memory: new ThreadMemory(generation),
    prepared: undefined,
    own: new OwnAddress(),
    nowMs: 0,
    latestAnchor: 'snapshot',
  };
  const asked = { query: `since=${ids[0]}&include=details`, ifNoneMatch: '' };
  assert.equal([...handleChanges(asked, [], context)].length, 4, 'ids 5, 4, 3 and 2');
});

test('a difference that only the page of an advisory shows counts as changed', async (t) => {
  const { server, ids } = await serve(t, [
    FIRST,
    [feedRecord(1, { description: 'Other' }), ...FIRST.slice(1)],
  ]);
  assert.equal(say((await walk(server, `since=${ids[0]}`))[0]), '1 changed');
});

test('since the snapshot itself nothing changed', async (t) => {
  const { server, ids } = await serve(t, [FIRST, SECOND]);
  for (const id of ids) {
    const page: ChangesPage = (await server.request(`/changes?since=${id}&snapshot=${id}`)).json();
    assert.deepEqual([page.since, page.snapshot, page.changes, page.cursor.has_more], [id, id, [], false]);
  }
});

test('over several snapshots an id is listed by what it was and what it is', async (t) => {
  const { server, ids } = await serve(t, [
    [feedRecord(1), feedRecord(2), feedRecord(3), feedRecord(4), feedRecord(5)],
    [
      feedRecord(2, { title: 'B' }),
      feedRecord(3),
      feedRecord(4, WITHDRAWN),
      feedRecord(5, { title: 'B' }),
      feedRecord(6),
      feedRecord(7),
    ],
    [
      feedRecord(1),
      feedRecord(2),
      feedRecord(3),
      feedRecord(4),
      feedRecord(5, WITHDRAWN),
      feedRecord(6, { title: 'C' }),
      feedRecord(8, WITHDRAWN),
    ],
  ]);
  // 1 was removed and added, 2 changed and changed back, 4 withdrawn and restored; 7 was added and removed, 8
  // never listed.
  assert.equal(
    say((await walk(server, `since=${ids[0]}`))[0]),
    '6 added, 5 withdrawn, 4 changed, 2 changed, 1 changed',
  );
  assert.equal(
    say((await walk(server, `since=${ids[1]}`))[0]),
    '7 removed, 6 changed, 5 withdrawn, 4 added, 2 changed, 1 added',
  );
  const [first] = await walk(server, `since=${ids[0]}&snapshot=${ids[1]}`);
  assert.equal(say(first), '7 added, 6 added, 5 changed, 4 withdrawn, 2 changed, 1 removed');
  assert.equal(first.changes[0].vulnerability?.id, 7, 'as that snapshot lists it');
});

test('after a roll-back the snapshot that it replaced is still held, and what changed leads back', async (t) => {
  const { server, ids } = await serve(t, [FIRST, SECOND]);
  const live = server.swap.current()?.parts ?? assert.fail();
  const file = readdirSync(server.folder).find((name) => name.includes(ids[0])) ?? assert.fail();
  const order = { file, id: ids[0], newerThan: live, orderedAtMs: 0 };
  writeMarker(join(server.folder, ROLL_BACK_FILE), formatRollBack(order));
  server.swap.scan({ includeFresh: true });
  assert.equal((await server.request('/all')).headers.get('etag')?.slice(1, 17), ids[0]);
  const pinned = await server.request(`/all?snapshot=${ids[1]}`);
  assert.equal(pinned.json().vulnerabilities[0].id, 5);
  assert.equal(say((await walk(server, `since=${ids[1]}`))[0]), '5 removed, 4 added, 3 added, 2 changed');
  const unknown = await server.request(`/all?snapshot=${'0'.repeat(16)}`);
  assert.deepEqual(unknown.json().snapshots, ids);
});

test('pages follow one another by the cursor, also across a swap with the snapshot of the first page', async (t) => {
  const many = Array.from({ length: 25 }, (_, i) => feedRecord(i + 1));
  const { server, ids, publish } = await serve(t, [[feedRecord(1)], many]);
  const [whole, pages] = await walk(server, `since=${ids[0]}&per_page=7`);
  assert.equal(pages, 4);
  assert.deepEqual(
    whole.changes.map(({ id }) => id),
    many
      .slice(1)
      .map(({ id }) => id)
      .reverse(),
  );
  const first: ChangesPage = (await server.request(`/changes?since=${ids[0]}&per_page=20`)).json();
  assert.ok(first.cursor.has_more);
  await publish([feedRecord(1), feedRecord(30)]);
  const next = `cursor=${first.cursor.next_cursor}`;
  const [rest] = [
    (await server.request(`/changes?since=${ids[0]}&snapshot=${first.snapshot}&${next}`)).json(),
  ];
  assert.deepEqual(pluck(rest.changes, 'id'), [5, 4, 3, 2]);
  assert.equal(rest.cursor.has_more, false);
});

test('a page looks at a limited number of ids, and may have no items although more pages follow', async (t) => {
  const passing = Array.from({ length: 2_001 }, (_, i) => feedRecord(i + 10));
  const { server, ids } = await serve(t, [
    [feedRecord(1)],
    [feedRecord(1), ...passing],
    [feedRecord(1, { title: 'Other' })],
  ]);
  const first: ChangesPage = (await server.request(`/changes?since=${ids[0]}`)).json();
  assert.deepEqual([first.changes.length, first.cursor.has_more], [0, true]);
  const [whole, pages] = await walk(server, `since=${ids[0]}`);
  assert.deepEqual([say(whole), pages], ['1 changed', 2]);
});

test('bad parameters are named, a bad cursor has its own code', async (t) => {
  const { server, ids } = await serve(t, [FIRST, SECOND]);
  const [since] = ids;
  for (const [query, expected] of [
    ['', '422 invalid_parameter since'],
    ['since=', '422 invalid_parameter since'],
    ['since=%zz', '422 invalid_parameter since'],
    ['since=0123', '422 invalid_parameter since'],
    [`since=${since}&since=${since}`, '422 invalid_parameter since'],
    [
      `since=${since}&platform=gadget&per_page=501&include=x`,
      '422 invalid_parameter platform, per_page, include',
    ],
    [`since=${since}&per_page=0`, '422 invalid_parameter per_page'],
    [`since=${since}&cursor=nonsense`, '422 invalid_cursor cursor'],
    [`since=${since}&cursor=a&cursor=b`, '422 invalid_parameter cursor'],
    [`since=${since}&snapshot=12`, '422 invalid_parameter snapshot'],
    [`since=${ids[1]}&snapshot=${since}`, '422 invalid_parameter since'],
  ] as const) {
    assert.equal(outcomeOf(await server.request(`/changes?${query}`)), expected, query);
  }
});

test('a snapshot that is no longer held is 412, with what is there and what to do', async (t) => {
  const { server, ids } = await serve(t, [FIRST, SECOND, FIRST.slice(1)], { keepGenerations: 1 });
  const response = await server.request(`/changes?since=${ids[0]}`);
  assert.equal(outcomeOf(response), '412 unknown_snapshot');
  assert.deepEqual(response.json().snapshots, [ids[2], ids[1]]);
  assert.match(response.json().detail, /begin \/all with an empty cursor/);
  assert.equal((await server.request(`/changes?since=${ids[1]}&snapshot=${ids[0]}`)).status, 412);
});

test('until the changes are computed the answer is 503, and a moment later there', async (t) => {
  const { server, ids } = await serve(t, [FIRST, SECOND], { listsChanges: false });
  const response = await server.request(`/changes?since=${ids[0]}`);
  assert.equal(outcomeOf(response), '503 preparing');
  assert.equal(response.headers.get('retry-after'), '5');
  assert.equal((await server.request(`/changes?since=${ids[1]}`)).status, 200, 'none are needed');
  server.listChanges();
  assert.equal((await server.request(`/changes?since=${ids[0]}`)).status, 200);
});

test('a copy that follows the changes equals the list, from every snapshot to every later one', async (t) => {
  const dice = new Dice(printedSeed(t));
  const feeds = Array.from({ length: 6 }, (_, version) =>
    Array.from({ length: 60 }, (_, i) => i + 1)
      .filter(() => dice.chance(0.6))
      .map((id) =>
        feedRecord(id, {
          title: dice.chance(0.3) ? `In ${version}` : 'Same',
          ...(id % 3 === 0 ? NPM : {}),
          ...(dice.chance(0.2) ? WITHDRAWN : {}),
        }),
      ),
  );
  const { server, ids } = await serve(t, feeds);
  for (const platform of ['wordpress', 'npm']) {
    const listOf = async (id: string): Promise<Map<number, unknown>> => {
      const page = (await server.request(`/all?platform=${platform}&per_page=500&snapshot=${id}`)).json();
      return new Map(page.vulnerabilities.map((item: { id: number }) => [item.id, item]));
    };
    for (const [from, since] of ids.entries()) {
      const before = await listOf(since);
      for (const id of ids.slice(from)) {
        const copy = new Map(before);
        const [page] = await walk(server, `platform=${platform}&since=${since}&snapshot=${id}&per_page=7`);
        for (const { id, change, vulnerability } of page.changes) {
          assert.equal(copy.has(id), change !== 'added', `${id} ${change}`);
          if (vulnerability === undefined) copy.delete(id);
          else copy.set(id, vulnerability);
        }
        const sorted = (map: Map<number, unknown>) => [...map].sort(([a], [b]) => a - b);
        assert.deepEqual(sorted(copy), sorted(await listOf(id)));
      }
    }
  }
});
