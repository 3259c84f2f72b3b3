import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { RowReader, RowSpill, readAt, Spill } from '../../src/files/spill.ts';
import { Dice } from '../../src/generator/dice.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';

test('bytes come back as appended, below and above the size of the buffer', (t) => {
  const folder = temporaryFolder(t);
  const spill = new Spill(folder);
  t.after(() => spill.close());
  const parts = [3, 0, 1 << 20, 5, (1 << 20) + 1, 700_000, 700_000].map((length, i) =>
    Buffer.alloc(length, i + 1),
  );
  for (const part of parts) spill.append(part);
  spill.flush();
  const all = Buffer.concat(parts);
  assert.equal(spill.length, all.length);
  const bytes = Buffer.alloc(all.length);
  readAt(spill.fd, bytes, 0);
  assert.ok(bytes.equals(all));
  assert.deepEqual(readdirSync(folder), []);
});

test('reading beyond the end is an error, not a wait', (t) => {
  const spill = new Spill(temporaryFolder(t));
  t.after(() => spill.close());
  spill.append(Buffer.from('abc'));
  spill.flush();
  assert.throws(() => readAt(spill.fd, Buffer.alloc(2), 2), /scratch file ended at byte 3/);
});

test('rows come back in any order: ascending, descending, every third, shuffled', (t) => {
  const dice = new Dice(printedSeed(t));
  const spill = new RowSpill(temporaryFolder(t));
  t.after(() => spill.close());
  const count = 3_000;
  const rows = Array.from({ length: count }, (_, i) =>
    Buffer.alloc(i % 500 === 0 ? 400_000 : i % 7 === 0 ? 0 : dice.whole(0, 899), i % 251),
  );
  for (const row of rows) spill.append(row);
  const stored = spill.finish();
  assert.equal(stored.starts.length, count + 1);
  const ascending = rows.map((_, i) => i);
  const orders = {
    ascending,
    descending: ascending.toReversed(),
    thirds: [0, 1, 2].flatMap((rest) => ascending.filter((i) => i % 3 === rest)),
    shuffled: ascending.map(() => dice.whole(0, count - 1)),
  };
  for (const [name, order] of Object.entries(orders)) {
    const reader = new RowReader(stored);
    for (const i of order) assert.ok(reader.row(i).equals(rows[i]), `${name}: row ${i}`);
  }
});
