import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { CommandError } from '../../src/cli/command-error.ts';
import { addRefreshCommand } from '../../src/cli/refresh.ts';
import { withFileLock } from '../../src/files/lock-file.ts';
import { ItemView } from '../../src/index/items/item-view.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { runCommand } from '../support/command.ts';
import { type FeedJson, feedRecord, writeFeed } from '../support/feeds/advisories.ts';
import { listingItem } from '../support/feeds/listing-item.ts';
import { temporaryFolder } from '../support/folder.ts';
import { killWhen, runProgram } from '../support/process/program.ts';
import { PARTNER_KEY, startServer } from '../support/serving/server.ts';

const VERSION = '1.2.3';

interface Refreshed {
  readonly out: string;
  readonly err: string;
  readonly status: number;
  readonly message: string | undefined;
}

interface Scene {
  readonly folder: string;
  readonly feed: string;
  readonly snapshots: string;
  configure(changes?: object): void;
  refresh(...words: readonly string[]): Promise<Refreshed>;
  /** Names in the snapshot folder, hidden ones included. */
  names(): readonly string[];
  published(): readonly string[];
}

function records(count: number, changes: FeedJson = {}): FeedJson[] {
  return Array.from({ length: count }, (_, i) => feedRecord(i + 1, changes));
}

/** A configuration of one feed of ten advisories. */
function makeScene(t: TestContext): Scene {
  const folder = temporaryFolder(t);
  const feed = join(folder, 'feed.ndjson');
  const snapshots = join(folder, 'snapshots');
  const config = join(folder, 'refresh.json');
  const names = (): readonly string[] => readdirSync(snapshots).toSorted();
  const scene: Scene = {
    ...{ folder, feed, snapshots, names },
    configure: (changes = {}) => {
      const base = { sources: [{ feed: 'feed.ndjson' }], snapshots: 'snapshots' };
      writeFileSync(config, JSON.stringify({ ...base, ...changes }));
    },
    refresh: async (...words) => {
      const add = (program: Parameters<typeof addRefreshCommand>[0]): void =>
        addRefreshCommand(program, VERSION);
      const ownStatus = process.exitCode;
      process.exitCode = undefined;
      const { out, err, error } = await runCommand(add, 'refresh', '--config', config, ...words);
      const { exitStatus } = (error ?? {}) as Partial<CommandError>;
      const status = error === undefined ? Number(process.exitCode ?? 0) : (exitStatus ?? -1);
      process.exitCode = ownStatus; // the test runner's, once a test has failed
      return { out, err, status, message: error?.message };
    },
    published: () => names().filter((name) => name.endsWith('.vdx') && !name.startsWith('.')),
  };
  writeFeed(feed, records(10));
  scene.configure();
  return scene;
}

async function serveHttp(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

test('--quiet leaves the outcome to the exit status', async (t) => {
  const { refresh, configure } = makeScene(t);
  assert.deepEqual(await refresh('--quiet'), { out: '', err: '', status: 0, message: undefined });
  assert.deepEqual(await refresh('--quiet'), { out: '', err: '', status: 4, message: undefined });
  configure({ sources: [{ feed: 'gone.ndjson' }] });
  assert.match((await refresh('--quiet')).message ?? '', /gone\.ndjson: cannot be read/);
});

test('what is new is published; what is not new is not, with a status of its own', async (t) => {
  const { refresh, published, feed, snapshots } = makeScene(t);
  const first = await refresh();
  assert.equal(first.status, 0, first.message);
  assert.match(
    first.out,
    /^published 10 advisories as \S+\/vulndex-\d{8}T\d{6}Z-[0-9a-f]{16}\.vdx \(id [0-9a-f]{16}, 0\.0 MB, [\d.]+ s\)\n$/,
  );
  const names = published();
  assert.equal(names.length, 1);

  utimesSync(feed, 1, 1); // touched, but the same
  const second = await refresh();
  assert.equal(second.status, 4);
  assert.match(second.out, /^nothing is new since snapshot [0-9a-f]{16}, built 20.*Z \([\d.]+ s\)\n$/);
  assert.deepEqual(published(), names);
  assert.equal((await refresh('--unchanged-ok')).status, 0);

  writeFeed(feed, records(10, { title: 'Changed' }));
  assert.equal((await refresh()).status, 0);
  const added = published().filter((name) => !names.includes(name));
  assert.equal(added.length, 1);
  assert.equal(loadSnapshot(join(snapshots, added[0])).generation.advisoryCount, 10);
});

test('another configuration, a removed snapshot and data that became old count as new', async (t) => {
  const { refresh, published, configure, snapshots, feed } = makeScene(t);
  assert.equal((await refresh()).status, 0);
  writeFeed(join(feed, '..', 'second.ndjson'), [feedRecord(50)]);
  configure({ sources: [{ feed: 'feed.ndjson' }, { feed: 'second.ndjson' }] });
  assert.equal((await refresh()).status, 0);
  assert.equal((await refresh()).status, 4);
  for (const name of published()) rmSync(join(snapshots, name));
  assert.equal((await refresh()).status, 0);
  configure({ sources: [{ feed: 'feed.ndjson' }, { feed: 'second.ndjson' }], republish_after: '1h' });
  assert.equal((await refresh()).status, 4);
  configure({ sources: [{ feed: 'feed.ndjson' }, { feed: 'second.ndjson' }], republish_after: '1s' });
  const laterMs = Date.now() + 60_000;
  t.mock.method(Date, 'now', () => laterMs);
  assert.equal((await refresh()).status, 0);
});

test('a new snapshot is newer than every snapshot in the folder, even one ahead of the clock', async (t) => {
  const { refresh, published, snapshots, feed } = makeScene(t);
  await refresh();
  const [name] = published();
  const builtAt = loadSnapshot(join(snapshots, name)).generation.parts.builtAtMs;
  t.mock.method(Date, 'now', () => builtAt - 60_000);
  writeFeed(feed, records(11));
  assert.equal((await refresh()).status, 0);
  const times = published().map((each) => loadSnapshot(join(snapshots, each)).generation.parts.builtAtMs);
  assert.deepEqual(
    times.toSorted((a, b) => a - b),
    [builtAt, builtAt + 1],
  );
});

test('what is new is published even if the newest snapshot in the folder is damaged', async (t) => {
  const { refresh, published, snapshots, feed } = makeScene(t);
  await refresh();
  const [name] = published();
  const bytes = readFileSync(join(snapshots, name));
  bytes[bytes.length - 9] ^= 1;
  writeFileSync(join(snapshots, name), bytes);
  writeFeed(feed, records(11));
  const { status, err, message } = await refresh();
  assert.equal(status, 0, message);
  assert.match(err, /^warning: \S+\.vdx: snapshot rejected: checksum-mismatch.*; nothing is kept from it\n/);
  assert.match(err, /\nwarning: .*; not compared with it\n/);
});

test('with --json the outcome is one object', async (t) => {
  const { refresh, published, feed, configure } = makeScene(t);
  configure({ guards: { max_reject: 20 } });
  writeFileSync(feed, `${readFileSync(feed, 'utf8')}{"id": 0}\n`);
  const { out } = await refresh('--json');
  const { id, file, took_ms, total_bytes, sources, ...others } = JSON.parse(out);
  assert.ok(file.endsWith(`-${id}.vdx`) && took_ms >= 0 && total_bytes > 1000);
  assert.deepEqual(others, {
    ...{ outcome: 'published', advisories: 10, withdrawn: 0, rejects: 1 },
    ...{ rejects_file: `${file}.rejects.ndjson`, removed: [] },
  });
  assert.equal(published().length, 1);
  const [{ changed_at, age_ms, ...source }] = sources;
  assert.deepEqual(source, { name: 'feed', kind: 'feed', location: feed, status: 'new' });
  assert.ok(age_ms >= 0);
  const again = JSON.parse((await refresh('--json')).out);
  assert.deepEqual([again.outcome, again.id], ['unchanged', id]);
  assert.deepEqual([again.sources[0].status, again.sources[0].changed_at], ['unchanged', changed_at]);
});

test('the outcome says what became of each source, also when one fails', async (t) => {
  const { refresh, configure, feed } = makeScene(t);
  configure({ sources: [{ feed: 'feed.ndjson' }, { feed: 'gone.ndjson' }, { feed: 'feed.ndjson' }] });
  const { outcome, sources } = JSON.parse((await refresh('--json')).out);
  assert.equal(outcome, 'source-failed');
  assert.deepEqual(
    sources.map((each: { status: string; age_ms: number | null }) => [each.status, each.age_ms === null]),
    [
      ['new', false],
      ['failed', true],
      ['not-reached', true],
    ],
  );
  configure();
  await refresh();
  assert.equal((await refresh()).err, `feed (${feed}): unchanged for 1 s\n`);
});

test('--check-config says what would be fetched, shows no secret and touches nothing', async (t) => {
  const { refresh, configure, folder, feed } = makeScene(t);
  writeFileSync(join(folder, 'key'), 'secret-of-the-file\n');
  const web = { osv: 'https://127.0.0.1:9/all.zip?token=secret-of-the-url', key_file: 'key' };
  configure({ sources: [web, { feed: 'feed.ndjson' }], guards: { max_reject: 5 } });
  const before = readdirSync(folder);
  const { out, err, status } = await refresh('--check-config', '--max-shrink', '30');
  assert.deepEqual([err, status], ['', 0]);
  assert.equal(
    out.replaceAll(folder, '/x').replace(/(?<=\S) {2,}/g, '  '),
    'sources, in order of preference\n' +
      '  osv  https://127.0.0.1:9/all.zip  key from the file /x/key\n' +
      '  feed  /x/feed.ndjson\n' +
      'snapshots  /x/snapshots, of which 3 stay\n' +
      'ids  /x/snapshots/vulndex-ids.tsv\n' +
      'cache  /x/cache\n' +
      'guards  max_withdrawn 10, max_shrink 30, max_reject 5\n',
  );
  const json = await refresh('--check-config', '--json');
  const { outcome, sources } = JSON.parse(json.out);
  assert.equal(outcome, 'checked');
  assert.deepEqual(sources[1], {
    ...{ name: 'feed', kind: 'feed', location: feed, key_from: null, problem: null },
  });
  assert.doesNotMatch(out + json.out, /secret/);
  assert.deepEqual(readdirSync(folder), before);
});

test('--check-config refuses what a refresh would: a wrong field, a key or a source that is not there', async (t) => {
  const { refresh, configure } = makeScene(t);
  const check = (changes: object): Promise<Refreshed> => {
    configure(changes);
    return refresh('--check-config');
  };
  assert.equal((await check({ keeps: 1 })).status, 2);
  assert.match((await check({ prefer: ['osv'] })).message ?? '', /^prefer: osv: "osv" is not a source/);
  assert.match((await check({ ca_file: 'none.pem' })).message ?? '', /^ca_file \S+none\.pem: cannot be read/);
  const keyed = { sources: [{ feed: 'https://127.0.0.1:9/', key_file: 'none' }] };
  assert.match((await check(keyed)).message ?? '', /^key_file \S+none: cannot be read \(ENOENT\)$/);
  const missing = await check({ sources: [{ feed: 'gone.ndjson' }] });
  assert.deepEqual([missing.status, missing.message], [6, undefined]);
  assert.match(missing.err, /^vulndex: \S+gone\.ndjson: cannot be read \(ENOENT\)\n$/);
});

test('with --json an internal error is an outcome too', async (t) => {
  const { refresh, folder } = makeScene(t);
  mkdirSync(join(folder, 'cache', 'refresh.json'), { recursive: true }); // the state cannot replace a folder
  const { out, status } = await refresh('--json');
  assert.equal(status, -1);
  const { outcome, message } = JSON.parse(out);
  assert.equal(outcome, 'failed');
  assert.match(message, /^EISDIR: /);
});

test('old snapshots are removed, except for the newest', async (t) => {
  const { refresh, published, configure, feed } = makeScene(t);
  configure({ keep: 2 });
  const made: string[] = [];
  for (let round = 0; round < 4; round++) {
    writeFeed(feed, records(10 + round));
    const { out } = await refresh();
    made.push(/vulndex-\d{8}T\S*\.vdx/.exec(out)?.[0] ?? '');
    assert.equal(/removed 1 old snapshot\n$/.test(out), round >= 2, out);
  }
  assert.deepEqual(published(), made.slice(2).toSorted());
});

test('a guard refuses a snapshot that lost too much; a higher limit for one run lets it pass', async (t) => {
  const { refresh, published, feed, names } = makeScene(t);
  await refresh();
  const before = published();
  writeFeed(feed, records(7));
  const refused = await refresh('--json');
  assert.equal(refused.status, 5);
  assert.match(
    refused.err,
    /^published advisories: 7 after 10, 30\.0 % fewer.*\nall sources: 3 of 10 .*\n {2}10 gone: /,
  );
  assert.match(refused.message ?? '', /^refused: .*run this again with --max-withdrawn 30 --max-shrink \d+$/);
  const { outcome, message } = JSON.parse(refused.out);
  assert.deepEqual([outcome, message], ['refused', refused.message]);
  assert.deepEqual(published(), before);
  assert.ok(names().includes('.refused.vdx'));
  assert.equal((await refresh()).status, 5, 'it is not forgotten that this was refused');
  const limits = refused.message?.match(/--max-withdrawn .*$/)?.[0].split(' ') ?? [];
  assert.equal((await refresh(...limits)).status, 0);
  assert.equal(published().length, 2);
  assert.ok(!names().includes('.refused.vdx'));
});

test('a guard has the limits of the configuration', async (t) => {
  const { refresh, configure, feed } = makeScene(t);
  await refresh();
  writeFeed(feed, records(7));
  configure({ guards: { max_withdrawn: 29, max_shrink: 100 } });
  assert.equal((await refresh()).status, 5);
  configure({ guards: { max_withdrawn: 30, max_shrink: 100 } });
  assert.equal((await refresh()).status, 0);
});

test('a dry run says what would happen and publishes nothing', async (t) => {
  const { refresh, feed, names, folder } = makeScene(t);
  const { status, out } = await refresh('--dry-run');
  assert.equal(status, 0);
  assert.match(out, /^dry run: a snapshot would be published \(id [0-9a-f]{16}, /);
  assert.deepEqual(names(), []);
  assert.deepEqual(readdirSync(join(folder, 'cache')), []);
  assert.equal((await refresh()).status, 0);
  assert.equal((await refresh('--dry-run')).status, 4);
  writeFeed(feed, records(3));
  assert.equal((await refresh('--dry-run')).status, 5);
});

test('a source that fails leaves the folder as it was, with a status of its own', async (t) => {
  const { refresh, configure, names, folder, feed, published } = makeScene(t);
  await refresh();
  const before = names();
  const url = await serveHttp(t, (_, response) => response.writeHead(404).end('<h1>not here</h1>'));
  writeFileSync(join(folder, 'bad.zip'), 'PK\u0003\u0004 this is not a zip');
  writeFileSync(join(folder, 'bad.json'), '{"a": ');
  writeFileSync(join(folder, 'empty.ndjson'), '');
  mkdirSync(join(folder, 'rejected'));
  writeFileSync(join(folder, 'rejected', 'a.json'), '{"id": "A-1"}');
  const cases: readonly (readonly [source: object, message: RegExp])[] = [
    [{ feed: 'missing.ndjson' }, /missing\.ndjson: cannot be read \(ENOENT\)/],
    [{ feed: `${url}/feed.ndjson` }, /status 404 .*not here/],
    [{ osv: 'bad.zip' }, /bad\.zip/],
    [{ wordfence: 'bad.json' }, /bad\.json/],
    [{ feed: 'empty.ndjson' }, /empty\.ndjson: the file contains no advisories/],
    [{ osv: 'rejected' }, /(?:was|were) rejected .*max-reject allows 1 %/],
  ];
  for (const [source, message] of cases) {
    // One good source does not make up for a bad one.
    configure({ sources: [{ feed: 'feed.ndjson' }, source] });
    const failed = await refresh('--json');
    assert.equal(failed.status, 6, `${JSON.stringify(source)}: ${failed.message}`);
    assert.match(failed.message ?? '', message);
    assert.equal(JSON.parse(failed.out).outcome, 'source-failed');
    const left = names().filter((name) => !/stopped\.rejects\.ndjson$/.test(name));
    assert.deepEqual(left, before, JSON.stringify(source));
  }
  writeFileSync(join(folder, 'empty.ndjson'), '{"id": 0}\n');
  configure({ sources: [{ feed: 'empty.ndjson' }], guards: { max_reject: 100 } });
  const nothing = await refresh();
  assert.equal(nothing.status, 6);
  assert.match(nothing.message ?? '', /^there are no valid advisories to compile/);
  configure();
  writeFeed(feed, records(11));
  assert.equal((await refresh()).status, 0, 'and the next refresh works');
  assert.equal(published().length, 2);
});

const osv = (number: number, title: string): string =>
  JSON.stringify({
    schema_version: '1.7.0',
    id: `MAL-2026-${number}`,
    modified: '2026-01-02T03:04:05Z',
    published: '2026-01-01T00:00:00Z',
    summary: title,
    affected: [
      {
        package: { ecosystem: 'npm', name: `package-${number}` },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: `1.${number}.0` }] }],
      },
    ],
  });

test('ids stay the same from one refresh to the next, and are registered only by what is published', async (t) => {
  const { refresh, configure, folder, published, snapshots, feed } = makeScene(t);
  const tree = join(folder, 'osv');
  const ids = join(folder, 'registry', 'ids.tsv');
  const write = (from: number, to: number, title: string): void => {
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(tree);
    for (let n = from; n <= to; n++) writeFileSync(join(tree, `MAL-${n}.json`), osv(n, title));
  };
  const idsOf = (name: string): readonly (readonly [string, number])[] => {
    const { generation } = loadSnapshot(join(snapshots, name));
    return Array.from({ length: 12 }, (_, i) => i + 1).flatMap((n) =>
      generation.findNamed(`MAL-2026-${n}`).map((ordinal) => [String(n), generation.idAt(ordinal)] as const),
    );
  };
  write(1, 10, 'One');
  writeFeed(feed, [feedRecord(1)]);
  configure({ sources: [{ osv: 'osv' }, { feed: 'feed.ndjson' }], ids: 'registry/ids.tsv' });
  assert.equal((await refresh('--dry-run')).status, 0);
  assert.ok(!existsSync(ids));
  const first = await refresh();
  assert.equal(first.status, 0, first.message);
  const [before] = published();
  const registered = readFileSync(ids);
  assert.equal(idsOf(before).length, 10);

  write(5, 12, 'Two');
  assert.equal((await refresh()).status, 5);
  assert.deepEqual(readFileSync(ids), registered);
  write(2, 11, 'Two');
  const second = await refresh();
  assert.equal(second.status, 0, second.message);
  const [after] = published().filter((name) => name !== before);
  const known = new Map(idsOf(before));
  const now = idsOf(after);
  assert.deepEqual(
    now.filter(([n]) => known.has(n)),
    [...known].filter(([n]) => n !== '1'),
  );
  assert.ok(now.some(([n, id]) => n === '11' && ![...known.values()].includes(id)));
});

test('what is kept of a source changes nothing that a refresh says or publishes', async (t) => {
  const scenes = [makeScene(t), makeScene(t)];
  const said: unknown[][] = [[], []];
  for (const title of ['One', 'Two', 'Two']) {
    for (const [i, { folder, refresh, configure }] of scenes.entries()) {
      const tree = join(folder, 'osv');
      mkdirSync(tree, { recursive: true });
      for (let n = 1; n < 20; n++)
        writeFileSync(join(tree, `MAL-${n}.json`), osv(n, n < 3 ? title : 'Other'));
      writeFileSync(join(tree, 'MAL-20.json'), '{');
      configure({ sources: [{ osv: 'osv' }], guards: { max_reject: 10 }, republish_after: '1s' });
      const cache = join(folder, 'cache');
      const kept = existsSync(cache) ? readdirSync(cache).filter((name) => name.endsWith('.kept')) : [];
      assert.equal(kept.length, said[i].length === 0 ? 0 : 1);
      if (i === 1) for (const name of kept) rmSync(join(cache, name));
      utimesSync(join(tree, 'MAL-5.json'), said[i].length + 1, said[i].length + 1); // so that it counts as new
      const { status, message, err, out } = await refresh('--json');
      assert.equal(status, 0, message);
      const { file } = JSON.parse(out);
      const { generation } = loadSnapshot(file);
      const view = new ItemView(generation);
      const items = Array.from({ length: generation.advisoryCount }, (_, ordinal) => [
        ...[generation.idAt(ordinal), generation.sourceIdAt(ordinal), view.enter(ordinal).bareTitle()],
      ]);
      assert.equal(items.length, 19);
      const plain = (text: string): string => text.replaceAll(folder, '');
      said[i].push([plain(err), plain(readFileSync(`${file}.rejects.ndjson`, 'utf8')), items]);
    }
  }
  assert.deepEqual(said[0], said[1]);
  const [{ folder, refresh }] = scenes;
  const [name] = readdirSync(join(folder, 'cache')).filter((each) => each.endsWith('.kept'));
  writeFileSync(join(folder, 'cache', name), 'damaged');
  utimesSync(join(folder, 'osv', 'MAL-5.json'), 9, 9);
  const { status, err } = await refresh();
  assert.equal(status, 0);
  assert.match(err, /^warning: \S+\.kept: is truncated or damaged; what it still held is converted again\n/);
});

test('a lost registry of ids is noticed', async (t) => {
  const { refresh, configure, folder, published } = makeScene(t);
  const tree = join(folder, 'osv');
  mkdirSync(tree);
  for (const n of [5, 6, 7, 8]) writeFileSync(join(tree, `MAL-${n}.json`), osv(n, 'One'));
  configure({ sources: [{ osv: 'osv' }] });
  const first = await refresh();
  assert.equal(first.status, 0, first.message);
  rmSync(join(folder, 'snapshots', 'vulndex-ids.tsv'));
  writeFileSync(join(tree, 'MAL-1.json'), osv(1, 'One')); // read first, it gets the first number
  assert.equal((await refresh()).status, 5);
  assert.equal(published().length, 1);
});

test('sources on the web are fetched only if they changed, with their key, which is shown nowhere', async (t) => {
  const { refresh, configure, folder, feed, published } = makeScene(t);
  const asked: (string | undefined)[] = [];
  let tag = '"1"';
  const url = await serveHttp(t, (request, response) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers.authorization !== 'Bearer s3cret') {
      response.writeHead(401).end(`you sent ${request.headers.authorization}`);
    } else if (request.headers['if-none-match'] === tag) response.writeHead(304, { etag: tag }).end();
    else response.writeHead(200, { etag: tag }).end(readFileSync(feed));
  });
  writeFileSync(join(folder, 'key'), 's3cret\n');
  configure({ sources: [{ feed: `${url}/feed.ndjson`, key_file: 'key' }] });
  assert.equal((await refresh()).status, 0);
  assert.equal((await refresh()).status, 4);
  tag = '"2"'; // another tag, the same content
  assert.equal((await refresh()).status, 4);
  tag = '"3"';
  writeFeed(feed, records(11));
  assert.equal((await refresh()).status, 0);
  assert.deepEqual(asked, [undefined, '"1"', '"1"', '"2"']);
  assert.equal(published().length, 2);

  writeFileSync(join(folder, 'key'), 'wr0ng\n');
  const refused = await refresh('--json');
  assert.equal(refused.status, 6);
  assert.match(refused.message ?? '', /status 401/);
  assert.doesNotMatch(refused.out + refused.err + refused.message, /wr0ng/);
});

test('sources on the web need a key that is there', async (t) => {
  const { refresh, configure, folder } = makeScene(t);
  const source = (key: object): void =>
    configure({ sources: [{ feed: 'http://127.0.0.1:9/feed.ndjson', ...key }] });
  writeFileSync(join(folder, 'empty'), '\n');
  for (const [key, message] of [
    [{ key_file: 'nothing' }, /key_file \S+nothing: cannot be read \(ENOENT\)$/],
    [{ key_file: 'empty' }, /key_file \S+empty: its first line is empty; it must be the key$/],
    [
      { key_env: 'VULNDEX_NO_SUCH_KEY' },
      /key_env: the variable VULNDEX_NO_SUCH_KEY is not set; it must be the key$/,
    ],
  ] as const) {
    source(key);
    const { status, message: got } = await refresh();
    assert.equal(status, 2);
    assert.match(got ?? '', message);
  }
});

test('a source can be a server of this API; another server loads what is published', async (t) => {
  const { refresh, configure, folder } = makeScene(t);
  const origin = await startServer(t, { records: records(5) });
  const replica = await startServer(t, { records: [feedRecord(1)] });
  writeFileSync(join(folder, 'key'), PARTNER_KEY);
  configure({
    sources: [{ mirror: origin.address, key_file: 'key' }],
    snapshots: replica.folder,
    cache: join(folder, 'cache'),
  });
  const listed = async (server: typeof origin): Promise<string> => (await server.request('/all')).text;
  assert.equal((await refresh('--dry-run')).status, 0);
  assert.notEqual(await listed(replica), await listed(origin));
  const first = await refresh();
  assert.equal(first.status, 0, first.message);
  replica.swap.scan({ includeFresh: true });
  assert.equal(await listed(replica), await listed(origin));
  assert.equal((await refresh()).status, 4);
  await origin.publish(records(6), Date.UTC(2026, 0, 11));
  const second = await refresh();
  assert.equal(second.status, 0, second.message);
  replica.swap.scan({ includeFresh: true });
  assert.equal(await listed(replica), await listed(origin));
  assert.match(await listed(replica), /"id":6,/);
});

/** A server that tags each page of its two, with an advisory of npm on each. */
async function serveTwoPages(t: TestContext): Promise<{ url: string; titles: [string, string] }> {
  const titles: [string, string] = ['One', 'Two'];
  const url = await serveHttp(t, (request, response) => {
    const at = request.url?.includes('cursor=next') ? 1 : 0;
    const isNpm = request.url?.includes('platform=npm') ?? false;
    const etag = JSON.stringify([isNpm, at, titles[at]].join());
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304).end();
      return;
    }
    const item = listingItem({
      id: 2 - at,
      title: titles[at],
      product: { id: 7, name: 'left', slug: 'left' },
      version_info: { affected: '<= 1.5.0', patched_ranges: [], fixed: '' },
    });
    const hasMore = isNpm && at === 0;
    const cursor = { has_more: hasMore, next_cursor: hasMore ? 'next' : null };
    response.writeHead(200, { etag }).end(JSON.stringify({ vulnerabilities: isNpm ? [item] : [], cursor }));
  });
  return { url, titles };
}

test('a server of another make is new when any of its pages is', async (t) => {
  const { refresh, configure, folder, published } = makeScene(t);
  const { url, titles } = await serveTwoPages(t);
  writeFileSync(join(folder, 'key'), 'key');
  configure({ sources: [{ mirror: url, key_file: 'key' }] });
  const first = await refresh();
  assert.equal(first.status, 0, first.message);
  assert.equal((await refresh()).status, 4);
  titles[1] = 'Three';
  assert.equal((await refresh()).status, 0);
  assert.equal((await refresh()).status, 4);
  assert.equal(published().length, 2);
});

test('a download that was cut short is fetched again, though the server says that it is the same', async (t) => {
  const { refresh, configure, feed } = makeScene(t);
  const whole = gzipSync(readFileSync(feed));
  let isCut = true;
  const url = await serveHttp(t, (request, response) => {
    if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
    // Without a length the end of the connection is the end of the file.
    else
      response
        .writeHead(200, { etag: '"1"', connection: 'close' })
        .end(isCut ? whole.subarray(0, -20) : whole);
  });
  configure({ sources: [{ feed: `${url}/feed.ndjson.gz` }] });
  const cut = await refresh();
  assert.equal(cut.status, 6, cut.message);
  isCut = false;
  const { status, message } = await refresh();
  assert.equal(status, 0, message);
  assert.equal((await refresh()).status, 4);
});

test('a download that is too large ends the refresh, without a lock', async (t) => {
  const { folder, configure, names } = makeScene(t);
  const url = await serveHttp(t, (_, response) => {
    const send = (): void => {
      while (!response.destroyed && response.write('x'.repeat(100_000)));
      response.once('drain', send);
    };
    send();
  });
  configure({ sources: [{ feed: `${url}/feed.ndjson` }], max_download_bytes: 1_000_000 });
  const words = ['refresh', '--config', join(folder, 'refresh.json'), '--json'];
  const { status, stdout, stderr } = await runProgram(words);
  assert.equal(status, 6, stderr);
  assert.equal(JSON.parse(String(stdout)).outcome, 'source-failed');
  assert.match(stderr, /feed\.ndjson: larger than max_download_bytes \(1,000,000 bytes/);
  assert.deepEqual(names(), []);
});

test('a preference that names no source is a usage error, before anything is fetched', async (t) => {
  const { refresh, configure, names } = makeScene(t);
  configure({ sources: [{ feed: 'http://127.0.0.1:9/feed.ndjson' }], prefer: ['osv'] });
  const { status, message } = await refresh();
  assert.equal(status, 2);
  assert.match(message ?? '', /^prefer: osv: /);
  assert.deepEqual(names(), []);
});

test('two refreshes of one folder do not run at once', async (t) => {
  const { refresh, snapshots, names } = makeScene(t);
  mkdirSync(snapshots);
  await withFileLock(join(snapshots, '.refresh'), async () => {
    const { status, message, out } = await refresh('--json');
    assert.equal(status, 7);
    assert.match(message ?? '', /\.refresh\.lock is held by process \d+ on /);
    assert.equal(JSON.parse(out).outcome, 'busy');
    assert.deepEqual(names(), ['.refresh.lock']);
  });
  assert.equal((await refresh()).status, 0);
});

test('two refreshes that start together publish once', async (t) => {
  const { folder, published } = makeScene(t);
  const config = join(folder, 'refresh.json');
  const both = await Promise.all([1, 2].map(() => runProgram(['refresh', '--config', config])));
  const statuses = both.map(({ status }) => status).toSorted();
  assert.equal(statuses[0], 0, both.map(({ stderr }) => stderr).join(''));
  // The second finds the lock, or comes when the first has ended.
  assert.ok(statuses[1] === 7 || statuses[1] === 4, String(statuses[1]));
  assert.equal(published().length, 1);
});

test('two refreshes are not kept apart by the lock of one that was killed', async (t) => {
  const { refresh, snapshots, names } = makeScene(t);
  mkdirSync(snapshots);
  const lock = join(snapshots, '.refresh.lock');
  writeFileSync(lock, '17 another-host.invalid\n');
  utimesSync(lock, 1, 1);
  const { status, err } = await refresh();
  assert.equal(status, 0);
  assert.match(err, /^warning: removed \S+\.refresh\.lock, whose holder has ended\n/);
  assert.deepEqual(
    names().filter((name) => name.endsWith('.lock')),
    [],
  );
});

test('a signal ends a refresh without a lock or a partial file', async (t) => {
  const { folder, configure, names } = makeScene(t);
  const url = await serveHttp(t, (_, response) => response.writeHead(200).write('half of '));
  const cache = join(folder, 'cache');
  const isWriting = (): boolean =>
    existsSync(cache) && readdirSync(cache).some((name) => statSync(join(cache, name)).size > 0);
  configure({ sources: [{ feed: `${url}/feed.ndjson` }] });
  const { signal, status } = await runProgram(['refresh', '--config', join(folder, 'refresh.json')], {
    started: (child) => void killWhen(child, 'SIGTERM', isWriting),
  });
  assert.deepEqual([status, signal], [null, 'SIGTERM']);
  assert.deepEqual(names(), []);
  assert.deepEqual(readdirSync(join(folder, 'cache')), []);
});

test('the program exits with the status of the outcome', async (t) => {
  const { folder, feed, configure, snapshots } = makeScene(t);
  const config = join(folder, 'refresh.json');
  const run = async (...words: readonly string[]): Promise<readonly [number | null, string]> => {
    const { status, stderr, stdout } = await runProgram(['refresh', '--config', config, ...words]);
    return [status, stdout.toString() + stderr];
  };
  assert.deepEqual((await run())[0], 0);
  assert.deepEqual((await run())[0], 4);
  writeFeed(feed, records(2));
  assert.deepEqual((await run())[0], 5);
  rmSync(feed);
  const [status, output] = await run();
  assert.equal(status, 6);
  assert.match(
    output,
    /^vulndex: \S+feed\.ndjson: cannot be read \(ENOENT\); check the path and its permissions\n$/,
  );
  configure({ keep: 'all' });
  const [misused, problem] = await run('--json');
  assert.equal(misused, 2);
  assert.match(
    problem,
    /^\{"outcome":"misused","message":"\S+refresh\.json: keep: must be .*\}\nvulndex: \S+refresh\.json: keep: /,
  );
  configure({ snapshots: 'feed.ndjson' });
  writeFeed(feed, records(2));
  const [failed, reason] = await run();
  assert.equal(failed, 1);
  assert.match(reason, /^vulndex: \S+feed\.ndjson: cannot write there \(EEXIST\)/);
  assert.ok(existsSync(snapshots));
  assert.equal((await runProgram(['refresh'])).status, 2);
});
