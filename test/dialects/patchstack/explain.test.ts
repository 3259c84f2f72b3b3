// GET /explain/{type}/{name}/{version}, as a client sees it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ANY_VERSION } from '../../../src/index/lookup/lookup.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { pluck } from '../../support/pluck.ts';
import { outcomeOf, startServer } from '../../support/serving/server.ts';
import { sampleRecords } from '../../support/snapshots/snapshots.ts';
import { words } from '../../support/words.ts';

const MERGED = [
  { name: 'First', license: 'CC0-1.0', fields: ['title', 'affected'] },
  { name: 'Second', notice: 'Copyright Second', license_url: 'https://second.example', fields: ['cvss'] },
];
const RATED = { id: 21, type: 'plugin', slug: 'rated', name: 'Rated' };
const MIXED = { id: 22, type: 'plugin', slug: 'mixed', name: 'Mixed' };
const server = await startServer(
  { after },
  {
    records: [
      ...sampleRecords(),
      feedRecord(401, {
        product: npmProduct('merged', 14),
        affected: [span('1.0', '1.5', 'exclusive', '1.5')],
        sources: MERGED,
      }),
      feedRecord(501, { product: RATED, cvss: { score: 3.1 } }),
      feedRecord(502, { product: RATED, cvss: { score: 9.8 }, severity: 'Moderate', is_exploited: true }),
      feedRecord(503, { product: RATED, cvss: {} }),
      feedRecord(511, {
        product: MIXED,
        version_scheme: 'decimal',
        affected: [span('1.0', '2.5', 'inclusive', '3.0')],
      }),
      feedRecord(512, {
        product: MIXED,
        version_scheme: 'semver',
        affected: [span('1.2.0', '2.0.0', 'inclusive', '2.5.0')],
      }),
      feedRecord(513, {
        product: MIXED,
        version_scheme: 'semver',
        affected: [span('0', '1.2', 'exclusive', 'none yet')],
      }),
      feedRecord(601, {
        product: npmProduct('endless', 15),
        affected: [span('0', '1.3.0', 'exclusive', '1.3.0'), span('1.3.5', '1.4.0', 'exclusive', '1.4.0')],
      }),
      feedRecord(602, {
        product: npmProduct('endless', 15),
        affected: [span('1.3.0', '1.4.0', 'exclusive')],
      }),
      feedRecord(603, { product: npmProduct('endless', 15), affected: [span(null, null)] }),
      feedRecord(402, { product: npmProduct('merged', 14), affected: [span('2.0.0-rc.1', null)] }),
    ],
  },
);

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
async function explain(path: string): Promise<any> {
  const response = await server.request(`/explain/${path}`);
  assert.equal(response.status, 200, response.text);
  return response.json();
}

test('an explanation shows for each advisory whether it applies, what was compared and where its fields are from', async () => {
  const { advisories, ...rest } = await explain('npm/merged/1.2');
  assert.deepEqual(rest, {
    type: 'npm',
    name: 'merged',
    version: '1.2',
    known_product: true,
    readings: [
      {
        version_scheme: 'semver',
        parts: [
          { kind: 'major', text: '1' },
          { kind: 'minor', text: '2' },
          { kind: 'patch', text: '0' },
        ],
      },
    ],
    vulnerable: true,
    update_to: '1.5',
    lowest_clear: '1.5',
    fewest_left: null,
    axes: [{ version_scheme: 'semver', versions: ['1.0', '1.5', '2.0.0-rc.1'], below: 1, exact: false }],
    omitted_ranges: 0,
  });
  const range = { from_version: '1.0.0', to_version: '1.5.0', to_bound: 'exclusive', fixed_in: '1.5.0' };
  const [open, closed] = advisories;
  assert.deepEqual(closed, {
    id: 401,
    title: 'NPM: Advisory 401',
    url: 'https://advisories.example/401',
    cve: '2026-401',
    ghsa: '',
    severity: 'high',
    cvss: { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
    is_exploited: false,
    version_scheme: 'semver',
    applies: true,
    matched_range: range,
    ranges: [
      {
        ...range,
        decides: true,
        excluded_by: null,
        comparison: '1.0.0 <= 1.2 < 1.5.0',
        ...{ axis: 0, from_at: 0, to_at: 1, fixed_at: 1 },
      },
    ],
    sources: [
      { name: 'First', notice: '', license: 'CC0-1.0', license_url: '', fields: ['title', 'affected'] },
      {
        name: 'Second',
        notice: 'Copyright Second',
        license: '',
        license_url: 'https://second.example',
        fields: ['cvss'],
      },
    ],
  });
  assert.equal(open.applies, false);
  assert.equal(open.matched_range, null);
  assert.deepEqual(
    open.ranges.map((each: Record<string, unknown>) => [each.comparison, each.excluded_by, each.decides]),
    [['1.2 < 2.0.0-rc.1', 'from_version', false]],
  );
  assert.deepEqual(open.sources, []);
});

test('an explanation says how severe each advisory is, and whether it is exploited', async () => {
  const { advisories } = await explain('plugin/rated/1.0');
  assert.deepEqual(
    advisories.map((each: Record<string, unknown>) => [each.severity, each.cvss, each.is_exploited]),
    [
      [null, null, false],
      ['medium', { score: 9.8, vector: null }, true],
      ['low', { score: 3.1, vector: null }, false],
    ],
  );
});

test('an explanation places every bound and fix on its scheme’s axis, even one that no range begins or ends with', async () => {
  const { axes, advisories } = await explain('plugin/mixed/2.0');
  assert.deepEqual(axes, [
    { version_scheme: 'decimal', versions: ['1.0', '2.5', '3.0'], below: 1, exact: false },
    { version_scheme: 'semver', versions: ['1.2', '2.0.0', '2.5.0'], below: 1, exact: true },
  ]);
  const places = advisories.flatMap(({ ranges }: { ranges: Record<string, unknown>[] }) =>
    ranges.map(({ axis, from_at, to_at, fixed_at }) => [axis, from_at, to_at, fixed_at]),
  );
  assert.deepEqual(places, [
    [1, null, 0, null],
    [1, 0, 1, 2],
    [0, 0, 1, 2],
  ]);
  const beyond = await explain('plugin/mixed/not%20semver%201');
  assert.deepEqual(
    beyond.axes.map(({ below, exact }: Record<string, unknown>) => [below, exact]),
    [
      [0, false],
      [null, null],
    ],
  );
});

test('an explanation agrees with the lookup of the same version, including what to update to', async () => {
  for (const path of words(`
    plugin/gallery/1.1 plugin/gallery/2.0 wordpress/wordpress/4.1.9 npm/left/1.6.0 npm/@scope/right/1.4.0
    theme/PAPER/any%20thing npm/merged/2.0.0
  `)) {
    const { advisories, update_to, vulnerable } = await explain(path);
    const { vulnerabilities, update_to: expected } = (
      await server.request(`/product/${path}?fix=true`)
    ).json();
    const applying = advisories.filter(({ applies }: { applies: boolean }) => applies);
    assert.deepEqual(
      applying.map(({ id, matched_range }: Record<string, unknown>) => ({ id, matched_range })),
      vulnerabilities.map(({ id, matched_range }: Record<string, unknown>) => ({ id, matched_range })),
      path,
    );
    assert.equal(update_to, expected, path);
    assert.equal(vulnerable, vulnerabilities.length > 0, path);
  }
});

test('an explanation names the lowest clear version, even one below the version asked for', async () => {
  const { update_to, lowest_clear } = await explain('npm/merged/3.0.0');
  assert.deepEqual({ update_to, lowest_clear }, { update_to: null, lowest_clear: '1.5' });
});

test('where nothing is clear, an explanation names the version that leaves the fewest, and those', async () => {
  const { update_to, fewest_left } = await explain('npm/endless/1.0.0');
  assert.deepEqual(
    { update_to, fewest_left },
    { update_to: null, fewest_left: { version: '1.4.0', advisories: [603] } },
  );
});

test('an explanation has a reading for each scheme, and one for a range that excludes the version at its end', async () => {
  const { readings, advisories } = await explain('plugin/gallery/3.5');
  assert.deepEqual(
    readings.map((each: { version_scheme: string }) => each.version_scheme),
    ['php', 'decimal'],
  );
  const [{ ranges }] = advisories;
  assert.equal(ranges[0].comparison, '3.5 >= 3.5');
  assert.equal(ranges[0].excluded_by, 'to_version');
});

test('an explanation for an unknown product is empty, and still says how the version was read', async () => {
  const { known_product, readings, advisories, vulnerable } = await explain('plugin/nobody/1.0-beta');
  assert.deepEqual(
    { known_product, advisories, vulnerable },
    { known_product: false, advisories: [], vulnerable: false },
  );
  assert.deepEqual(pluck(readings[0].parts, 'text'), ['1', '0', 'beta']);
});

test('an explanation is not sent again while the snapshot is the same', async () => {
  const { headers } = await server.request('/explain/npm/left/1.0.0');
  const again = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
  assert.equal((await server.request('/explain/npm/left/1.0.0', again)).status, 304);
  assert.equal((await server.request('/explain/npm/left/latest', again)).status, 422);
});

test('a text that is not a version of the type is refused with what was expected, known product or not', async () => {
  for (const [path, message] of [
    [
      'npm/left/latest',
      'is not a version of this type of product: expected a semantic version, such as 1.2.3',
    ],
    [
      'npm/nobody/1.x',
      'is not a version of this type of product: expected a semantic version, such as 1.2.3',
    ],
    [
      'plugin/gallery/-',
      'is not a version of this type of product: expected a text with a letter a-z or a digit, such as 1.2.3',
    ],
    [`plugin/gallery/${ANY_VERSION}`, 'must be a concrete version'],
  ]) {
    const response = await server.request(`/explain/${path}`);
    assert.equal(outcomeOf(response), '422 invalid_parameter version', path);
    assert.deepEqual(response.json().errors, [{ parameter: 'version', message }]);
  }
});

test('each bad part of the path is refused', async () => {
  assert.equal(
    outcomeOf(await server.request(`/explain/plug-in/%ff/${'1'.repeat(257)}`)),
    '422 invalid_parameter type, name, version',
  );
});
