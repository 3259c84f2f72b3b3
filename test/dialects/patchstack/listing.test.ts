// GET /all and GET /latest over a socket: which advisories, in which pages, and every field of one of them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { encodeCursor } from '../../../src/dialects/patchstack/page-parameters.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { outcomeOf, startServer, type TestServer } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const WORDPRESS_IDS = [70, 60, 50, 40, 30, 20, 10];
const NPM_IDS = [65, 55];
const HOUR_MS = 3_600_000;

const RICH = feedRecord(900, {
  title: 'Rich package: "quotes", ünïcode and \u2028 lines',
  details: '# Long\n\nText with `code`, "quotes" and 😀.',
  disclosed_at: '2026-04-21T10:38:34+02:00',
  created_at: '2026-04-20T23:30:00.750-01:30',
  url: 'https://advisories.example/npm/rich-900',
  vuln_type: 'Prototype Pollution',
  cves: ['CVE-2026-0900', '2026-0901'],
  ghsa: 'GHSA-aaaa-bbbb-cccc',
  is_exploited: true,
  patch_priority: 3,
  product: npmProduct('@scope/rich', 77),
  cvss: { score: 9.8, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
  cwe: { id: 1321, name: 'Prototype Pollution' },
  capec: { id: 77, name: 'Manipulating Variables' },
  references: [{ url: 'https://a.example/fix', title: 'The fix' }, { url: 'https://b.example/' }],
  affected: [
    span('3.0.0', null),
    span('2.0.0', '2.4.1', 'inclusive', '2.4.2'),
    span(null, '1.9.3', 'exclusive', '1.9.3'),
  ],
});

const BARE: FeedJson = {
  id: 901,
  title: 'NPM: Bare package',
  disclosed_at: '2026-04-21T00:00:00Z',
  created_at: '2026-04-21T00:00:00Z',
  url: 'https://advisories.example/npm/bare-901',
  vuln_type: 'Other',
  product: npmProduct('bare', 78),
  affected: [span(null, null)],
};

const server = await startServer(
  { after },
  {
    records: [
      ...[40, 10, 70, 20, 60, 30, 50].map((id) => feedRecord(id)),
      feedRecord(45, { withdrawn_at: '2026-01-05T00:00:00Z' }),
      ...NPM_IDS.map((id) => feedRecord(id, { product: npmProduct('lib') })),
      feedRecord(57, { product: npmProduct('lib'), withdrawn_at: '2026-01-05T00:00:00Z' }),
    ],
  },
);

const rich = await startServer({ after }, { records: [RICH, BARE] });

async function idsAt(path: string, from: TestServer = server): Promise<number[]> {
  const { vulnerabilities } = (await from.request(path)).json();
  return vulnerabilities.map((item: { id: number }) => item.id);
}

test('everything published on the platform is listed by descending id, WordPress by default', async () => {
  assert.deepEqual(await idsAt('/all'), WORDPRESS_IDS);
  assert.deepEqual(await idsAt('/all?platform=wordpress'), WORDPRESS_IDS);
  assert.deepEqual(await idsAt('/all?platform=npm'), NPM_IDS);
});

test('the platform is read in any case', async () => {
  for (const platform of ['NPM', 'Npm', 'nPm']) {
    assert.deepEqual(await idsAt(`/all?platform=${platform}`), NPM_IDS);
  }
  assert.deepEqual(await idsAt('/all?platform=WordPress'), WORDPRESS_IDS);
});

test('the first page gives its position and the next page', async () => {
  const { vulnerabilities, pagination } = (await server.request('/all?per_page=3')).json();
  assert.equal(vulnerabilities.length, 3);
  assert.deepEqual(pagination, {
    current_page: 1,
    per_page: 3,
    total: 7,
    total_pages: 3,
    has_next_page: true,
    has_previous_page: false,
    next_page: 2,
    previous_page: null,
    from: 1,
    to: 3,
  });
});

test('the last page may be short and points back', async () => {
  const { vulnerabilities, pagination } = (await server.request('/all?per_page=3&page=3')).json();
  assert.deepEqual(
    vulnerabilities.map((item: { id: number }) => item.id),
    [10],
  );
  assert.deepEqual(pagination, {
    current_page: 3,
    per_page: 3,
    total: 7,
    total_pages: 3,
    has_next_page: false,
    has_previous_page: true,
    next_page: null,
    previous_page: 2,
    from: 7,
    to: 7,
  });
});

test('without parameters the answer is page 1, with 100 per page', async () => {
  const { pagination } = (await server.request('/all')).json();
  assert.deepEqual([pagination.current_page, pagination.per_page, pagination.to], [1, 100, 7]);
});

test('a page past the end is empty and points back to the last page that exists', async () => {
  for (const page of [4, 5, 1000, Number.MAX_SAFE_INTEGER]) {
    const { vulnerabilities, pagination } = (await server.request(`/all?per_page=3&page=${page}`)).json();
    assert.deepEqual(vulnerabilities, []);
    assert.deepEqual(pagination, {
      current_page: page,
      per_page: 3,
      total: 7,
      total_pages: 3,
      has_next_page: false,
      has_previous_page: true,
      next_page: null,
      previous_page: 3,
      from: 0,
      to: 0,
    });
  }
});

test('if nothing matches there are no pages, and no previous page', async () => {
  for (const page of [1, 3]) {
    const { vulnerabilities, pagination } = (await rich.request(`/all?page=${page}`)).json();
    assert.deepEqual(vulnerabilities, []);
    assert.deepEqual(pagination, {
      current_page: page,
      per_page: 100,
      total: 0,
      total_pages: 0,
      has_next_page: false,
      has_previous_page: false,
      next_page: null,
      previous_page: null,
      from: 0,
      to: 0,
    });
  }
  const { vulnerabilities, cursor } = (await rich.request('/all?cursor=')).json();
  assert.deepEqual(vulnerabilities, []);
  assert.deepEqual(cursor, { next_cursor: null, has_more: false, per_page: 100 });
});

test('following the cursor from an empty one visits everything once, by descending id', async () => {
  for (const perPage of [1, 2, 3, 7, 8]) {
    const seen: number[] = [];
    let token: string | null = '';
    while (token !== null) {
      const path: string = `/all?per_page=${perPage}&cursor=${token}`;
      const { vulnerabilities, cursor, pagination } = (await server.request(path)).json();
      assert.equal(pagination, undefined);
      assert.equal(cursor.per_page, perPage);
      assert.equal(cursor.has_more, cursor.next_cursor !== null);
      seen.push(...vulnerabilities.map((item: { id: number }) => item.id));
      token = cursor.next_cursor;
    }
    assert.deepEqual(seen, WORDPRESS_IDS, `per_page ${perPage}`);
  }
});

test('a cursor without an equals sign is an empty one', async () => {
  assert.deepEqual((await server.request('/all?cursor')).json().cursor.has_more, false);
});

test('a cursor means ids below it, whether or not that id is listed', async () => {
  assert.deepEqual(await idsAt(`/all?cursor=${encodeCursor(40)}`), [30, 20, 10]);
  assert.deepEqual(await idsAt(`/all?cursor=${encodeCursor(45)}`), [40, 30, 20, 10]); // withdrawn
  assert.deepEqual(await idsAt(`/all?cursor=${encodeCursor(41)}`), [40, 30, 20, 10]); // never there
  assert.deepEqual(await idsAt(`/all?cursor=${encodeCursor(Number.MAX_SAFE_INTEGER)}`), WORDPRESS_IDS);
  assert.deepEqual(await idsAt(`/all?cursor=${encodeCursor(10)}`), []);
  assert.deepEqual(await idsAt(`/all?platform=npm&cursor=${encodeCursor(60)}`), [55]);
});

test('a cursor continues at its position after a new snapshot with more and fewer advisories', async (t) => {
  const changing = await startServer(t, { records: [10, 20, 30, 40].map((id) => feedRecord(id)) });
  const { cursor } = (await changing.request('/all?per_page=2&cursor=')).json();
  await changing.publish(
    [5, 10, 25, 35, 50].map((id) => feedRecord(id)),
    Date.UTC(2026, 0, 11),
  );
  assert.deepEqual(await idsAt(`/all?cursor=${cursor.next_cursor}`, changing), [25, 10, 5]);
});

test('a cursor that this service never wrote is refused, because an empty answer would mean the end', async () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  const tokens = [
    'x',
    '%20',
    '+',
    'null',
    '40',
    encoded('v1:'),
    encoded('v1:0'),
    encoded('v2:40'),
    encoded('40'),
    encoded('v1:9007199254740992'),
    encoded('v1:99999999999999999999'),
    'djE6NQ==', // padded
    'djE6NQ%3D%3D',
    'djE6NR', // bits that no byte has
    `${encodeCursor(40)}+`,
    `+${encodeCursor(40)}`,
    'djE6/w', // the other base64
    'a'.repeat(8192),
  ];
  for (const path of ['/all', '/latest']) {
    for (const token of tokens) {
      const outcome = outcomeOf(await server.request(`${path}?cursor=${token}`));
      assert.equal(outcome, '422 invalid_cursor cursor', `${path} ${token}`);
    }
  }
});

test('a cursor and a page exclude each other, even the empty cursor and page 1', async () => {
  for (const path of ['/all', '/latest']) {
    for (const query of [
      `page=1&cursor=`,
      `cursor=&page=1`,
      `page=2&cursor=${encodeCursor(5)}`,
      'page=1&cursor=x',
    ]) {
      const outcome = outcomeOf(await server.request(`${path}?${query}`));
      assert.equal(outcome, '422 invalid_parameter cursor', `${path}?${query}`);
    }
  }
});

test('an invalid value is refused, and the error names its parameter', async () => {
  const refused: Record<string, readonly string[]> = {
    per_page: [
      ...words('0 -1 501 1000 1e2 +5 %2B5'),
      '',
      ...words('%205 5%20 1.0 0x10 5, ten ٣ NaN 99999999999999999999'),
    ],
    page: ['0', '-1', '1e2', '+1', '%2B1', '', '1.5', 'one', '9007199254740992', '99999999999999999999'],
    platform: ['', 'drupal', 'wp', 'npm%20', '+npm', 'npm,wordpress', '__proto__'],
    include: ['', 'detail', 'Details', 'details,more', 'true', '1'],
  };
  for (const path of ['/all', '/latest']) {
    for (const [parameter, values] of Object.entries(refused)) {
      for (const value of values) {
        const outcome = outcomeOf(await server.request(`${path}?${parameter}=${value}`));
        assert.equal(outcome, `422 invalid_parameter ${parameter}`, `${path}?${parameter}=${value}`);
      }
    }
  }
});

test('the limits of per_page are valid', async () => {
  assert.deepEqual(await idsAt('/all?per_page=1'), [70]);
  assert.equal((await server.request('/all?per_page=500')).json().pagination.per_page, 500);
});

test('a path that is asked again answers each query by its own parameters, kept or not', async () => {
  const long = `per_page=4&${'x'.repeat(300)}`;
  for (const query of [
    'per_page=2',
    'per_page=2',
    'per_page=3',
    long,
    long,
    '',
    'per_page=2',
    'per_page=2',
  ]) {
    const asked = Number(/per_page=(\d)/.exec(query)?.[1] ?? 100);
    assert.deepEqual(await idsAt(`/all?${query}`), WORDPRESS_IDS.slice(0, asked), query);
    assert.equal(outcomeOf(await server.request('/all?per_page=0')), '422 invalid_parameter per_page');
  }
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await idsAt('/all?platform=npm'), NPM_IDS);
    assert.deepEqual(await idsAt('/latest?per_page=1'), (await idsAt('/latest')).slice(0, 1));
  }
});

test('what is refused again is refused in the same words, with an id of its own', async () => {
  for (const path of ['/all?per_page=0', '/latest?cursor=x', '/vulnerability/987654321']) {
    const bodies = new Set<string>();
    for (const own of ['r-1', 'r-2', 'r-3', 'r-1']) {
      const reply = await server.request(path, { headers: { 'X-Request-Id': own } });
      const { request_id: id, ...body } = reply.json();
      assert.equal(id, own, path);
      bodies.add(JSON.stringify(body));
    }
    assert.equal(bodies.size, 1, path);
  }
  assert.equal(
    outcomeOf(await server.request('/all?per_page=x&page=0')),
    '422 invalid_parameter per_page, page',
  );
  assert.equal(outcomeOf(await server.request('/all?cursor=x')), '422 invalid_cursor cursor');
});

test('a parameter given twice is refused, even with the same value, and so is a bad escape', async () => {
  const queries: Record<string, string> = {
    'per_page=5&per_page=5': 'per_page',
    'page=1&page=2': 'page',
    'cursor=&cursor=': 'cursor',
    'include=details&include=details': 'include',
    'platform=npm&platform=npm': 'platform',
    'platform=npm&pl%61tform=npm': 'platform',
    'per_page=%zz': 'per_page',
    'per_page=%': 'per_page',
    'platform=%FF': 'platform',
    'cursor=%E0%80': 'cursor',
  };
  for (const [query, parameter] of Object.entries(queries)) {
    assert.equal(
      outcomeOf(await server.request(`/all?${query}`)),
      `422 invalid_parameter ${parameter}`,
      query,
    );
  }
});

test('all bad parameters are named at once', async () => {
  const response = await server.request('/all?per_page=0&page=x&platform=y&include=z&cursor=!');
  assert.equal(outcomeOf(response), '422 invalid_parameter platform, per_page, page, include, cursor');
});

test('unknown parameters are ignored, whatever they contain', async () => {
  const { text } = await server.request('/all');
  for (const query of ['foo=1&foo=2', 'Page=0', 'per_page[]=0', 'x=%zz', '%zz=1', '&&=', '__proto__=1']) {
    assert.equal((await server.request(`/all?${query}`)).text, text, query);
  }
});

const RICH_ITEM = {
  id: 900,
  title: 'NPM: Rich package: "quotes", ünïcode and \u2028 lines',
  disclosed_at: '2026-04-21T08:38:34+00:00',
  created_at: '2026-04-21T01:00:00+00:00',
  url: 'https://advisories.example/npm/rich-900',
  vuln_type: 'Prototype Pollution',
  cve: '2026-0900',
  is_exploited: true,
  patch_priority: 3,
  product: { id: 77, name: '@scope/rich', slug: '@scope/rich' },
  cvss: { score: 9.8, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
  cwe: { id: 1321, name: 'Prototype Pollution' },
  capec: { id: 77, name: 'Manipulating Variables' },
  references: ['https://a.example/fix', 'https://b.example/'],
  ghsa: 'GHSA-aaaa-bbbb-cccc',
  version_info: {
    affected: '< 1.9.3 || >= 2.0.0 <= 2.4.1 || >= 3.0.0',
    fixed: '2.4.2',
    patched_ranges: [
      { from_version: '', to_version: '1.9.3', fixed_in: '1.9.3' },
      { from_version: '2.0.0', to_version: '2.4.1', fixed_in: '2.4.2' },
    ],
  },
};

test('every field of a list item has the value of the feed, in the format that clients know', async () => {
  const { vulnerabilities } = (await rich.request('/all?platform=npm')).json();
  assert.deepEqual(vulnerabilities[1], RICH_ITEM);
});

test('members that a feed omits are present but empty', async () => {
  const { vulnerabilities } = (await rich.request('/all?platform=npm')).json();
  assert.deepEqual(vulnerabilities[0], {
    id: 901,
    title: 'NPM: Bare package', // the prefix came with the feed and is not doubled
    disclosed_at: '2026-04-21T00:00:00+00:00',
    created_at: '2026-04-21T00:00:00+00:00',
    url: 'https://advisories.example/npm/bare-901',
    vuln_type: 'Other',
    cve: '',
    is_exploited: false,
    patch_priority: 1,
    product: { id: 78, name: 'bare', slug: 'bare' },
    cvss: { score: null, vector: null },
    cwe: { id: null, name: null },
    capec: { id: null, name: null },
    references: [],
    ghsa: '',
    version_info: { affected: '*', fixed: '', patched_ranges: [] },
  });
});

test('the fix is the highest on /all and the lowest on /latest', async () => {
  const latest = (await rich.request('/latest?platform=npm')).json().vulnerabilities[1];
  assert.deepEqual(latest, { ...RICH_ITEM, version_info: { ...RICH_ITEM.version_info, fixed: '1.9.3' } });
});

test('details come with include=details and change nothing else', async () => {
  for (const path of ['/all', '/latest']) {
    const plain = (await rich.request(`${path}?platform=npm`)).json().vulnerabilities;
    const detailed = (await rich.request(`${path}?platform=npm&include=details`)).json().vulnerabilities;
    const details = ['', '# Long\n\nText with `code`, "quotes" and 😀.'];
    assert.deepEqual(
      detailed,
      plain.map((item: object, i: number) => ({ ...item, advisory_details: details[i] })),
      path,
    );
  }
});

test('details do not change where a page or a cursor splits the list', async () => {
  for (const path of ['/all', '/latest']) {
    for (const query of ['per_page=3&page=2', `per_page=3&cursor=${encodeCursor(45)}`]) {
      assert.deepEqual(await idsAt(`${path}?${query}&include=details`), await idsAt(`${path}?${query}`));
    }
  }
});

test('affected versions read as a comparison, span by span in ascending order', async (t) => {
  const php = { id: 7, type: 'plugin', slug: 'gallery', name: 'Gallery' };
  const npm = npmProduct('lib');
  const cases: readonly [
    expected: string,
    product: FeedJson,
    affected: readonly FeedJson[],
    exact?: string[],
  ][] = [
    ['*', php, [span(null, null)]],
    ['<= 1.2', php, [span(null, '1.2')]],
    ['<= 1.2', php, [span(null, '1.2', 'last-affected')]],
    ['<= 1.2', php, [span(null, '1.2', null)]],
    ['< 1.2', php, [span(null, '1.2', 'exclusive')]],
    ['>= 1.0', php, [span('1.0', null)]],
    ['>= 1.0 <= 2.0', php, [span('1.0', '2.0')]],
    ['>= 1.0 < 2.0', php, [span('1.0', '2.0', 'exclusive')]],
    ['1.0', php, [span('1.0', '1.0')]],
    ['1.0 || 1.1 || 1.10', php, [], ['1.10', '1.0', '1.1']],
    [
      '< 1.0 || 1.5 || >= 2.0 < 3.0',
      php,
      [span('2.0', '3.0', 'exclusive'), span(null, '1.0', 'exclusive')],
      ['1.5'],
    ],
    ['<= v1.0-beta "x" \\', php, [span(null, 'v1.0-beta "x" \\')]],
    ['>= 1.0.0 <= 1.2.0', npm, [span('1', '1.2')]],
    ['>= 1.2.3 < 2.0.0-rc.1', npm, [span('v1.2.3', '2.0.0-rc.1', 'exclusive')]],
    ['1.2.3 || >= 2.0.0', npm, [span('2.0.0', null)], ['=1.2.3']],
  ];
  const shapes = await startServer(t, {
    records: cases.map(([, product, affected, exact], i) =>
      feedRecord(i + 1, { product, affected, ...(exact === undefined ? {} : { affected_versions: exact }) }),
    ),
  });
  for (const platform of ['wordpress', 'npm']) {
    const { vulnerabilities } = (await shapes.request(`/all?platform=${platform}`)).json();
    for (const { id, version_info } of vulnerabilities) {
      assert.equal(version_info.affected, cases[id - 1][0], `advisory ${id}`);
    }
  }
});

test('patched ranges are listed if two or more spans have a fix', async (t) => {
  const fixed = (from: string, to: string, fix: string | null): FeedJson => span(from, to, 'exclusive', fix);
  const patched = await startServer(t, {
    records: [
      feedRecord(1, { affected: [fixed('1.0', '1.5', '1.5')] }),
      feedRecord(2, { affected: [fixed('1.0', '1.5', '1.5'), fixed('2.0', '2.5', null)] }),
      feedRecord(3, {
        affected: [fixed('3.0', '3.5', '3.5'), fixed('2.0', '2.5', null), fixed('1.0', '1.10', '1.10')],
      }),
      feedRecord(4, { affected: [fixed('1.0', '1.5', null)] }),
    ],
  });
  const { vulnerabilities } = (await patched.request('/all')).json();
  const infos = vulnerabilities.map((item: { version_info: object }) => item.version_info).reverse();
  assert.deepEqual(
    infos.map((info: { fixed: string; patched_ranges: object[] }) => [info.fixed, info.patched_ranges]),
    [
      ['1.5', []],
      ['1.5', []],
      [
        '3.5',
        [
          { from_version: '1.0', to_version: '1.10', fixed_in: '1.10' },
          { from_version: '3.0', to_version: '3.5', fixed_in: '3.5' },
        ],
      ],
      ['', []],
    ],
  );
});

/** Advisories around one instant: two ends of the window, one second outside each, and a later one by id. */
const ANCHOR_MS = Date.UTC(2026, 0, 10, 12);
function at(offsetMs: number): string {
  return new Date(ANCHOR_MS + offsetMs).toISOString();
}
const WINDOW = [
  feedRecord(1, { created_at: at(0) }),
  feedRecord(2, { created_at: at(-24 * HOUR_MS) }),
  feedRecord(3, { created_at: at(-24 * HOUR_MS - 1000) }),
  feedRecord(4, { created_at: at(1000) }),
  feedRecord(5, { created_at: at(-HOUR_MS), disclosed_at: '2001-01-01T00:00:00Z' }),
  feedRecord(6, { created_at: at(-HOUR_MS), withdrawn_at: at(0) }),
  feedRecord(7, { created_at: at(-HOUR_MS), product: npmProduct('lib') }),
];

test('the latest are those created within 24 hours of the clock, both ends included and the future not', async (t) => {
  let nowMs = ANCHOR_MS;
  const clocked = await startServer(t, { records: WINDOW, latestAnchor: 'clock', nowMs: () => nowMs });
  assert.deepEqual(await idsAt('/latest', clocked), [5, 2, 1]);
  assert.deepEqual(await idsAt('/latest?platform=npm', clocked), [7]);
  nowMs = ANCHOR_MS + 999; // the next second has not begun, and the first end is out
  assert.deepEqual(await idsAt('/latest', clocked), [5, 1]);
  nowMs = ANCHOR_MS + 1000;
  assert.deepEqual(await idsAt('/latest', clocked), [5, 4, 1]);
  nowMs = ANCHOR_MS + 24 * HOUR_MS;
  assert.deepEqual(await idsAt('/latest', clocked), [4, 1]);
  nowMs = ANCHOR_MS + 48 * HOUR_MS;
  assert.deepEqual(await idsAt('/latest', clocked), []);
  const { pagination } = (await clocked.request('/latest')).json();
  assert.deepEqual([pagination.total, pagination.total_pages], [0, 0]);
  nowMs = ANCHOR_MS - 24 * HOUR_MS; // a clock that is set back
  assert.deepEqual(await idsAt('/latest', clocked), [3, 2]);
});

test('anchored to the snapshot, the 24 hours end with its newest published advisory of any platform', async (t) => {
  const anchored = await startServer(t, { records: WINDOW, latestAnchor: 'snapshot', nowMs: () => 0 });
  assert.deepEqual(await idsAt('/latest', anchored), [5, 4, 1]);
  assert.deepEqual(await idsAt('/latest?platform=npm', anchored), [7]);
  const withdrawnLast = await startServer(t, {
    records: [...WINDOW, feedRecord(9, { created_at: at(240 * HOUR_MS), withdrawn_at: at(0) })],
    latestAnchor: 'snapshot',
  });
  assert.deepEqual(await idsAt('/latest', withdrawnLast), [5, 4, 1]);
});

test('the latest are paged by number and by cursor like everything else', async (t) => {
  const paged = await startServer(t, { records: WINDOW, latestAnchor: 'clock', nowMs: () => ANCHOR_MS });
  assert.deepEqual(await idsAt('/latest?per_page=2&page=2', paged), [1]);
  const first = (await paged.request('/latest?per_page=2&cursor=')).json();
  assert.deepEqual(first.cursor, { next_cursor: encodeCursor(2), has_more: true, per_page: 2 });
  const second = (await paged.request(`/latest?per_page=2&cursor=${first.cursor.next_cursor}`)).json();
  assert.deepEqual(
    second.vulnerabilities.map((item: { id: number }) => item.id),
    [1],
  );
  assert.deepEqual(second.cursor, { next_cursor: null, has_more: false, per_page: 2 });
  assert.deepEqual(await idsAt(`/latest?cursor=${encodeCursor(3)}`, paged), [2, 1]);
});
