import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordsOf } from '../../../src/dialects/osv/records.ts';
import { ByteWriter } from '../../../src/index/memory/byte-writer.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

function written(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter((size) => new Uint8Array(size), 256, 4096);
  write(out);
  return Buffer.from(out.view()).toString();
}

test('the advisories of one source record are one record; its head is a published one', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { sourceId: 'GHSA-1', product: coreProduct('npm', 'a') }),
    coreAdvisory(2, { sourceId: 'GHSA-1', product: coreProduct('npm', 'b') }),
    coreAdvisory(3, { sourceId: 'GHSA-1', product: coreProduct('npm', 'c'), withdrawnAt: 1 }),
    coreAdvisory(4, { sourceId: 'ghsa-1', product: coreProduct('npm', 'd') }),
    coreAdvisory(5),
  ]);
  const records = recordsOf(generation);
  const headIds = [1, 2, 3, 4, 5].map((id) => generation.idAt(records.headOf(generation.findId(id) ?? -1)));
  assert.deepEqual(headIds, [2, 2, 2, 4, 5]);
  const members = records.membersOf(generation.findId(2) ?? -1).map((ordinal) => generation.idAt(ordinal));
  assert.deepEqual(members, [2, 1]);
  assert.equal(recordsOf(generation), records);
});

test('a record was modified when the last of its advisories was, withdrawn ones included, or met first if that is unknown', (t) => {
  const generation = generationOf(t, [
    coreAdvisory(1, { sourceId: 'GHSA-1', product: coreProduct('npm', 'a'), modifiedAt: 100 }),
    coreAdvisory(2, {
      sourceId: 'GHSA-1',
      product: coreProduct('npm', 'c'),
      modifiedAt: 200,
      withdrawnAt: 1,
    }),
    coreAdvisory(3),
    coreAdvisory(4, { sourceId: 'GHSA-4', product: coreProduct('npm', 'a'), modifiedAt: 100 }),
    coreAdvisory(5, { sourceId: 'GHSA-4', product: coreProduct('npm', 'b') }),
  ]);
  const records = recordsOf(generation);
  const modifiedOf = (id: number) => records.modifiedOf(records.headOf(generation.findId(id) ?? -1));
  const builtAt = generation.parts.builtAtMs / 1000;
  assert.deepEqual([1, 3, 4].map(modifiedOf), [200, builtAt, builtAt]);
});

test('an alias is a record too if its database publishes for the ecosystem and the advisory has several sources', (t) => {
  const source = { notice: '', license: '', licenseUrl: '', fields: [] };
  const sources = ['GitHub', 'PyPA'].map((name) => ({ ...source, name }));
  const flask = coreProduct('pypi', 'flask');
  const quart = coreProduct('pypi', 'quart');
  const generation = generationOf(t, [
    coreAdvisory(1, { sourceId: 'GHSA-1', product: flask, sources, aliases: ['PYSEC-2026-1', 'X-1'] }),
    coreAdvisory(2, { sourceId: 'GHSA-2', product: flask, aliases: ['PYSEC-2026-2'] }),
    coreAdvisory(3, {
      sourceId: 'GHSA-3',
      product: coreProduct('npm', 'a'),
      sources,
      aliases: ['PYSEC-2026-3'],
    }),
    coreAdvisory(4, { sourceId: 'GHSA-4', product: flask, sources, aliases: ['PYSEC-2026-4'] }),
    coreAdvisory(5, { sourceId: 'PYSEC-2026-4', product: flask, aliases: ['GHSA-4'] }),
    coreAdvisory(6, { sourceId: 'GHSA-1', product: quart, aliases: ['PYSEC-2026-1'] }),
    coreAdvisory(7, { sourceId: 'PYSEC-2026-1', product: quart, aliases: ['GHSA-1'], modifiedAt: 100 }),
    coreAdvisory(8, { sourceId: 'GHSA-8', product: flask, sources, aliases: ['PYSEC-a"b-1', 'GO-2026-1'] }),
    coreAdvisory(9, { sourceId: 'GHSA-9', product: flask, sources, aliases: ['PYSEC-2026-9'] }),
    coreAdvisory(10, { sourceId: 'GHSA-9', product: quart, sources, aliases: ['PYSEC-2026-9'] }),
  ]);
  const records = recordsOf(generation);
  const furtherOf = (id: number) => {
    const heads = records.furtherOf(generation.findId(id) ?? -1);
    return heads.map((head) => [
      records.idOf(head),
      records.membersOf(head).map((ordinal) => generation.idAt(ordinal)),
    ]);
  };
  assert.deepEqual([2, 3, 4, 5, 6, 7, 8].flatMap(furtherOf), []);
  // Its own advisory of another product comes first, and is the head.
  assert.deepEqual(furtherOf(1), [['PYSEC-2026-1', [7, 1]]]);
  assert.deepEqual(furtherOf(9), [['PYSEC-2026-9', [10, 9]]]);
  assert.deepEqual(furtherOf(10), furtherOf(9));
  const all = [...records.all()].map((head) => records.idOf(head)).sort();
  assert.deepEqual(all, [
    ...['GHSA-1', 'GHSA-2', 'GHSA-3', 'GHSA-4', 'GHSA-8', 'GHSA-9'],
    ...['PYSEC-2026-1', 'PYSEC-2026-4', 'PYSEC-2026-9'],
  ]);
});

test('an id that a path or a file could not have is replaced', (t) => {
  const ids = [
    'GHSA-aaaa-bbbb-cccc',
    'RHSA-2024:1',
    'a+b_c.d',
    '.hidden',
    'a/b',
    'a b',
    'ü',
    'x'.repeat(101),
    '..',
    '',
  ];
  const advisories = ids.map((sourceId, i) => coreAdvisory(i + 1, { sourceId }));
  const generation = generationOf(t, advisories);
  const records = recordsOf(generation);
  const shown = ids.map((_, i) => records.idOf(generation.findId(i + 1) ?? -1));
  assert.deepEqual(shown, [
    ...ids.slice(0, 3),
    ...ids.slice(3).map((_, i) => `PSID-${(i + 4).toString(16).padStart(12, '0')}`),
  ]);
  for (let i = 0; i < ids.length; i++) {
    const head = generation.findId(i + 1) ?? -1;
    assert.equal(
      written((out) => records.writeId(out, head)),
      JSON.stringify(shown[i]),
    );
  }
});

test('in a list each record is new once', (t) => {
  const records = recordsOf(generationOf(t, [coreAdvisory(1), coreAdvisory(2)]));
  for (let round = 0; round < 3; round++) {
    records.beginList();
    assert.deepEqual(
      [0, 1, 0, 1].map((head) => records.isNew(head)),
      [true, true, false, false],
    );
  }
});
