// Looks up the real records of the other ecosystems over a real socket and compares with the evaluation of
// the OSV schema under the native order of each. Each lookup is sent to the OSV mount, in batches, and to the
// contract's own product endpoint, with the slashes of its name bare or encoded.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { packageOf } from '../../src/dialects/osv/ecosystems.ts';
import { recordsOf } from '../../src/dialects/osv/records.ts';
import type { Generation } from '../../src/index/generation.ts';
import type { ProductType } from '../../src/index/product-type.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { runCommand } from '../support/command.ts';
import type { OsvJson } from '../support/feeds/osv.ts';
import {
  type KnownRecords,
  REAL_ECOSYSTEMS,
  readKnownRecords,
  readOsvRecords,
  realDataOptions,
} from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { packageUrl } from '../support/package-url.ts';
import { startServer, type TestServer } from '../support/serving/server.ts';

const BATCH = 1000;
const AT_A_TIME = 8;
const SHOWN = 10; // of the differences, in a failure

async function compileAll(t: TestContext, types: readonly ProductType[]): Promise<string> {
  const folder = temporaryFolder(t);
  const paths = types.map((type) => {
    const path = join(folder, `${type}.ndjson`);
    writeFileSync(path, readOsvRecords(type));
    return path;
  });
  const out = join(folder, 'all.vdx');
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', ...paths, '--out', out, '--json');
  if (ran.error !== undefined) throw ran.error;
  return out;
}

/**
 * PYSEC-2022-42972 lists 0.13.0 to 0.14.0rc1 before 0.12.2 to 0.13.0. In that order the schema's pseudocode
 * ends both at 0.13.0; the union of the listed pairs, which the server takes, agrees with CVE-2022-43766.
 */
const MORE: ReadonlyMap<string, string> = new Map(
  ['0.13.0', '0.13.0.0', '0.13.1', '0.13.1rc1', '0.13.2'].map((version) => [
    `pypi apache-iotdb ${version}`,
    'PYSEC-2022-42972',
  ]),
);

interface Difference {
  readonly asked: string;
  readonly missing: readonly string[];
  readonly extra: readonly string[];
}

function differences(known: readonly KnownRecords[], found: readonly (readonly string[])[]): Difference[] {
  return known.flatMap(({ type, name, version, ids }, i) => {
    const asked = `${type} ${name} ${version}`;
    const more = MORE.get(asked);
    const expected = more === undefined ? ids : [...ids, more];
    const missing = expected.filter((id) => !found[i].includes(id));
    const extra = found[i].filter((id) => !expected.includes(id));
    return missing.length + extra.length === 0 ? [] : [{ asked, missing, extra }];
  });
}

function assertNone(t: TestContext, known: readonly KnownRecords[], different: readonly Difference[]): void {
  t.diagnostic(`${known.length - different.length} of ${known.length} are right`);
  const shown = different.slice(0, SHOWN).map((each) => JSON.stringify(each));
  assert.equal(different.length, 0, `${different.length} answers differ:\n${shown.join('\n')}`);
}

const nameOf = ({ type, name, version }: KnownRecords): object => ({
  package: packageOf(type, name),
  version,
});
const purlOf = ({ type, name, version }: KnownRecords): object => ({
  package: { purl: packageUrl(type, name, version) },
});

async function askBatches(
  server: TestServer,
  known: readonly KnownRecords[],
  queryOf = nameOf,
): Promise<string[][]> {
  const found: string[][] = [];
  for (let at = 0; at < known.length; at += BATCH) {
    const queries = known.slice(at, at + BATCH).map((each) => queryOf(each));
    const response = await server.request('/osv/v1/querybatch', {
      method: 'POST',
      body: JSON.stringify({ queries }),
    });
    assert.equal(response.status, 200, response.text);
    for (const { vulns = [] } of response.json().results) {
      found.push(vulns.map(({ id }: { readonly id: string }) => id));
    }
  }
  return found;
}

/** The sources' ids of the advisories that a product's lookup lists. */
async function askProducts(
  server: TestServer,
  generation: Generation,
  known: readonly KnownRecords[],
): Promise<string[][]> {
  const found: string[][] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < known.length) {
      const at = next++;
      const { type, name, version } = known[at];
      // Names with bare slashes in every other path.
      const part = at % 2 === 0 ? encodeURIComponent(name) : name;
      const path = `/product/${type}/${part}/${encodeURIComponent(version)}`;
      const response = await server.request(path);
      assert.equal(response.status, 200, `${path}: ${response.text}`);
      const listed: readonly { readonly id: number }[] = response.json().vulnerabilities;
      found[at] = listed.map(({ id }) => recordsOf(generation).idOf(generation.findId(id)!));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return found;
}

/** How tools that do not keep the names as published spell them. */
const RESPELLED: readonly (readonly [type: ProductType, respelled: (name: string) => string])[] = [
  ['golang', (name) => (name === 'stdlib' ? 'std' : name.toLowerCase())],
  ['cargo', (name) => name.replaceAll('-', '_')],
  ['cargo', (name) => name.replaceAll('_', '-')],
];

test('every real name in another spelling finds the same advisories', realDataOptions, async (t) => {
  const out = await compileAll(t, ['golang', 'cargo']);
  const { generation } = loadSnapshot(out);
  const server = await startServer(t, { snapshot: out });
  for (const [type, respelled] of RESPELLED) {
    const names = namesIn(type);
    const changed = new Set(names.filter((name) => respelled(name) !== name));
    t.diagnostic(`${type}: ${changed.size} of ${names.length} names are spelled otherwise`);
    assert.ok(changed.size > 0, type);
    for (const name of names) {
      const product = generation.findProduct(type, name);
      assert.notEqual(product, undefined, name);
      assert.equal(generation.findProduct(type, respelled(name)), product, name);
    }
    const asked = readKnownRecords(type)
      .filter(({ name }) => changed.has(name))
      .map((each) => ({ ...each, name: respelled(each.name) }));
    assertNone(t, asked, differences(asked, await askBatches(server, asked)));
    assertNone(t, asked, differences(asked, await askBatches(server, asked, purlOf)));
    assertNone(t, asked, differences(asked, await askProducts(server, generation, asked)));
  }
});

/** The names in all records of the type. */
function namesIn(type: ProductType): string[] {
  const { ecosystem } = packageOf(type, '');
  const records = readOsvRecords(type)
    .split('\n')
    .filter((line) => line !== '')
    .map((line): OsvJson => JSON.parse(line));
  const packages = records.flatMap(({ affected }) => affected.map((each) => each.package));
  return [...new Set(packages.filter((each) => each.ecosystem === ecosystem).map(({ name }) => name))];
}

test('the real records of other ecosystems give the known answers', realDataOptions, async (t) => {
  const out = await compileAll(t, REAL_ECOSYSTEMS);
  const { generation } = loadSnapshot(out);
  const server = await startServer(t, { snapshot: out });
  for (const type of REAL_ECOSYSTEMS) {
    const known = readKnownRecords(type);
    await t.test(`${type}, in batches of OSV`, async (sub) => {
      assertNone(sub, known, differences(known, await askBatches(server, known)));
    });
    await t.test(`${type}, by product`, async (sub) => {
      assertNone(sub, known, differences(known, await askProducts(server, generation, known)));
    });
  }
});
