import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canNumber,
  isWithdrawnRow,
  numberedLine,
  packDraft,
  packEntry,
  recordJson,
  unpackDraft,
} from '../../src/importers/packed-draft.ts';
import type { Draft } from '../../src/importers/source.ts';
import { type DraftChanges, draftOf, soundDraft } from '../support/feeds/drafts.ts';
import { pluck } from '../support/pluck.ts';

const NUMBERS = { id: 41, productNumber: () => 7, createdAt: () => '2026-01-01T00:00:00Z' };

/** The row as a store returns it: somewhere in a larger buffer. */
function rowOf(draft: Draft): Buffer {
  const { row } = soundDraft(draft);
  return Buffer.concat([Buffer.from('before'), row, Buffer.from('behind')]).subarray(6, 6 + row.length);
}

/** What the line must be: the record with its numbers, serialised as a whole. */
function lineOf({ record }: Draft): string {
  const { product } = record;
  return JSON.stringify({
    ...record,
    id: NUMBERS.id,
    created_at: record.created_at ?? NUMBERS.createdAt(),
    product: { ...product, id: product.id ?? NUMBERS.productNumber() },
  });
}

const CASES: Readonly<Record<string, DraftChanges>> = {
  'without any number': {},
  'with an id and a time of its own': { id: 41, created_at: '2020-01-01T00:00:00Z' },
  'with a number of its product': { product: { id: 3, premium_name: 'Left "Pro"' } },
  'in any script, and with escapes': { title: 'Ümlaut 漢字 😀 "quoted" \\ \n', details: '\u2028'.repeat(9) },
  'that quotes a product in its text': { details: ',"product":{"type":"npm","slug":"left","name":"left"}' },
};
for (const [name, changes] of Object.entries(CASES)) {
  test(`the line of a draft ${name} is the record with its numbers, byte for byte`, () => {
    const draft = draftOf('A', changes);
    const row = rowOf(draft);
    assert.equal(canNumber(row, 41, draft.record.id), true);
    assert.equal(numberedLine(row, NUMBERS).toString(), lineOf(draft));
  });
}

const cannot = (changes: DraftChanges): void => {
  const draft = draftOf('A', changes);
  assert.equal(canNumber(rowOf(draft), 41, draft.record.id), false);
};
test('numbers cannot be put in if the record has another id', () => cannot({ id: 40 }));
test('numbers cannot be put in if the record has a PSID, which may be that of another advisory', () =>
  cannot({ psid: '0123456789ab' }));
test('numbers cannot be put in if an unknown member has the same product', () => {
  const { record } = draftOf('A');
  cannot({ extra: { product: record.product } } as DraftChanges);
});

test('a draft comes back as it was, with its place', () => {
  const { place, record } = draftOf('A', { title: '漢字', withdrawn_at: '2026-01-05T00:00:00Z' });
  const row = rowOf({ place, record, sourceId: 'A' });
  assert.deepEqual(unpackDraft(row), { place, record, report: undefined });
  assert.equal(isWithdrawnRow(row), true);
  assert.equal(isWithdrawnRow(rowOf(draftOf('A'))), false);
});

test('a malware report comes back with what it rests on', () => {
  const report = { origins: ['GHSA-1', ''], listed: ['1.0.0'] };
  assert.deepEqual(unpackDraft(rowOf({ ...draftOf('MAL-1'), report })).report, report);
});

function rolesOf(sourceId: string, changes: DraftChanges) {
  const { self, ghsa, cves, names, isClosure } = soundDraft(draftOf(sourceId, changes)).keys;
  return { self, ghsa, cves, names, isClosure };
}

test('the ids are those that are compared, each once and in one role', () => {
  const changes = { ghsa: 'ghsa-1', cves: ['CVE-2026-1'], aliases: ['2026-1', 'mal-1', 'GHSA-1'] };
  const roles = { self: 'GHSA-1', ghsa: 'GHSA-1', cves: ['2026-1'], names: ['MAL-1'], isClosure: false };
  assert.deepEqual(rolesOf('GHSA-1', changes), roles);
});

test('a GHSA id is that of the record if it is published under it, or names no other', () => {
  assert.equal(rolesOf('GHSA-1', { aliases: ['GHSA-2'] }).ghsa, 'GHSA-1');
  assert.equal(rolesOf('A', { ghsa: 'GHSA-2' }).ghsa, 'GHSA-2');
  assert.equal(rolesOf('A', { ghsa: 'GHSA-2', aliases: ['GHSA-1'] }).ghsa, '');
  assert.equal(rolesOf('MAL-1', { ghsa: 'GHSA-2' }).ghsa, '');
});

test('a record that names another GHSA id than its own has the ids of several', () => {
  assert.equal(rolesOf('GHSA-1', { aliases: ['GHSA-2'] }).isClosure, true);
  assert.equal(rolesOf('A', { ghsa: 'GHSA-2', aliases: ['GHSA-1'] }).isClosure, true);
  assert.equal(rolesOf('A', { aliases: ['GHSA-1'] }).isClosure, false);
});

test('a draft with problems has no keys, and still its record', () => {
  const { problems, keys, row } = packDraft(draftOf('A', { title: '\ud800', url: 'nowhere' }));
  assert.deepEqual(pluck(problems, 'field'), ['url', 'title']);
  assert.equal(keys, undefined);
  assert.equal(JSON.parse(Buffer.from(recordJson(row)).toString()).url, 'nowhere');
});

test('a record beyond the limit is refused with its size', () => {
  const { problems } = packDraft(draftOf('A', { details: 'x'.repeat(40 << 20) }));
  assert.match(problems[0].message, /^has 4194\d{4} bytes; the limit is \d+$/);
});

test('entries that are not drafts stay as they are', () => {
  const skipped = { kind: 'skipped', place: { file: 'a' }, reason: 'no package' } as const;
  assert.equal(packEntry(skipped), skipped);
});
