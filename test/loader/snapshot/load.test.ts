import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { writeDetail } from '../../../src/dialects/detail-answer.ts';
import { writeLookup } from '../../../src/dialects/patchstack/list-answer.ts';
import { Dice } from '../../../src/generator/dice.ts';
import type { IndexColumns, TraitColumn } from '../../../src/index/columns.ts';
import { MAX_RECORD_BYTES } from '../../../src/index/items/detail-record.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { SnapshotError } from '../../../src/loader/errors.ts';
import { FORMAT } from '../../../src/loader/format.ts';
import { type LoadedSnapshot, loadChecked, loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { readSnapshot } from '../../../src/loader/snapshot/reader.ts';
import { verifyDeep } from '../../../src/loader/snapshot/verify-deep.ts';
import { feedJson, inventedRecords } from '../../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { withTextBlocks, withTexts } from '../../support/snapshots/mutations.ts';
import {
  BUILT_AT_MS,
  columnBounds,
  compileRecords,
  copyColumns,
  type Forgery,
  forged,
  packed,
  readBytes,
  resealed,
  sampleRecords,
  sectionBounds,
  writeBytes,
} from '../../support/snapshots/snapshots.ts';
import { typeCounts } from '../../support/snapshots/type-counts.ts';
import { volume } from '../../support/volume.ts';

const MUTATIONS = volume(1_500);
const DICTIONARY_ADVISORIES = 256; // the fewest that get a dictionary
const INTERESTING_WORDS = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

const folder = temporaryFolder({ after });
let sound: Uint8Array;

before(async () => {
  sound = readBytes(await compileRecords(folder, sampleRecords()));
});

const load = (bytes: Uint8Array): LoadedSnapshot => loadChecked(writeBytes(folder, 'loaded.vdx', bytes));

test('loading gives a generation with the facts from the file', () => {
  const { generation, fileBytes, format } = load(sound);
  assert.equal(fileBytes, sound.length);
  assert.equal(format, FORMAT);
  assert.equal(generation.parts.builtAtMs, BUILT_AT_MS);
  assert.equal(generation.advisoryCount, sampleRecords().length);
  // Withdrawn advisories are not counted in any type.
  assert.deepEqual(generation.parts.typeCounts, typeCounts({ plugin: 3, theme: 1, wordpress: 2, npm: 3 }));
});

const ROW = ['title', 'https://advisories.example/1', '', '', ['https://advisories.example/fix']];
const WITHOUT_REFERENCES = 6; // the only ordinal whose record has no reference title

/** All texts as one block of these rows. */
const withRows = (rows: unknown): Uint8Array => withTextBlocks(sound, [packed(rows)]);

function rows(changed: unknown): unknown[] {
  const row = (i: number): unknown => (i === WITHOUT_REFERENCES ? [...ROW.slice(0, 4), []] : ROW);
  return Array.from({ length: sampleRecords().length }, (_, i) => (i === 3 ? changed : row(i)));
}

test('packed values under a valid checksum are accepted when they have the right shape', () => {
  assert.equal(load(withRows(rows(ROW))).generation.advisoryCount, sampleRecords().length);
});

test('listed texts of the wrong shape are refused under a valid checksum', () => {
  const wrong = [
    null,
    'text',
    {},
    [],
    ROW.slice(1),
    [...ROW, ''],
    [1, ...ROW.slice(1)],
    [null, ...ROW.slice(1)],
    [...ROW.slice(0, 4), null],
    [...ROW.slice(0, 4), [7]],
    [...ROW.slice(0, 4), [{ toString: 1 }]],
  ];
  for (const row of wrong) {
    assert.throws(
      () => load(withRows(rows(row))),
      { code: 'bad-record', section: 'texts' },
      JSON.stringify(row),
    );
  }
  for (const all of [null, {}, 'text', rows(ROW).slice(1), [...rows(ROW), ROW]]) {
    assert.throws(() => load(withRows(all)), { code: 'bad-record', section: 'texts' });
  }
});

type TermColumn = 'advisoryLabel' | TraitColumn;

/** One more term, which one advisory uses. */
function withTerm(columns: IndexColumns, name: TermColumn, bytes: Uint8Array): Partial<IndexColumns> {
  const { termStart, termBytes } = columns;
  return {
    termStart: Uint32Array.of(...termStart, termBytes.length + bytes.length),
    termBytes: Uint8Array.of(...termBytes, ...bytes),
    [name]: columns[name].with(
      name === 'advisoryLabel' ? 2 : columns.advisoryTraits[2],
      termStart.length - 1,
    ),
  };
}

test('terms without the shape that their column needs are refused under a valid checksum', () => {
  const columns = copyColumns(sound);
  const wrong: readonly (readonly [TermColumn, unknown])[] = [
    ['advisoryLabel', ['a', 'b', null]],
    ['advisoryLabel', [-1, 'b', null]],
    ['advisoryLabel', [1, 'b']],
    ['advisoryLabel', [1, 'b', 7]], // shown on pages only
    ['advisoryLabel', [1, 'b', ['c']]],
    ['traitsVulnType', 7],
    ['traitsOwasp', null],
    ['traitsSeverity', ['low']],
    ['traitsCvss', [Number.NaN, null]],
    ['traitsCvss', ['9.8', null]],
    ['traitsCwe', null],
    ['traitsCwe', [1.5, null]],
    ['traitsCapec', [1, 2]],
    ['traitsSources', null],
    ['traitsSources', ['name']],
    ['traitsSources', [['name', '', '', '', [7]]]],
    ['traitsSources', [['name', '', '', '', [], []]]],
  ];
  const expected = { code: 'bad-record', section: 'index.termBytes' };
  for (const [name, value] of wrong) {
    const change = withTerm(columns, name, packed(value));
    assert.throws(() => load(forged(sound, { columns: () => change })), expected, JSON.stringify(value));
  }
  // A str 8 that runs past the label's end: its bytes are those of the next term.
  const cut = withTerm(columns, 'advisoryLabel', Uint8Array.of(0x93, 1, 0xa1, 0x62, 0xd9));
  assert.throws(() => load(forged(sound, { columns: () => cut })), expected);
  const behind = withTerm(columns, 'traitsVulnType', Uint8Array.of(0xa1, 0x62, 0xc0));
  assert.throws(() => load(forged(sound, { columns: () => behind })), expected);
});

test('texts of a response that are not UTF-8 are refused under a valid checksum: a title, a label', () => {
  for (const byte of [0xff, 0xc3, 0x80]) {
    const title = withTexts(sound, (texts) => {
      texts[Buffer.from(texts).indexOf('Advisory 104')] = byte;
    });
    assert.throws(() => load(title), {
      code: 'bad-record',
      section: 'texts',
      message: /UTF-8 in the texts and terms of advisory 104/,
    });
    const label = forged(sound, {
      columns: ({ termBytes }) => {
        termBytes[Buffer.from(termBytes).indexOf('Paper')] = byte;
        return undefined;
      },
    });
    assert.throws(() => load(label), { code: 'bad-record' });
  }
});

test('a file that lies about the length of an item is refused under a valid checksum', () => {
  const lengths = copyColumns(sound).advisoryItemBytes;
  for (const lie of [0, lengths[4] - 1, lengths[4] + 1, 0xffff_ffff]) {
    const columns = (): Partial<IndexColumns> => ({ advisoryItemBytes: lengths.with(4, lie) });
    assert.throws(() => load(forged(sound, { columns })), {
      code: 'bad-index',
      section: 'index.advisoryItemBytes',
      offset: 4,
      expected: lie === 0xffff_ffff ? /^list items of at most/ : String(lengths[4]),
      got: String(lie),
    });
  }
  // The sum is the same.
  const columns = (): Partial<IndexColumns> => ({
    advisoryItemBytes: lengths.with(0, lengths[0] + 1).with(1, lengths[1] - 1),
  });
  assert.throws(() => load(forged(sound, { columns })), { section: 'index.advisoryItemBytes', offset: 0 });
});

test('source ids that are not UTF-8, together or one by one, are refused under a valid checksum', () => {
  const withSourceIds = (bytes: readonly number[], cut: number): Uint8Array =>
    forged(sound, {
      columns: () => ({
        spelledAdvisory: Uint32Array.of(3, 4),
        spelledId: Uint8Array.from(bytes),
        spelledIdStart: Uint32Array.of(0, cut, bytes.length),
      }),
    });
  const expected = { code: 'bad-index', section: 'index.spelledId' };
  for (const bytes of [[0xff], [0x61, 0xc3], [0xed, 0xa0, 0x80]]) {
    assert.throws(() => load(withSourceIds(bytes, 1)), expected);
  }
  assert.throws(() => load(withSourceIds([0xc3, 0xa9], 1)), expected); // a character of two advisories
  assert.equal(load(withSourceIds([0xc3, 0xa9], 2)).generation.sourceIdAt(3), 'é');
});

test('texts that inflate to more than the limit, or have bytes behind their end, are refused', () => {
  const nils = Buffer.alloc(80 << 20, 0xc0);
  nils.set([0xdd, 0x04, 0xff, 0xff, 0xfb]); // an array of as many nils as follow
  const expected = { code: 'bad-record', section: 'texts', offset: 0 };
  const { advisoryItemBytes } = copyColumns(sound);
  const bomb = deflateRawSync(nils);
  const small = forged(sound, {
    texts: bomb,
    columns: () => ({ textBlockStart: Float64Array.of(0, bomb.length), advisoryItemBytes }),
  });
  assert.ok(small.length < 1 << 20);
  assert.throws(() => load(small), expected);
  const { offset, length } = sectionBounds(sound, 'texts');
  const texts = Buffer.concat([sound.subarray(offset, offset + length), Buffer.from('trailing')]);
  const trailing = forged(sound, {
    texts,
    columns: () => ({ textBlockStart: Float64Array.of(0, texts.length) }),
  });
  assert.throws(() => load(trailing), { ...expected, message: /a stream of \d+ of its \d+ bytes/ });
});

test('starts of text blocks that are not whole numbers are refused under a valid checksum', async () => {
  const file = readBytes(
    await compileRecords(folder, inventedRecords(300, 3).map(feedJson), { name: 'blocks.vdx' }),
  );
  for (const start of [Number.NaN, 0.5, Number.POSITIVE_INFINITY]) {
    const columns: Forgery['columns'] = ({ textBlockStart }) => void textBlockStart.set([start], 1);
    assert.throws(() => load(forged(file, { columns })), {
      name: 'SnapshotError',
      section: 'index.textBlockStart',
    });
  }
});

test('texts in terms that are not UTF-8 are refused under a valid checksum, whether or not lists show them', () => {
  const columns = copyColumns(sound);
  const badText = (size: number) =>
    Uint8Array.from([0xff, 0xfe, 0xfd, 0xed, 0xa0, 0x80, 0xc0, 0xaf].slice(0, size));
  for (const bad of [badText(3), badText(8).slice(3, 6), badText(8).slice(6), Uint8Array.of(0xc3)]) {
    const text = Uint8Array.of(0xa0 + bad.length, ...bad);
    const terms = {
      advisoryLabel: [0x93, 1, ...packed('name'), ...text],
      traitsVulnType: text,
      traitsOwasp: text,
      traitsSeverity: text,
      traitsCvss: [0x92, 0xc0, ...text],
      traitsCwe: [0x92, 0xc0, ...text],
      traitsCapec: [0x92, 0xc0, ...text],
      traitsSources: [0x91, 0x94, ...text, 0xa0, 0xa0, 0xa0],
    };
    for (const [name, bytes] of Object.entries(terms)) {
      const change = withTerm(columns, name as TermColumn, Uint8Array.from(bytes));
      const expected = { code: 'bad-record', section: 'index.termBytes', message: /not UTF-8/ };
      assert.throws(() => load(forged(sound, { columns: () => change })), expected, `${name} ${bad}`);
    }
  }
});

test('items that would exceed the file many times are refused: a few bytes shared by all advisories', async () => {
  const file = readBytes(
    await compileRecords(folder, inventedRecords(400, 3).map(feedJson), { name: 'shared.vdx' }),
  );
  const shared = packed('x'.repeat(300_000));
  const change: Forgery['columns'] = ({ termStart, termBytes, traitsVulnType }) => ({
    termStart: Uint32Array.of(...termStart, termBytes.length + shared.length),
    termBytes: Buffer.concat([termBytes, shared]),
    traitsVulnType: traitsVulnType.map(() => termStart.length - 1),
  });
  const path = writeBytes(folder, 'shared-term.vdx', forged(file, { columns: change }));
  assert.throws(() => loadChecked(path), {
    code: 'bad-index',
    section: 'index.advisoryItemBytes',
    message: /list items of at most \d+ bytes/,
  });
});

test('a small file may have items of many times its size: a normal feed can have one text in all its advisories', async () => {
  const file = readBytes(
    await compileRecords(folder, inventedRecords(400, 3).map(feedJson), { name: 'small.vdx' }),
  );
  const shared = packed('x'.repeat(20_000));
  const change: Forgery['columns'] = ({ termStart, termBytes, traitsVulnType }) => ({
    termStart: Uint32Array.of(...termStart, termBytes.length + shared.length),
    termBytes: Buffer.concat([termBytes, shared]),
    traitsVulnType: traitsVulnType.map(() => termStart.length - 1),
  });
  const small = forged(file, { columns: change });
  assert.ok(400 * 20_000 > 16 * small.length, `${small.length}`);
  assert.equal(load(small).generation.advisoryCount, 400);
});

test('a term longer than any feed line is refused under a valid checksum', () => {
  const long = packed('x'.repeat(MAX_RECORD_BYTES + 5_000));
  const change: Forgery['columns'] = ({ termStart, termBytes, traitsOwasp }) => ({
    termStart: Uint32Array.of(...termStart, termBytes.length + long.length),
    termBytes: Buffer.concat([termBytes, long]),
    traitsOwasp: traitsOwasp.map(() => termStart.length - 1),
  });
  const expected = { code: 'bad-record', section: 'index.termBytes', message: /at most 2101248 bytes/ };
  assert.throws(() => load(forged(sound, { columns: change })), expected);
});

test('packed values that do not unpack are refused under a valid checksum', () => {
  // The one byte that MessagePack does not use.
  const texts = withTexts(sound, (inflated) => void inflated.fill(0xc1));
  assert.throws(() => load(texts), { code: 'bad-record', section: 'texts' });
  const change = { termBytes: copyColumns(sound).termBytes.fill(0xc1) };
  assert.throws(() => load(forged(sound, { columns: () => change })), { code: 'bad-record' });
});

/** A few lookups of every kind. */
function ask({ generation }: LoadedSnapshot): void {
  const memory = new ThreadMemory(generation);
  for (const [type, name] of [
    ['plugin', 'gallery'],
    ['theme', 'paper'],
    ['wordpress', 'wordpress'],
    ['npm', 'left'],
    ['npm', '@scope/right'],
    ['npm', 'gone'],
  ] as const) {
    for (const version of ['0.1', '1.1', '2.3.0', '4.1.8', '9.9.9']) {
      const place = generation.locate(type, name, version, memory.locator);
      if (place.kind === 'not-a-version') continue;
      memory.out.restart();
      writeLookup(memory, generation, place, false);
      generation.any(place);
      generation.findUpdate(place);
    }
  }
  for (const name of ['2026-102', 'GHSA-aaaa-bbbb', '000000000000', 'nobody']) generation.findNamed(name);
  for (const id of [101, 302, 999]) generation.findId(id);
  generation.latest('wordpress', BUILT_AT_MS, memory.windows);
}

/** Sound, and large enough for a dictionary. */
async function compileWithDictionary(): Promise<Uint8Array> {
  const records = inventedRecords(DICTIONARY_ADVISORIES, 7).map(feedJson);
  const path = await compileRecords(folder, records, { name: 'dictionary.vdx' });
  verifyDeep(readSnapshot(path));
  return readBytes(path);
}

/** A file that the loader accepts may be refused by the deep check; nothing else may fail. */
function mustSurvive(bytes: Uint8Array, what: string): 'refused' | 'loaded' {
  const path = writeBytes(folder, 'random.vdx', bytes);
  try {
    const loaded = loadSnapshot(path);
    ask(loaded);
    verifyDeep(readSnapshot(path));
    const memory = new ThreadMemory(loaded.generation);
    for (let ordinal = 0; ordinal < loaded.generation.advisoryCount; ordinal++) {
      memory.out.restart();
      writeDetail(memory, loaded.generation, ordinal);
    }
    return 'loaded';
  } catch (error) {
    assert.ok(error instanceof SnapshotError, `${what}: ${(error as Error).stack}`);
    return 'refused';
  }
}

test('random damage to the index under a valid checksum is refused or harmless', (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed);
  const { offset, length } = sectionBounds(sound, 'index');
  const seen = { refused: 0, loaded: 0 };
  for (let run = 0; run < MUTATIONS; run++) {
    const bytes = sound.slice();
    const view = new DataView(bytes.buffer, offset, length);
    const places: number[] = [];
    for (let count = dice.whole(1, 3); count > 0; count--) {
      const at = dice.whole(0, length - 4);
      places.push(at);
      const word = INTERESTING_WORDS[dice.whole(0, INTERESTING_WORDS.length - 1)];
      if (dice.fraction() < 0.4) view.setUint8(at, dice.whole(0, 255));
      else if (dice.fraction() < 0.5) view.setUint32(at & ~3, word, true);
      else view.setUint32(at & ~3, dice.whole(0, 40), true);
    }
    seen[mustSurvive(resealed(bytes), `run ${run}, index bytes ${places.join(', ')}`)]++;
  }
  t.diagnostic(`${seen.refused} refused, ${seen.loaded} harmless`);
  assert.ok(seen.refused > MUTATIONS / 4);
});

test('random damage to texts, details and bodies under a valid checksum is refused or harmless', (t) => {
  const dice = new Dice(printedSeed(t));
  const first = sectionBounds(sound, 'texts').offset;
  const last = sectionBounds(sound, 'index').offset - 1;
  for (let run = 0; run < MUTATIONS / 3; run++) {
    const bytes = sound.slice();
    const at = dice.whole(first, last);
    bytes[at] = dice.whole(0, 255);
    mustSurvive(resealed(bytes), `run ${run}, byte ${at}`);
  }
});

test('random damage to the dictionary of the details under a valid checksum is refused or harmless', async (t) => {
  const dice = new Dice(printedSeed(t));
  const file = await compileWithDictionary();
  const { offset, length } = columnBounds(file, 'detailDictionary');
  assert.ok(length > 0);
  for (let run = 0; run < MUTATIONS / 30; run++) {
    const bytes = file.slice();
    const at = offset + dice.whole(0, length - 1);
    bytes.fill(dice.whole(0, 255), at, Math.min(at + dice.whole(1, 64), offset + length));
    mustSurvive(resealed(bytes), `run ${run}, byte ${at}`);
  }
});

test('a dictionary that was cut or removed is refused: matches reach back too far', async () => {
  const file = await compileWithDictionary();
  for (const kept of [0, 100]) {
    const columns: Forgery['columns'] = ({ detailDictionary }) => ({
      detailDictionary: detailDictionary.slice(detailDictionary.length - kept),
    });
    const short = writeBytes(folder, 'short.vdx', forged(file, { columns }));
    assert.throws(() => loadChecked(short), { code: 'bad-record', section: 'details' });
  }
});
