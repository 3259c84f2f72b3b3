// The walk against this server and against scripted ones: resuming, unchanged servers, and servers that
// change in mid-walk.

import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type MirrorOptions, openMirror } from '../../../src/importers/mirror/mirror.ts';
import { PLATFORMS } from '../../../src/index/product-type.ts';
import { feedRecord, npmProduct } from '../../support/feeds/advisories.ts';
import { entriesOf } from '../../support/feeds/drafts.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';
import { PARTNER_KEY, startServer, type TestServer } from '../../support/serving/server.ts';
import { type Answer, type Asked, startWebServer, type WebServer } from '../../support/serving/web-server.ts';

/** The drafts' ids, and the rejects' reasons, in order. */
async function read(
  url: URL | string,
  changes: Partial<MirrorOptions> = {},
): Promise<readonly (number | string)[]> {
  const source = openMirror({
    url: String(url),
    key: PARTNER_KEY,
    environment: {},
    retries: { attempts: 3 },
    wait: async () => {},
    ...changes,
  });
  const entries = await entriesOf(source);
  return entries.map((entry) => {
    if (entry.kind === 'draft') return entry.draft.record.id ?? 'no id';
    return entry.kind === 'reject' ? JSON.stringify(entry.reject.problems) : entry.reason;
  });
}

/** Passes requests on to a server of this project, and lets a test answer some itself: true if it did. */
async function inFrontOf(
  t: FolderOwner,
  server: TestServer,
  before: (
    asked: Asked,
    response: Parameters<Answer>[1],
    number: number,
  ) => boolean | Promise<boolean> = () => false,
): Promise<WebServer> {
  return startWebServer(t, async (asked, response, number) => {
    if (await before(asked, response, number)) return;
    const { method, url, body, headers } = asked;
    const sent: Record<string, string> = { pskey: String(headers.pskey) };
    if (headers['if-none-match'] !== undefined) sent['if-none-match'] = headers['if-none-match'];
    const answer = await fetch(server.address + url, {
      method,
      headers: sent,
      ...(body === '' ? {} : { body }),
    });
    const etag = answer.headers.get('etag');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      ...(etag === null ? {} : { etag }),
    });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
}

/** More than two pages of plugins, and one package. */
const RECORDS = [
  ...Array.from({ length: 1100 }, (_, i) => feedRecord(i + 1)),
  feedRecord(5000, {
    product: npmProduct('pkg'),
    affected: [{ from_version: null, to_version: '1.0.0', to_bound: 'exclusive', fixed_in: null }],
  }),
];
const ALL_IDS = [...Array.from({ length: 1100 }, (_, i) => 1100 - i), 5000];

/** The first page of each platform but the first, whose pages are more. */
const LATER_PAGES = PLATFORMS.slice(1).map((platform) => `GET /all?platform=${platform}&cursor=`);
/** The files of the first pages. */
const FIRST_KEPT = PLATFORMS.map((platform) => `all-${platform}-1.kept`);

function pathsOf({ asked }: WebServer): string[] {
  return asked.map(
    ({ method, url }) => `${method} ${url.replace(/&per_page.*/, '').replace(/cursor=.+/, 'cursor=…')}`,
  );
}

test('a walk asks for each page once, then for the types of products, then whether anything changed', async (t) => {
  const front = await inFrontOf(t, await startServer(t, { records: RECORDS }));
  assert.deepEqual(await read(front.url), ALL_IDS);
  assert.deepEqual(pathsOf(front), [
    'GET /all?platform=wordpress&cursor=',
    'GET /all?platform=wordpress&cursor=…',
    'GET /all?platform=wordpress&cursor=…',
    'POST /batch',
    ...LATER_PAGES,
    'GET /all?platform=wordpress&cursor=',
  ]);
  assert.ok(front.asked.every(({ headers }) => headers.pskey === PARTNER_KEY));
});

test('a walk continues where another one broke off', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, { records: RECORDS });
  let isBroken = true;
  const front = await inFrontOf(t, server, ({ url }, response) => {
    if (!isBroken || !url.startsWith('/all?platform=npm')) return false;
    response.writeHead(500).end();
    return true;
  });
  await assert.rejects(read(front.url, { folder }), { code: 'status', message: /status 500/ });
  isBroken = false;
  const before = front.asked.length;
  assert.deepEqual(await read(front.url, { folder }), ALL_IDS);
  const after = { ...front, asked: front.asked.slice(before) };
  assert.deepEqual(pathsOf(after), [
    'GET /all?platform=wordpress&cursor=',
    ...LATER_PAGES,
    'GET /all?platform=wordpress&cursor=',
  ]);
  assert.ok(after.asked[0].headers['if-none-match']);
});

test('a walk takes an unchanged server from what was kept, and asks for what is missing there', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, { records: RECORDS });
  const front = await inFrontOf(t, server);
  await read(front.url, { folder });
  const more = ['all-wordpress-2.kept', 'all-wordpress-3.kept', 'type-plugin-1.kept'];
  assert.deepEqual(readdirSync(folder).sort(), [...FIRST_KEPT, ...more].sort());
  const before = front.asked.length;
  assert.deepEqual(await read(front.url, { folder }), ALL_IDS);
  assert.deepEqual(pathsOf({ ...front, asked: front.asked.slice(before) }), [
    'GET /all?platform=wordpress&cursor=',
    'GET /all?platform=wordpress&cursor=',
  ]);
  rmSync(join(folder, 'all-wordpress-2.kept'));
  const later = front.asked.length;
  assert.deepEqual(await read(front.url, { folder }), ALL_IDS);
  assert.equal(front.asked.length - later, 3);
});

test('a walk takes a changed server anew and keeps nothing of the old one', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, { records: RECORDS });
  await read(server.address, { folder });
  await server.publish(RECORDS.slice(0, 3), Date.UTC(2026, 0, 11));
  assert.deepEqual(await read(server.address, { folder }), [3, 2, 1]);
  assert.deepEqual(readdirSync(folder).sort(), [...FIRST_KEPT, 'type-plugin-1.kept'].sort());
});

test('a walk begins again when the server changes between two pages', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  const notices: string[] = [];
  const front = await inFrontOf(t, server, async (_, __, number) => {
    // The new advisory is above the cursor; the first page would not have shown it.
    if (number === 2) await server.publish([...RECORDS, feedRecord(4000)], Date.UTC(2026, 0, 11));
    return false;
  });
  const ids = await read(front.url, { onNotice: (line) => notices.push(line) });
  assert.deepEqual(ids, [4000, ...ALL_IDS]);
  assert.deepEqual(notices, [
    `${front.url.href.slice(0, -1)}: the server changed its data during the walk; starting over`,
  ]);
});

test('a walk begins again when the server changes after the last page', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  let isChanged = false;
  const front = await inFrontOf(t, server, async ({ url }) => {
    if (!isChanged && url.startsWith('/batch')) {
      isChanged = true;
      await server.publish(RECORDS.slice(0, 2), Date.UTC(2026, 0, 11));
    }
    return false;
  });
  assert.deepEqual(await read(front.url), [2, 1]);
});

test('a walk ends when the server never stays the same', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  const front = await inFrontOf(t, server, async (_, __, number) => {
    await server.publish(RECORDS, Date.UTC(2026, 1, 1) + number * 1000);
    return false;
  });
  await assert.rejects(read(front.url), {
    code: 'unusable',
    message: /the server changed its data during each of 5 walks; try again when it is not being updated/,
  });
});

test('a walk survives errors and limits on the way', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  const waits: number[] = [];
  const front = await inFrontOf(t, server, (_, response, number) => {
    const status = new Map([
      [1, 503],
      [3, 429],
      [6, 500],
    ]).get(number);
    if (status === undefined) return false;
    response.writeHead(status, status === 500 ? {} : { 'retry-after': String(status) }).end('busy');
    return true;
  });
  const ids = await read(front.url, { wait: async (ms) => waits.push(ms) });
  assert.deepEqual(ids, ALL_IDS);
  assert.deepEqual(waits.slice(0, 2), [503_000, 429_000]);
  assert.equal(waits.length, 3);
});

/** A server that is not this one: two pages of one advisory each, and products that are themes. */
function otherServer({ tagOf }: { readonly tagOf: (url: string) => string | undefined }): Answer {
  const item = (id: number): object => ({
    id,
    title: `Advisory ${id}`,
    disclosed_at: '2026-01-02T03:04:05Z',
    created_at: '2026-01-02T03:04:05Z',
    url: 'https://advisories.example/1',
    vuln_type: 'XSS',
    product: { id: 1, name: 'Twin', slug: 'twin' },
    version_info: { affected: '1.0-2.0', fixed: '2.1', patched_ranges: [] },
  });
  return ({ url, body, headers }, response) => {
    const tag = tagOf(url);
    if (tag !== undefined && headers['if-none-match'] === tag) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(tag === undefined ? {} : { etag: tag }),
    });
    if (url.startsWith('/batch')) {
      const items = JSON.parse(body) as readonly { readonly type: string }[];
      const results = items.map(({ type }) => ({
        vulnerabilities: type === 'theme' ? [item(2), item(1)] : [],
      }));
      response.end(JSON.stringify(results));
      return;
    }
    const isListed = url.includes('platform=wordpress&');
    const isFirst = url.includes('cursor=&');
    const vulnerabilities = isListed ? [item(isFirst ? 2 : 1)] : [];
    const hasMore = isFirst && isListed;
    response.end(
      JSON.stringify({
        vulnerabilities,
        cursor: { next_cursor: hasMore ? 'next' : null, has_more: hasMore, per_page: 1 },
      }),
    );
  };
}

/** As a server of this project from before the package ecosystems answers: it has two platforms. */
function refusesPlatform(url: string, response: Parameters<Answer>[1]): boolean {
  if (/^\/all\?platform=(wordpress|npm)&/.test(url) || !url.startsWith('/all')) return false;
  response.writeHead(422, { 'content-type': 'application/json' });
  const errors = [{ parameter: 'platform', message: 'must be one of wordpress, npm' }];
  response.end(JSON.stringify({ code: 'invalid_parameter', errors }));
  return true;
}

test('an older server is copied without the platforms that it does not know, which are named', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServer(t, { records: RECORDS });
  const front = await inFrontOf(t, server, ({ url }, response) => refusesPlatform(url, response));
  const notices: string[] = [];
  const changes = { folder, onNotice: (line: string) => notices.push(line) };
  assert.deepEqual(await read(front.url, changes), ALL_IDS);
  const line =
    `${front.url.href.slice(0, -1)}: the server does not know these platforms, which are left out: ` +
    PLATFORMS.slice(2).join(', ');
  assert.deepEqual(notices, [line]);
  assert.deepEqual(await read(front.url, changes), ALL_IDS);
  assert.deepEqual(notices, [line, line]);
});

test('a server that refuses the first platform, or a later page of one, is not copied', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  for (const refused of [/^\/all\?platform=wordpress&/, /^\/all\?platform=wordpress&cursor=\w/]) {
    const front = await inFrontOf(t, server, ({ url }, response) => {
      if (!refused.test(url)) return false;
      response.writeHead(422).end();
      return true;
    });
    await assert.rejects(read(front.url), { code: 'status', message: /status 422/ });
  }
});

test('another make of server may tag each page', async (t) => {
  const folder = temporaryFolder(t);
  const front = await startWebServer(t, otherServer({ tagOf: (url) => JSON.stringify(url) }));
  assert.deepEqual(await read(front.url, { folder }), [2, 1]);
  const before = front.asked.length;
  assert.deepEqual(await read(front.url, { folder }), [2, 1]);
  const later = front.asked.slice(before).filter(({ method }) => method === 'GET');
  assert.ok(later.every(({ headers }) => headers['if-none-match'] !== undefined));
});

test('another make of server may tag nothing', async (t) => {
  const front = await startWebServer(t, otherServer({ tagOf: () => undefined }));
  assert.deepEqual(await read(front.url), [2, 1]);
});

test('another make of server may change without saying so: the first pages differ in the end', async (t) => {
  let number = 0;
  const answer = otherServer({ tagOf: () => undefined });
  const front = await startWebServer(t, async (asked, response, count) => {
    if (!asked.url.startsWith('/all') || number++ > 1) {
      await answer(asked, response, count);
      return;
    }
    const cursor = { next_cursor: null, has_more: false, per_page: 1 };
    response.end(JSON.stringify({ vulnerabilities: [], cursor }));
  });
  const notices: string[] = [];
  assert.deepEqual(await read(front.url, { onNotice: (line) => notices.push(line) }), [2, 1]);
  assert.equal(notices.length, 1);
});

test('another make of server must show in lookups what it lists', async (t) => {
  const answer = otherServer({ tagOf: () => '"a"' });
  const front = await startWebServer(t, (asked, response, number) => {
    if (!asked.url.startsWith('/batch')) return answer(asked, response, number);
    const count = (JSON.parse(asked.body) as readonly unknown[]).length;
    response.end(JSON.stringify(Array.from({ length: count }, () => ({ vulnerabilities: [] }))));
  });
  await assert.rejects(read(front.url), {
    message: /lookups of 1 products, such as "twin", do not show the advisories that the listing shows/,
  });
});

test('another make of server must not lead in a circle', async (t) => {
  const front = await startWebServer(t, (_, response) => {
    response.end('{"vulnerabilities":[{"id":1}],"cursor":{"next_cursor":"a","has_more":true,"per_page":1}}');
  });
  await assert.rejects(read(front.url), { message: /the cursor a leads back to an earlier page/ });
});

test('a server that goes on for ever is left when its answers have too many bytes, or take too long', async (t) => {
  let id = 2 ** 40;
  const front = await startWebServer(t, (_, response) => {
    id--;
    const cursor = { next_cursor: String(id), has_more: true, per_page: 1 };
    response.end(JSON.stringify({ vulnerabilities: [{ id }], cursor }));
  });
  await assert.rejects(read(front.url, { limits: { maxBytes: 10_000 } }), {
    code: 'too-large',
    message:
      /^http:\S+: all answers together have more than 10000 bytes; check the URL, or raise --mirror-max-bytes /,
  });
  assert.ok(front.asked.length < 1000);
  await assert.rejects(read(front.url, { limits: { maxMs: 50 } }), { code: 'too-slow' });
});

test('an answer that is not a page is shown by its beginning', async (t) => {
  const front = await startWebServer(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>Welcome ${PARTNER_KEY}`);
  });
  await assert.rejects(read(front.url), {
    code: 'unusable',
    message:
      /\/all: the answer \(text\/html\) is not JSON; it begins with: <html>Welcome \[secret\]; check that/,
  });
});
