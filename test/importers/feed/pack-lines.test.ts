import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packAdvisory } from '../../../src/compiler/packed-advisory.ts';
import { lineOrigin } from '../../../src/importers/feed/known-lines.ts';
import { packedLine, packLines } from '../../../src/importers/feed/pack-lines.ts';
import type { FeedRecord } from '../../../src/importers/record/feed-schema.ts';
import { defaultPsid, toAdvisory } from '../../../src/importers/record/record.ts';

const RECORD: FeedRecord = {
  id: 41,
  title: 'Tide Table',
  details: '# Body',
  disclosed_at: '2026-04-21T08:38:34Z',
  created_at: '2026-04-22T00:00:00+00:00',
  url: 'https://advisories.example/db/tide-table-xss',
  vuln_type: 'XSS',
  product: { id: 7, type: 'plugin', slug: 'tide-table', name: 'Tide Table' },
  affected_versions: ['1.2'],
};

function packed(...lines: readonly (object | string)[]): ReturnType<typeof packLines> {
  const parts = lines.map((line) => Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)));
  let end = 0;
  const ends = Uint32Array.from(parts, (part) => {
    end += part.length;
    return end;
  });
  return packLines({ bytes: Buffer.concat(parts), ends });
}

test('a sound line becomes what its advisory packs to', () => {
  const withoutBody = { ...RECORD, id: 40, details: '', psid: '0000000000ff' };
  const lines = packed(RECORD, withoutBody);
  assert.deepEqual([...lines.psids], [Number.parseInt(defaultPsid(41), 16), 255]);
  [toAdvisory(RECORD, defaultPsid(41)), toAdvisory(withoutBody, '0000000000ff')].forEach((advisory, i) => {
    const origin = lineOrigin(Buffer.from(JSON.stringify(i === 0 ? RECORD : withoutBody)));
    const expected = packAdvisory(advisory, origin);
    const got = packedLine(lines, i);
    assert.equal(got.id, expected.id);
    assert.equal(got.run, expected.run);
    for (const part of ['facts', 'text', 'detail', 'body'] as const) {
      assert.ok(Buffer.from(got[part]).equals(expected[part]), `${part} of line ${i}`);
    }
  });
});

test('a line that needs a word is left alone, and its neighbours are not', () => {
  const lines = packed(
    '{"id": 1',
    { ...RECORD, id: 0 },
    RECORD,
    { ...RECORD, cve: 'unknown member' },
    { ...RECORD, affected_versions: ['1.x'] },
    { ...RECORD, id: 42 },
    '[]',
  );
  assert.deepEqual([...lines.ids], [Number.NaN, Number.NaN, 41, Number.NaN, Number.NaN, 42, Number.NaN]);
  const record = { ...RECORD, id: 42 };
  const expected = packAdvisory(
    toAdvisory(record, defaultPsid(42)),
    lineOrigin(Buffer.from(JSON.stringify(record))),
  );
  assert.ok(Buffer.from(packedLine(lines, 5).facts).equals(expected.facts));
});

test('no lines are no bytes', () => {
  assert.equal(packed().bytes.length, 0);
});
