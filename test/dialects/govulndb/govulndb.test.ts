// The layout of Go's database as its client reads it, from an export to the files.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { addCompileCommand } from '../../../src/cli/compile.ts';
import { runCommand } from '../../support/command.ts';
import { feedRecord, npmProduct } from '../../support/feeds/advisories.ts';
import { type OsvJson, osvRecord } from '../../support/feeds/osv.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { pluck } from '../../support/pluck.ts';
import { PARTNER_KEY, startServer } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const BASE = '/govulndb';
/** Where one transport alone is asked: quotas of anonymous callers would differ then. */
const KEYED = { PSKey: PARTNER_KEY };
const TOML = 'github.com/BurntSushi/toml';

type Entry = OsvJson['affected'][number];

function entry(name: string, events: readonly object[], more: object = {}, ecosystem = 'Go'): Entry {
  return { package: { ecosystem, name }, ranges: [{ type: 'SEMVER', events }], ...more } as Entry;
}

const go = (id: string, affected: readonly Entry[], more: object = {}): OsvJson =>
  osvRecord({ id, aliases: [], affected, modified: '2026-03-01T10:00:00Z', ...more });

const until = (version: string): object[] => [{ introduced: '0' }, { fixed: version }];
const SPECIFIC = { z: 1.5, imports: [{ symbols: ['Decode', 'A.B'], path: TOML, goos: ['linux'] }] };

const RECORDS: readonly OsvJson[] = [
  go(
    'GO-2026-0001',
    [entry(TOML, until('1.2.0'), { ecosystem_specific: SPECIFIC }), entry('a.example/b', until('2.0.0'))],
    {
      aliases: ['GHSA-aaaa-bbbb-cccc', 'CVE-2026-1'],
      modified: '2026-03-02T10:00:00Z',
    },
  ),
  // The same vulnerability of the first module, of a range of its own of the second.
  go('GHSA-aaaa-bbbb-cccc', [entry(TOML, until('1.2.0')), entry('a.example/b', until('2.5.0'))], {
    aliases: ['GO-2026-0001', 'CVE-2026-1'],
  }),
  go('GHSA-only-only-only', [
    entry(TOML, [{ introduced: '1.0.0' }, { last_affected: '1.3.0' }]),
    entry(TOML, until('9.9.9'), {}, 'npm'),
  ]),
  go('GO-2026-0002', [entry(TOML, [...until('1.1.0'), { introduced: '2.0.0' }])]),
  go('GO-2026-0003', [entry('stdlib', [{ introduced: 'go1.21' }, { fixed: 'go1.22rc1' }])]),
  go('GO-2026-0004', [entry(TOML, until('1.0.0'))], { withdrawn: '2026-03-01T00:00:00Z' }),
  go('GHSA-nnnn-nnnn-nnnn', [entry('left-pad', until('1.0.0'), {}, 'npm')]),
];

const folder = temporaryFolder({ after });
const server = await startServer({ after }, { snapshot: await compiled(), anonymous: ['govulndb'] });

async function compiled(): Promise<string> {
  const [path, out] = [join(folder, 'export.ndjson'), join(folder, 'go.vdx')];
  writeFileSync(path, RECORDS.map((each) => JSON.stringify(each)).join('\n'));
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', path, '--out', out, '--json');
  if (ran.error !== undefined) throw ran.error;
  return out;
}

const get = (path: string, init: RequestInit = {}) => server.request(`${BASE}/${path}`, init);
// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect by asserting on it
const json = async (path: string): Promise<any> => (await get(path)).json();

async function bytesOf(path: string): Promise<{ readonly headers: Headers; readonly bytes: Buffer }> {
  const response = await fetch(`${server.address}${BASE}/${path}`, {
    headers: { ...KEYED, 'Accept-Encoding': 'gzip' },
  });
  assert.equal(response.status, 200, path);
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

test('modules are listed by path with the vulnerabilities that they have, each once', async () => {
  const modified = '2026-03-01T10:00:00Z';
  assert.deepEqual(await json('index/modules.json'), [
    {
      path: 'a.example/b',
      vulns: [
        { id: 'GHSA-aaaa-bbbb-cccc', modified, fixed: '2.5.0' },
        { id: 'GO-2026-0001', modified: '2026-03-02T10:00:00Z', fixed: '2.0.0' },
      ],
    },
    {
      path: TOML,
      vulns: [
        { id: 'GHSA-only-only-only', modified, fixed: '1.3.1-0' },
        { id: 'GO-2026-0001', modified: '2026-03-02T10:00:00Z', fixed: '1.2.0' },
        { id: 'GO-2026-0002', modified },
      ],
    },
    { path: 'stdlib', vulns: [{ id: 'GO-2026-0003', modified, fixed: '1.22.0-rc.1' }] },
  ]);
});

test('the other files of the index say when all and each record changed', async () => {
  assert.deepEqual(await json('index/db.json'), { modified: '2026-03-02T10:00:00Z' });
  const vulns = await json('index/vulns.json');
  assert.deepEqual(
    pluck(vulns, 'id'),
    words('GHSA-aaaa-bbbb-cccc GHSA-only-only-only GO-2026-0001 GO-2026-0002 GO-2026-0003'),
  );
  assert.deepEqual(vulns[2], {
    id: 'GO-2026-0001',
    modified: '2026-03-02T10:00:00Z',
    aliases: ['GHSA-aaaa-bbbb-cccc', 'CVE-2026-1'],
  });
  assert.deepEqual(await json('index.json'), {
    'a.example/b': '2026-03-02T10:00:00Z',
    [TOML]: '2026-03-02T10:00:00Z',
    stdlib: '2026-03-01T10:00:00Z',
  });
});

test('a `.gz` is bytes of its own and not a content coding, whatever the client accepts', async () => {
  for (const path of [...words('index/db index/modules index/vulns'), 'ID/GO-2026-0001']) {
    const { headers, bytes } = await bytesOf(`${path}.json.gz`);
    assert.equal(headers.get('content-encoding'), null, path);
    assert.equal(headers.get('content-type'), 'application/gzip', path);
    assert.equal(gunzipSync(bytes).toString(), (await get(`${path}.json`)).text, path);
    const head = await get(`${path}.json.gz`, { method: 'HEAD' });
    assert.equal(head.status, 200, path);
    assert.equal(head.headers.get('content-length'), String(bytes.length), path);
    const again = await get(`${path}.json.gz`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
    assert.equal(again.status, 304, path);
  }
});

test('a record has what its source says of packages and symbols, byte for byte, and a page', async () => {
  const { text } = await get('ID/GO-2026-0001.json');
  assert.ok(text.includes(`"ecosystem_specific":${JSON.stringify(SPECIFIC)}`), text);
  const { database_specific, aliases, affected } = JSON.parse(text);
  assert.match(database_specific.url, /^https:/);
  assert.deepEqual(aliases, ['GHSA-aaaa-bbbb-cccc', 'CVE-2026-1']);
  assert.deepEqual(affected.map((each: Entry) => each.package.name).sort(), ['a.example/b', TOML]);
});

test('a record has the entries of modules alone, with the events that the client knows', async () => {
  const { affected } = await json('ID/GHSA-only-only-only.json');
  assert.deepEqual(pluck(affected, 'ranges'), [
    [{ type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '1.3.1-0' }] }],
  ]);
  const { affected: std } = await json('ID/GO-2026-0003.json');
  assert.deepEqual(std[0].ranges[0].events, [{ introduced: '1.21.0' }, { fixed: '1.22.0-rc.1' }]);
});

test('a withdrawn record is in no index, and says under its id when it was withdrawn', async () => {
  const { withdrawn, affected } = await json('ID/GO-2026-0004.json');
  assert.equal(withdrawn, '2026-03-01T00:00:00Z');
  assert.equal(affected.length, 1);
});

test('unknown names are a 404 of this mount', async () => {
  const codes = async (paths: readonly string[]): Promise<string[]> =>
    Promise.all(paths.map(async (path) => `${(await get(path)).status} ${(await json(path)).code}`));
  const records = words(`
    ID/GO-1999-1.json ID/GO-2026-0001 ID/go-2026-0001.json ID/CVE-2026-1.json ID/GHSA-nnnn-nnnn-nnnn.json
    ID/.json ID/.json.gz ID/%2e%2e%2findex%2fdb.json ID/%ZZ.json ID/GO-2026-0001.json.gz.gz
    left-pad.json github.com%2fBurntSushi%2ftoml.json github.com%2f!Burnt!sushi%2ftoml.json db.json
  `);
  for (const answer of await codes(records)) assert.equal(answer, '404 unknown_record');
  for (const answer of await codes(words('index/x.json index/modules index/ ID/a/b.json'))) {
    assert.equal(answer, '404 not_found');
  }
});

test('all records about a module are one file for clients of 2023, who escape capitals', async () => {
  const path = 'github.com/!burnt!sushi/toml.json';
  const bare = await fetch(`${server.address}${BASE}/${path}`, { headers: KEYED });
  const records = (await bare.json()) as OsvJson[]; // each is checked below
  assert.deepEqual(pluck(records, 'id').sort(), words('GHSA-only-only-only GO-2026-0001 GO-2026-0002'));
  const { text } = await get(path.replaceAll('/', '%2F'));
  assert.deepEqual(JSON.parse(text), records);
  assert.deepEqual(await json('stdlib.json'), [await json('ID/GO-2026-0003.json')]);
});

test('a key in the address of the database is read, as user and password or as user alone', async () => {
  const statusOf = async (userinfo: string): Promise<number> => {
    const Authorization = `Basic ${Buffer.from(userinfo).toString('base64')}`;
    return (await get('index/db.json', { headers: { PSKey: '', Authorization } })).status;
  };
  assert.equal(await statusOf(`ci:${PARTNER_KEY}`), 200);
  assert.equal(await statusOf(`${PARTNER_KEY}:`), 200);
  assert.equal(await statusOf('ci:wrong'), 401);
  assert.equal(
    (await get('index/db.json', { headers: { PSKey: '' } })).status,
    200,
    'the mount is anonymous',
  );
});

test('without data about modules there is no index, which would say that all are clean', async (t) => {
  const other = await startServer(t, { records: [feedRecord(1, { product: npmProduct('left-pad') })] });
  for (const path of words(
    'index/modules.json.gz index/modules.json index/db.json.gz index.json stdlib.json',
  )) {
    const { status, headers, text } = await other.request(`${BASE}/${path}`);
    assert.equal(`${status} ${JSON.parse(text).code}`, '404 no_go_data', path);
    assert.equal(headers.get('vulndex-unknown-ecosystems'), 'golang', path);
  }
});

test('a text that is no version is in no index, because no range would mean every version', async (t) => {
  const product = { id: 5, type: 'golang', slug: 'a.example/x', name: 'a.example/x' };
  const other = await startServer(t, {
    records: [
      feedRecord(1, { product, affected: [], affected_versions: ['nightly'], source_id: 'GO-2026-0009' }),
      feedRecord(2, {
        product: { ...product, slug: 'a.example/y', name: 'a.example/y' },
        affected: [],
        affected_versions: ['1.0.0', 'nightly'],
        source_id: 'GO-2026-0010',
      }),
    ],
  });
  const { text } = await other.request(`${BASE}/index/modules.json`);
  const modules = JSON.parse(text);
  assert.deepEqual(pluck(modules, 'path'), ['a.example/y']);
  const record = (await other.request(`${BASE}/ID/GO-2026-0009.json`)).json();
  assert.deepEqual(record.affected, []);
});
