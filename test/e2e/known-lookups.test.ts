// The contract for lookups: answers from PHP and node-semver, by a slow scan that shares no code with the
// server. (What recorded-answers.test.ts holds is what the program did.) The sample is invented but
// realistic; `npm run known-lookups` recomputes the answers. Each lookup is sent in every way.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { KNOWN_FEED, readKnownFeed, readKnownLookups } from '../../scripts/known-lookups/files.ts';
import { type KnownLookup, type Query, type Span, scan } from '../../scripts/known-lookups/scan.ts';
import { hasPhp } from '../../scripts/known-lookups/versions.ts';
import { startServer } from '../support/serving/server.ts';

const BATCH_ITEMS = 50;
const SHOWN = 5; // of the differences, in a failure

const known = readKnownLookups();
const server = await startServer({ after }, { feeds: [KNOWN_FEED] });

/** An answer in the form of the sample; for a yes or no, only that. */
type Answer = Pick<KnownLookup, 'expect' | 'invalid'> | { readonly vulnerable: boolean };

interface Item {
  readonly id: number;
  readonly matched_range?: Span;
}

function listOf(items: readonly Item[]): Answer {
  return { expect: items.map(({ id, matched_range }) => ({ id, range: matched_range ?? null })) };
}

function pathOf({ type, name, version }: Query): string {
  return `/product/${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

async function askByPath(q: Query, suffix: '' | '/exists'): Promise<Answer> {
  const response = await server.request(pathOf(q) + suffix);
  const body = response.json();
  if (response.status === 422) {
    assert.deepEqual([body.errors.length, body.errors[0].parameter], [1, 'version'], response.text);
    return { invalid: true };
  }
  assert.equal(response.status, 200, response.text);
  return suffix === '' ? listOf(body.vulnerabilities) : body;
}

async function askInBatch(queries: readonly Query[], exists: boolean): Promise<Answer[]> {
  const items = queries.map((q) => (exists ? { ...q, exists } : q));
  const response = await server.request('/batch', { method: 'POST', body: JSON.stringify(items) });
  assert.equal(response.status, 200, response.text);
  const results: (Query & { error?: { code: string }; vulnerable?: boolean; vulnerabilities?: Item[] })[] =
    response.json();
  return results.map(({ error, vulnerable, vulnerabilities }) => {
    if (error !== undefined) {
      assert.equal(error.code, 'invalid_version');
      return { invalid: true };
    }
    return vulnerabilities === undefined ? { vulnerable: vulnerable === true } : listOf(vulnerabilities);
  });
}

/** Fails with the first few answers that differ from the known ones. */
function assertAnswers(lookups: readonly KnownLookup[], got: readonly Answer[], exists: boolean): void {
  const pairs = lookups.map(({ q, expect, invalid }, i) => {
    const list = invalid === true ? { invalid } : { expect };
    // A yes or no needs a concrete version.
    const isConcrete = expect !== undefined && q.version !== '*';
    const yesOrNo = isConcrete ? { vulnerable: expect.length > 0 } : { invalid: true };
    return { q, got: JSON.stringify(got[i]), expected: JSON.stringify(exists ? yesOrNo : list) };
  });
  const different = pairs.filter((pair) => pair.got !== pair.expected);
  const shown = different.slice(0, SHOWN).map((pair) => JSON.stringify(pair));
  assert.equal(different.length, 0, `${different.length} of ${pairs.length} differ:\n${shown.join('\n')}`);
}

test('the sample covers hits, misses, several matches, and texts that are not versions', () => {
  const counts = known.map(({ expect }) => expect?.length ?? -1);
  const share = (isSo: (count: number) => boolean): number => counts.filter(isSo).length / counts.length;
  assert.ok(counts.length > 500);
  assert.ok(share((count) => count > 0) > 0.4 && share((count) => count === 0) > 0.1);
  assert.ok(share((count) => count > 1) > 0.1 && share((count) => count < 0) > 0.02);
  const types = new Set(known.map(({ q }) => q.type));
  assert.deepEqual([...types].sort(), ['npm', 'plugin', 'theme', 'wordpress']);
});

for (const exists of [false, true]) {
  const asked = exists ? 'a yes or no' : 'a list';

  test(`each single lookup gets ${asked} as given by PHP and node-semver`, async () => {
    const got: Answer[] = [];
    for (const { q } of known) got.push(await askByPath(q, exists ? '/exists' : ''));
    assertAnswers(known, got, exists);
  });

  test(`lookups in batches get ${asked} as given by PHP and node-semver`, async () => {
    const got: Answer[] = [];
    for (let first = 0; first < known.length; first += BATCH_ITEMS) {
      const chunk = known.slice(first, first + BATCH_ITEMS).map(({ q }) => q);
      got.push(...(await askInBatch(chunk, exists)));
    }
    assertAnswers(known, got, exists);
  });
}

test('the committed answers are those that PHP and node-semver give', {
  skip: hasPhp() ? false : 'php is not installed',
}, () => {
  const queries = known.map(({ q }) => q);
  assertAnswers(
    known,
    scan(readKnownFeed(), queries).map(({ q: _, ...answer }) => answer),
    false,
  );
});
