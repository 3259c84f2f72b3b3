// Counts, held against a walk over the advisories that were imported. e2e/real-verdicts.test.ts does the same
// with the real data.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import {
  handleStatistics,
  MAX_SOURCES,
  prepareStatistics,
} from '../../../src/dialects/patchstack/statistics.ts';
import { Dice } from '../../../src/generator/dice.ts';
import type { HandlerContext, KeptGeneration } from '../../../src/http/context.ts';
import type { Answer } from '../../../src/http/replies/responses.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import type { RequestView } from '../../../src/http/transport/request-view.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { type FeedJson, feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { drawFeed } from '../../support/feeds/drawn-feeds.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { outcomeOf, startServer } from '../../support/serving/server.ts';
import { assertCounted, statisticsOf } from '../../support/snapshots/counted.ts';
import { compileGeneration, coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';
import { typeCounts } from '../../support/snapshots/type-counts.ts';

test('counts agree with a walk over drawn advisories', (t) => {
  const dice = new Dice(printedSeed(t));
  const folder = temporaryFolder(t);
  for (let feed = 0; feed < 25; feed++) {
    const advisories = drawFeed(dice).advisories.map((advisory): Advisory => {
      return {
        ...advisory,
        kind: dice.pick(['vulnerability', 'vulnerability', 'malware', 'informational']),
        severity: dice.pick(['', '', 'Moderate', 'NONE', 'critical', 'urgent', ' low ']),
        cvss: { score: dice.chance(0.2) ? dice.pick([null, -1]) : dice.whole(0, 100) / 10, vector: null },
        isExploited: dice.chance(0.3),
        disclosedAt: dice.whole(-5, 400) * 5_000_000,
      };
    });
    assertCounted(compileGeneration(folder, advisories), advisories);
  }
});

test('of a snapshot without advisories every count is 0', (t) => {
  assertCounted(generationOf(t, []), []);
});

test('an advisory counts once for each of its sources, and the rarest sources are left out beyond a limit', (t) => {
  const source = (name: string, fields: readonly string[], notice = '') => {
    return { name, notice, license: '', licenseUrl: '', fields };
  };
  const common = [
    source('common', ['title']),
    source('common', ['cvss']),
    source('common', ['cwe'], 'other'),
  ];
  const generation = generationOf(
    t,
    Array.from({ length: MAX_SOURCES + 5 }, (_, i) =>
      coreAdvisory(i + 1, { sources: [...common, source(`of ${i}`, ['affected'])] }),
    ),
  );
  const { sources, omitted_sources } = statisticsOf(generation);
  assert.deepEqual([sources.length, omitted_sources], [MAX_SOURCES, 7]);
  assert.deepEqual(sources.slice(0, 3), [
    { name: 'common', notice: '', license: '', license_url: '', advisories: MAX_SOURCES + 5 },
    { name: 'common', notice: 'other', license: '', license_url: '', advisories: MAX_SOURCES + 5 },
    { name: 'of 0', notice: '', license: '', license_url: '', advisories: 1 },
  ]);
});

const CREATIVE = { name: 'First', notice: 'Copyright First', license: 'CC-BY-4.0' };
const RECORDS: readonly FeedJson[] = [
  feedRecord(1, {
    sources: [
      { ...CREATIVE, fields: ['title'] },
      { name: 'Second', fields: ['cvss'] },
    ],
  }),
  feedRecord(2, { disclosed_at: '2025-12-31T23:59:59Z', severity: 'LOW', sources: [CREATIVE] }),
  feedRecord(3, {
    disclosed_at: '2026-01-01T00:30:00+01:00', // still 2025
    product: npmProduct('left'),
    cvss: { score: null, vector: null },
    affected: [span(null, '1.0.0')],
    is_exploited: true,
  }),
  feedRecord(4, { withdrawn_at: '2026-01-05T00:00:00Z', is_exploited: true, sources: [CREATIVE] }),
  feedRecord(5, {
    product: { id: 9, type: 'theme', slug: 'gone', name: 'Gone' },
    withdrawn_at: '2026-01-05T00:00:00Z',
  }),
];

test('counts what is published, and withdrawn advisories apart', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  const { kept, ...counts } = (await server.request('/statistics')).json();
  const none = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unknown: 0 };
  const id = server.swap.current()?.id;
  assert.deepEqual(counts, {
    snapshot: id,
    built_at: '2026-01-10T00:00:00.000Z',
    advisories: {
      total: 3,
      withdrawn: 2,
      exploited: 1,
      without_fix: 1,
      by_type: typeCounts({ plugin: 2, npm: 1 }),
      by_severity: { ...none, high: 1, low: 1, unknown: 1 },
      by_month: [
        { month: '2025-12', ...none, low: 1, unknown: 1 },
        { month: '2026-01', ...none, high: 1 },
      ],
    },
    products: typeCounts({ plugin: 1, npm: 1 }),
    most_affected: {
      ...Object.fromEntries(PRODUCT_TYPES.map((type) => [type, []])),
      plugin: [{ name: 'gallery', advisories: 2 }],
      npm: [{ name: 'left', advisories: 1 }],
    },
    sources: [
      { ...CREATIVE, license_url: '', advisories: 2 },
      { name: 'Second', notice: '', license: '', license_url: '', advisories: 1 },
    ],
    omitted_sources: 0,
  });
  assert.deepEqual(kept, [{ id, built_at: '2026-01-10T00:00:00.000Z' }]);
});

test('lists the snapshots that are held, and answers for the one that was counted', async (t) => {
  const server = await startServer(t, { records: RECORDS });
  const first = await server.request('/statistics');
  const second = await server.publish(RECORDS.slice(1), Date.UTC(2026, 0, 11));
  const { snapshot: id } = first.json();
  const after = await server.request('/statistics');
  assert.deepEqual(after.json().kept, [
    { id: second, built_at: '2026-01-11T00:00:00.000Z' },
    { id, built_at: '2026-01-10T00:00:00.000Z' },
  ]);
  assert.equal((await server.request(`/statistics?snapshot=${second}`)).text, after.text);
  const other = await server.request(`/statistics?snapshot=${id}`);
  assert.equal(outcomeOf(other), '412 unknown_snapshot');
  assert.deepEqual(other.json().snapshots, [second]);
  assert.equal(outcomeOf(await server.request('/statistics?snapshot=x')), '422 invalid_parameter snapshot');
});

/** What the handler answers with files of one generation while others are held. */
function answerWith(files: Generation, kept: readonly Generation[], ifNoneMatch = ''): Answer {
  const context: HandlerContext = {
    generation: kept[0],
    kept: kept.map((generation): KeptGeneration => ({ generation, changedIds: undefined })),
    memory: new ThreadMemory(kept[0]),
    prepared: new Map(prepareStatistics(files)),
    own: new OwnAddress(),
    nowMs: 0,
    latestAnchor: 'snapshot',
  };
  const header = (name: string): string => (name === 'if-none-match' ? ifNoneMatch : '');
  const request: RequestView = {
    method: 'GET',
    path: '/statistics',
    query: '',
    address: '127.0.0.1',
    header,
    list: header,
  };
  return handleStatistics(request, [], context);
}

function etagOf(answer: Answer): string {
  assert.ok(answer.kind === 'prepared');
  return answer.file.etag;
}

test('the tag begins with the snapshot counted, and changes with it and with those held', (t) => {
  const [a, b] = [1, 2].map((id) => generationOf(t, [coreAdvisory(id)]));
  const alone = etagOf(answerWith(a, [a]));
  assert.match(alone, new RegExp(`^"${a.id}\\.2\\.[0-9a-f]{16}"$`));
  assert.equal(etagOf(answerWith(a, [a])), alone);
  // After a swap, while the next file is not ready.
  const swapped = answerWith(a, [b, a]);
  assert.equal(new Set([alone, etagOf(swapped), etagOf(answerWith(b, [b, a]))]).size, 3);
  assert.ok(swapped.kind === 'prepared');
  const { snapshot, kept } = JSON.parse(Buffer.from(swapped.file.plain).toString());
  assert.deepEqual([snapshot, kept.map(({ id }: { id: string }) => id)], [a.id, [b.id, a.id]]);
  for (const [held, isCurrent] of [
    [[a], true],
    [[a, b], false],
  ] as const) {
    const answer = answerWith(a, held, alone);
    assert.ok(answer.kind === 'prepared' && answer.isCurrent === isCurrent);
  }
});

test('until the first file is ready the answer is 503, and says when to ask again', (t) => {
  const generation = generationOf(t, [coreAdvisory(1)]);
  const context: HandlerContext = {
    generation,
    kept: [],
    memory: new ThreadMemory(generation),
    prepared: undefined,
    own: new OwnAddress(),
    nowMs: 0,
    latestAnchor: 'snapshot',
  };
  const request: RequestView = {
    method: 'GET',
    path: '/statistics',
    query: '',
    address: '127.0.0.1',
    header: () => '',
    list: () => '',
  };
  const answer = handleStatistics(request, [], context);
  assert.ok(answer.kind === 'problem');
  assert.deepEqual([answer.problem.code, answer.headers], ['preparing', [['Retry-After', '5']]]);
});
