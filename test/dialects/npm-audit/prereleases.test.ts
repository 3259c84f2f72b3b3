// Pre-releases in the bulk answer: named in the range, so that a client which compares by node-semver's
// default finds them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import semver from 'semver';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { startServer } from '../../support/serving/server.ts';

const REED = npmProduct('reed');
const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, {
        product: REED,
        affected: [span(null, '1.5.0', 'exclusive', '1.5.0'), span('2.0.0', '2.5.0', 'exclusive', '2.5.0')],
      }),
      feedRecord(2, { product: REED, affected: [span('2.1.0', '2.2.0')] }),
      feedRecord(3, { product: npmProduct('evil', 12), kind: 'malware', affected: [span(null, null)] }),
    ],
  },
);

/** The ranges in the answer, by advisory. */
async function rangesFor(name: string, versions: readonly string[]): Promise<Record<number, string>> {
  const response = await server.request('/-/npm/v1/security/advisories/bulk', {
    method: 'POST',
    body: JSON.stringify({ [name]: versions }),
  });
  assert.equal(response.status, 200, response.text);
  const listed = (response.json()[name] ?? []) as { id: number; vulnerable_versions: string }[];
  return Object.fromEntries(listed.map(({ id, vulnerable_versions }) => [id, vulnerable_versions]));
}

const PLAIN = { 1: '<1.5.0 || >=2.0.0 <2.5.0' };

test('an affected pre-release is named before the branches, whatever else was asked before', async () => {
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await rangesFor('reed', ['1.4.0']), PLAIN);
    assert.deepEqual(await rangesFor('reed', ['1.4.0-rc.1']), {
      1: '1.4.0-rc.1 || <1.5.0 || >=2.0.0 <2.5.0',
    });
  }
});

test('it is named by the advisories that apply to it, and by no other', async () => {
  assert.deepEqual(await rangesFor('reed', ['2.1.5-beta', '1.0.0-alpha', '3.0.0-rc.1', '1.0.0']), {
    1: '2.1.5-beta || 1.0.0-alpha || <1.5.0 || >=2.0.0 <2.5.0',
    2: '2.1.5-beta || >=2.1.0 <=2.2.0',
  });
});

test('under the default of node-semver the range holds every pre-release that was asked for', async () => {
  const asked = ['1.4.0-rc.1', '2.4.9-0', '2.5.0-alpha'];
  const ranges = await rangesFor('reed', asked);
  for (const version of asked) assert.ok(semver.satisfies(version, ranges[1]), version);
  assert.ok(!semver.satisfies('1.3.0-rc.1', ranges[1]));
});

test('malware of every version is named too', async () => {
  assert.deepEqual(await rangesFor('evil', ['1.0.0-rc.1']), { 3: '1.0.0-rc.1 || *' });
});

test('it is named once, in the strict form and without its build', async () => {
  assert.deepEqual(await rangesFor('reed', ['v1.4.0-rc.1', '1.4.0-rc.1+linux', '1.4.0rc.1']), {
    1: '1.4.0-rc.1 || <1.5.0 || >=2.0.0 <2.5.0',
  });
});

test('texts that only look like pre-releases change nothing', async () => {
  for (const odd of ['v1.4.0', '1.4.0+a-b', 'latest', '^1.0.0-rc.1', '-', 'x'.repeat(300)]) {
    assert.deepEqual(await rangesFor('reed', ['1.4.0', odd]), PLAIN, odd);
  }
});

test('a range names at most 20', async () => {
  const asked = Array.from({ length: 30 }, (_, i) => `1.0.${i}-rc.1`);
  const { 1: range } = await rangesFor('reed', asked);
  assert.equal(range, `${asked.slice(0, 20).join(' || ')} || ${PLAIN[1]}`);
});
