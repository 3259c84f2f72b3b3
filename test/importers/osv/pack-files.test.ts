import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversionAt, entriesOf } from '../../../src/importers/kept/conversion.ts';
import { type NewFile, packFiles } from '../../../src/importers/osv/pack-files.ts';
import type { PackedSourceEntry } from '../../../src/importers/packed-draft.ts';
import { npmEntry, osvRecord } from '../../support/feeds/osv.ts';
import { pluck } from '../../support/pluck.ts';

const MIB = 1024 * 1024;

/** A record that names so many packages; a package without versions is a reject. */
function fileOf(packages: number, details: string, events = [{ introduced: '0' }]): NewFile {
  const affected = Array.from({ length: packages }, (_, i) => npmEntry(`p${i}`, events));
  const bytes = Buffer.from(JSON.stringify(osvRecord({ affected, details })));
  return { kind: 'record', place: { file: 'all.zip', entry: 'a.json' }, bytes };
}

function packed(files: readonly NewFile[]): readonly PackedSourceEntry[] {
  const batch = packFiles(files);
  return files.flatMap(({ place }, i) => entriesOf(conversionAt(batch, i), place));
}

test('a record becomes a packed draft for each package that it names', () => {
  const entries = packed([fileOf(400, 'x'.repeat(10_000))]);
  assert.deepEqual([...new Set(entries.map(({ kind }) => kind))], ['packed']);
  assert.equal(entries.length, 400);
});

test('a record whose copies for each package would fill the memory is one reject, and costs no other', () => {
  const large = fileOf(20, 'x'.repeat(MIB));
  const small = fileOf(1, 'x');
  const message = 'names so many products that the copies of its text have more than 16777216 bytes';
  for (const file of [large, fileOf(20, 'x'.repeat(MIB), [])]) {
    const [first, ...others] = packed([file, small]);
    assert.ok(first.kind === 'reject');
    assert.deepEqual(first.reject.problems, [{ field: 'affected', message }]);
    assert.ok(file.kind === 'record' && Buffer.from(first.reject.bytes).equals(file.bytes));
    assert.deepEqual(pluck(others, 'kind'), ['packed']);
  }
});

test('the rejects of one record share the bytes that are kept with them', () => {
  const entries = packed([fileOf(3, 'x', [])]);
  const kept = entries.map((entry) => (entry.kind === 'reject' ? entry.reject.bytes : assert.fail()));
  assert.equal(new Set(kept).size, 1);
});
