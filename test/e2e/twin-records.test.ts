// One vulnerability that two databases publish, from an export to the answers of the OSV mount: one advisory
// where both records affect the same versions, and still both records.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { runCommand } from '../support/command.ts';
import { type OsvEventJson, type OsvJson, osvRecord } from '../support/feeds/osv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer } from '../support/serving/server.ts';

const UNTIL_2 = [{ introduced: '0' }, { fixed: '2.0.0' }];
const UNTIL_3 = [{ introduced: '0' }, { fixed: '3.0.0' }];

function record(
  id: string,
  aliases: readonly string[],
  packages: Readonly<Record<string, readonly OsvEventJson[]>>,
  ecosystem = 'PyPI',
  modified = '2026-03-01T10:00:00Z',
): OsvJson {
  const affected = Object.entries(packages).map(([name, events]) => ({
    package: { ecosystem, name },
    ranges: [{ type: 'ECOSYSTEM', events }],
  }));
  return osvRecord({ id, aliases, affected, modified, summary: `About ${id}` });
}

const GHSA = 'GHSA-aaaa-bbbb-cccc';
const PYSEC = 'PYSEC-2026-62';
const CVE = 'CVE-2026-1000';

const RECORDS = [
  record(PYSEC, [GHSA, CVE], { flask: UNTIL_2, quart: UNTIL_3 }, 'PyPI', '2026-03-02T10:00:00Z'),
  record(GHSA, [PYSEC, CVE], { flask: [{ introduced: '0' }, { fixed: '2.0' }], quart: UNTIL_2 }),
  record('GO-2026-0001', ['GHSA-gggg-oooo-0001'], { 'example.com/one': UNTIL_2 }, 'Go'),
  record('GHSA-gggg-oooo-0001', ['GO-2026-0001'], { 'example.com/one': UNTIL_2 }, 'Go'),
  record('RUSTSEC-2026-0001', ['GHSA-rrrr-uuuu-0001'], { one: UNTIL_2 }, 'crates.io'),
  record('GHSA-rrrr-uuuu-0001', [], { one: UNTIL_2 }, 'crates.io'),
  // Names a record that is not in the export.
  record('GHSA-aaaa-aaaa-0001', ['PYSEC-2026-63'], { lonely: UNTIL_2 }),
];

const folder = temporaryFolder({ after });
const server = await startServer({ after }, { snapshot: await compiled() });

async function compiled(): Promise<string> {
  const [path, out] = [join(folder, 'export.ndjson'), join(folder, 'twins.vdx')];
  writeFileSync(path, RECORDS.map((each) => JSON.stringify(each)).join('\n'));
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', path, '--out', out, '--json');
  if (ran.error !== undefined) throw ran.error;
  return out;
}

interface Vuln {
  readonly id: string;
  readonly modified: string;
  readonly aliases?: readonly string[];
  readonly affected: readonly { readonly package: { readonly name: string } }[];
  readonly database_specific: { readonly ids: readonly number[] };
}

async function queried(name: string, version: string, ecosystem = 'PyPI'): Promise<readonly Vuln[]> {
  const query = { package: { ecosystem, name }, version };
  const post = (path: string, body: unknown) =>
    server.request(path, { method: 'POST', body: JSON.stringify(body) });
  const { vulns = [] } = (await post('/osv/v1/query', query)).json();
  const [batch] = (await post('/osv/v1/querybatch', { queries: [query] })).json().results;
  const [full] = (await post('/osv/v1/querybatch?full=1', { queries: [query] })).json().results;
  assert.deepEqual(full.vulns ?? [], vulns);
  assert.deepEqual(
    batch.vulns ?? [],
    vulns.map(({ id, modified }: Vuln) => ({ id, modified })),
  );
  return vulns;
}

const idsOf = (vulns: readonly Vuln[]): string[] => vulns.map(({ id }) => id);

test('the product has one advisory, and the OSV mount gives both records, which name each other', async () => {
  const { vulnerabilities } = (await server.request('/product/pypi/flask/1.0.0')).json();
  assert.equal(vulnerabilities.length, 1);
  const both = await queried('flask', '1.0.0');
  assert.deepEqual(idsOf(both), [GHSA, PYSEC]);
  assert.deepEqual(
    both.map(({ aliases }) => aliases?.toSorted()),
    [
      [CVE, PYSEC],
      [CVE, GHSA],
    ],
  );
  assert.deepEqual(idsOf(await queried('flask', '2.0.0')), []);
  const go = await queried('example.com/one', '1.0.0', 'Go');
  assert.deepEqual(idsOf(go), ['GHSA-gggg-oooo-0001', 'GO-2026-0001']);
  const rust = await queried('one', '1.0.0', 'crates.io');
  assert.deepEqual(idsOf(rust), ['GHSA-rrrr-uuuu-0001', 'RUSTSEC-2026-0001']);
});

test('where the versions differ there are two advisories, each with the id of the other', async () => {
  const { vulnerabilities } = (await server.request('/product/pypi/quart/1.0.0')).json();
  assert.equal(vulnerabilities.length, 2);
  const both = await queried('quart', '1.0.0');
  assert.deepEqual(idsOf(both).toSorted(), [GHSA, PYSEC]);
  for (const { id, aliases = [] } of both) assert.ok(aliases.includes(id === GHSA ? PYSEC : GHSA));
  assert.deepEqual(idsOf(await queried('quart', '2.5.0')), [PYSEC]);
});

test('an id that no record of the export has finds the advisory that names it, and no record of its own', async () => {
  assert.deepEqual(idsOf(await queried('lonely', '1.0.0')), ['GHSA-aaaa-aaaa-0001']);
  assert.equal((await server.request('/osv/v1/vulns/PYSEC-2026-63')).json().id, 'GHSA-aaaa-aaaa-0001');
});

test('each id finds its record, with all packages of it, and an alias the record of GitHub', async () => {
  for (const [asked, id] of [
    [GHSA, GHSA],
    [PYSEC, PYSEC],
    ['pysec-2026-62', PYSEC],
    ['GO-2026-0001', 'GO-2026-0001'],
    ['RUSTSEC-2026-0001', 'RUSTSEC-2026-0001'],
    ['GHSA-rrrr-uuuu-0001', 'GHSA-rrrr-uuuu-0001'],
  ]) {
    const found: Vuln = (await server.request(`/osv/v1/vulns/${asked}`)).json();
    assert.equal(found.id, id, asked);
    if (id === GHSA || id === PYSEC) {
      assert.deepEqual(found.affected.map((each) => each.package.name).sort(), ['flask', 'quart']);
    }
  }
  for (const id of ['GHSA-gggg-oooo-0001', 'GO-2026-0001']) {
    const { status, text } = await server.request(`/vulnerability/${id}`);
    assert.equal(status, 200, `${id}: ${text}`);
  }
});

test('the files of an ecosystem have both records', async () => {
  const listed = async (path: string): Promise<string> => (await server.request(path)).text;
  const lines = (await listed('/osv/Go/modified_id.csv')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(',')[1]),
    ['GHSA-gggg-oooo-0001', 'GO-2026-0001'],
  );
  assert.equal(JSON.parse(await listed('/osv/Go/GO-2026-0001.json')).id, 'GO-2026-0001');
  assert.equal(JSON.parse(await listed(`/osv/PyPI/${PYSEC}.json`)).id, PYSEC);
});
