// The real lookups of every ecosystem, asked as Dependency-Check and auditjs ask, 128 packages at a time. The
// ids are those that the evaluation of the OSV schema gives; of npm, those that the known answers have.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { MAX_COORDINATES } from '../../src/dialects/oss-index/coordinates.ts';
import { recordsOf } from '../../src/dialects/osv/records.ts';
import { runCommand } from '../support/command.ts';
import {
  REAL_ECOSYSTEMS,
  readKnownLookups,
  readKnownRecords,
  readOsvRecords,
  realDataOptions,
} from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { packageUrl } from '../support/package-url.ts';
import { startServer, type TestServer } from '../support/serving/server.ts';
import { realGeneration, realSnapshot } from '../support/snapshots/generation.ts';

const SHOWN = 10; // of the differences, in a failure

interface Report {
  readonly coordinates: string;
  readonly description: string;
  readonly vulnerabilities: readonly { readonly id: string }[];
}

interface Known {
  readonly purl: string;
  /** In any order. */
  readonly ids: readonly string[];
}

async function reportsOf(server: TestServer, purls: readonly string[]): Promise<readonly Report[]> {
  const reports: Report[] = [];
  for (let at = 0; at < purls.length; at += MAX_COORDINATES) {
    const coordinates = purls.slice(at, at + MAX_COORDINATES);
    const response = await server.request('/oss-index/api/v3/component-report', {
      method: 'POST',
      body: JSON.stringify({ coordinates }),
    });
    assert.equal(response.status, 200, response.text);
    reports.push(...(response.json() as readonly Report[])); // checked against the OpenAPI document
  }
  return reports;
}

async function assertKnown(t: TestContext, server: TestServer, known: readonly Known[]): Promise<void> {
  const reports = await reportsOf(
    server,
    known.map(({ purl }) => purl),
  );
  assert.equal(reports.length, known.length);
  const different = known.flatMap(({ purl, ids }, i) => {
    const { coordinates, description, vulnerabilities } = reports[i];
    const found = vulnerabilities.map(({ id }) => id).sort();
    const isRight = coordinates === purl && description === '' && String(found) === String([...ids].sort());
    return isRight ? [] : [JSON.stringify({ purl, ids, ...reports[i], vulnerabilities: found })];
  });
  t.diagnostic(`${known.length - different.length} of ${known.length} are right`);
  assert.equal(different.length, 0, different.slice(0, SHOWN).join('\n'));
}

/** What the server gives beyond the schema's pseudocode: see ecosystems.test.ts. */
const MORE: ReadonlyMap<string, string> = new Map(
  ['0.13.0', '0.13.0.0', '0.13.1', '0.13.1rc1', '0.13.2'].map((version) => [
    `pkg:pypi/apache-iotdb@${version}`,
    'PYSEC-2022-42972',
  ]),
);

test('the real lookups of other ecosystems find their records', realDataOptions, async (t) => {
  const folder = temporaryFolder(t);
  const exports = REAL_ECOSYSTEMS.map((type) => {
    const path = join(folder, `${type}.ndjson`);
    writeFileSync(path, readOsvRecords(type));
    return path;
  });
  const out = join(folder, 'all.vdx');
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', ...exports, '--out', out, '--json');
  if (ran.error !== undefined) throw ran.error;
  const server = await startServer(t, { snapshot: out });
  for (const type of REAL_ECOSYSTEMS) {
    await t.test(type, async (sub) => {
      const known = readKnownRecords(type).map(({ name, version, ids }): Known => {
        const purl = packageUrl(type, name, version);
        return { purl, ids: [...ids, MORE.get(purl) ?? []].flat() };
      });
      assert.ok(known.length > 500);
      await assertKnown(sub, server, known);
    });
  }
});

test('the real lookups of npm find their advisories', realDataOptions, async (t) => {
  const server = await startServer(t, { snapshot: await realSnapshot('npm') });
  const generation = await realGeneration('npm');
  const records = recordsOf(generation);
  const lookups = readKnownLookups('npm').filter(
    ({ q, invalid }) => q.type === 'npm' && q.version !== '*' && invalid === undefined,
  );
  const known = lookups.map(({ q, expect = [] }): Known => {
    const ids = expect.map(({ id }) => records.idOf(records.headOf(generation.findId(id)!))); // all are there
    return { purl: packageUrl('npm', q.name, q.version), ids: [...new Set(ids)] };
  });
  assert.ok(known.length > 2_000);
  await assertKnown(t, server, known);
});
