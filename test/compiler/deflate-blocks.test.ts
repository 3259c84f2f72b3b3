import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import { Unpackr } from 'msgpackr/unpack';
import { plainPackr } from '../../src/compiler/blocks.ts';
import { BlockDeflater } from '../../src/compiler/deflate-blocks.ts';
import type { SectionRows } from '../../src/compiler/section-rows.ts';
import { RowSpill } from '../../src/files/spill.ts';
import { type FolderOwner, temporaryFolder } from '../support/folder.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { until } from '../support/until.ts';

const unpackr = new Unpackr({ useRecords: false });
const NONE = new Uint8Array(0);
const SENTENCES = ['one sentence that the dictionary has', 'another sentence that it has'];
const DICTIONARY = Buffer.from(SENTENCES.join(', '));

/** Rows in a scratch file, of which the section has those of `order`. */
function sectionOf(
  t: FolderOwner,
  rows: readonly unknown[],
  order: readonly number[],
  dictionary: Uint8Array,
): SectionRows {
  const spill = new RowSpill(temporaryFolder(t));
  t.after(() => spill.close());
  for (const row of rows) spill.append(plainPackr.pack(row));
  const shared = new Uint32Array(new SharedArrayBuffer(order.length * 4));
  shared.set(order);
  return { rows: spill.finish(), order: shared, rowsPerBlock: 8, dictionary, kept: undefined };
}

function copied(deflater: BlockDeflater, section: number): { bytes: Buffer; starts: Float64Array } {
  const parts: Buffer[] = [];
  const starts = deflater.copySection(section, { append: (bytes) => parts.push(Buffer.from(bytes)) });
  return { bytes: Buffer.concat(parts), starts };
}

/** Without helper threads. */
function deflated(
  t: TestContext,
  sections: readonly SectionRows[],
): { bytes: Buffer; starts: Float64Array }[] {
  const deflater = new BlockDeflater(temporaryFolder(t), sections, Number.POSITIVE_INFINITY);
  for (const _ of deflater.finish());
  const copies = sections.map((_, section) => copied(deflater, section));
  deflater.close();
  return copies;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('sections come back as the rows in their order, in blocks of eight', (t) => {
  const rows = numbers(1_203).map((i) => [`row ${i}`, 'x'.repeat(i % 90)]);
  const orders = [numbers(1_203).toReversed(), [], numbers(1_203).filter((i) => i % 5 === 0)];
  const copies = deflated(
    t,
    orders.map((order) => sectionOf(t, rows, order, NONE)),
  );
  orders.forEach((order, section) => {
    const { bytes, starts } = copies[section];
    assert.equal(starts.length, Math.ceil(order.length / 8) + 1);
    assert.equal(starts.at(-1), bytes.length);
    const found = [...starts.subarray(1)].flatMap(
      (end, block) => unpackr.unpack(inflateRawSync(bytes.subarray(starts[block], end))) as unknown[],
    );
    assert.deepEqual(
      found,
      order.map((i) => rows[i]),
    );
  });
});

test('a block deflated with a dictionary is smaller, and opens only with that dictionary', (t) => {
  const section = (dictionary: Uint8Array) => sectionOf(t, SENTENCES, [0, 1], dictionary);
  const [{ bytes }] = deflated(t, [section(DICTIONARY)]);
  const [plain] = deflated(t, [section(NONE)]);
  assert.ok(bytes.length < plain.bytes.length / 2);
  assert.deepEqual(unpackr.unpack(inflateRawSync(bytes, { dictionary: DICTIONARY })), SENTENCES);
  assert.throws(() => inflateRawSync(bytes), { code: 'Z_DATA_ERROR' });
  assert.deepEqual(unpackr.unpack(inflateRawSync(plain.bytes)), SENTENCES);
});

test('helper threads make the same bytes, and at least one takes part', async (t) => {
  const entry = builtProgram();
  const built: { readonly BlockDeflater: typeof BlockDeflater } = await import(
    new URL('./compiler/deflate-blocks.js', pathToFileURL(entry)).href
  );
  const rows = numbers(40_000).map((i) => [`row ${i}`, SENTENCES[i % 2]]);
  const sections = [
    sectionOf(t, rows, numbers(40_000).toReversed(), DICTIONARY),
    sectionOf(t, rows, numbers(20_000), NONE),
  ];
  const expected = deflated(t, sections);
  const deflater = new built.BlockDeflater(temporaryFolder(t), sections, 1);
  // This thread takes nothing before the helpers have begun.
  await until('a helper to begin', () => deflater.progress > 0);
  for (const turn of deflater.finish()) await turn;
  sections.forEach((_, section) => {
    const { bytes, starts } = copied(deflater, section);
    assert.ok(bytes.equals(expected[section].bytes));
    assert.deepEqual(starts, expected[section].starts);
  });
  deflater.close();
});

test('a helper thread that cannot start is not missed', async (t) => {
  // From sources, Node 20 cannot start it; with one that starts, the result is the same.
  const rows = numbers(900).map((i) => `row ${i}`);
  const section = sectionOf(t, rows, numbers(900), NONE);
  const [expected] = deflated(t, [section]);
  const deflater = new BlockDeflater(temporaryFolder(t), [section], 1);
  for (const turn of deflater.finish()) await turn;
  assert.ok(copied(deflater, 0).bytes.equals(expected.bytes));
  deflater.close();
});
