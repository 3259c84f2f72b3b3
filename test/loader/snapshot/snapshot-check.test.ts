// Blocks of details and bodies: wrong shapes are refused by the check; a small block that inflates to an
// enormous one costs nothing.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { BODY_BLOCK_BODIES } from '../../../src/index/columns.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { type DetailRecord, MAX_RECORD_BYTES, OpenRecords } from '../../../src/index/items/detail-record.ts';
import { loadChecked, loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { readSnapshot } from '../../../src/loader/snapshot/reader.ts';
import { SnapshotRecords } from '../../../src/loader/snapshot/records.ts';
import { SnapshotCheck } from '../../../src/loader/snapshot/snapshot-check.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { withDetailBlocks } from '../../support/snapshots/mutations.ts';
import {
  compileRecords,
  forged,
  packed,
  readBytes,
  sampleRecords,
  sectionBounds,
  writeBytes,
} from '../../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let sound: Uint8Array;
let records: readonly (readonly unknown[])[];

before(async () => {
  const path = await compileRecords(folder, sampleRecords());
  sound = readBytes(path);
  const { columns, packed: sections } = readSnapshot(path);
  const source = new SnapshotRecords(columns, sections);
  const open = new OpenRecords();
  records = [...columns.advisoryId].map((_, ordinal) => source.detailAt(ordinal, open));
});

/** A file with these detail records, few enough for one block. */
function fileOf(changed: readonly unknown[]): string {
  return writeBytes(folder, 'changed.vdx', withDetailBlocks(sound, [packed(changed)]));
}

/** The records with one member of one of them replaced. */
function withMember(ordinal: number, member: number, value: unknown): readonly unknown[] {
  return records.map((record, i) =>
    i === ordinal ? record.map((was, j) => (j === member ? value : was)) : record,
  );
}

function assertRefused(changed: readonly unknown[], message = /./): void {
  assert.throws(() => loadChecked(fileOf(changed)), { code: 'bad-record', section: 'details', message });
}

test('a detail record has a tenth member only if that is the text of a JSON object', () => {
  const withTenth = (value: unknown): readonly unknown[] =>
    records.map((record, i) => (i === 3 ? [...record, value] : record));
  assert.doesNotThrow(() => loadChecked(fileOf(withTenth('{"imports":[]}'))));
  for (const value of ['', '[]', '{"imports":', 'null', '{} {}']) {
    assertRefused(withTenth(value), /a text that is not a JSON object/);
  }
  assertRefused(withTenth(7), /instead of a string/);
  assertRefused(
    records.map((record, i) => (i === 3 ? [...record, '{}', '{}'] : record)),
    /11 elements instead of 9 or 10/,
  );
});

test('details are accepted unchanged, and with numbers in any encoding', () => {
  const path = fileOf(records);
  const withdrawnAt = Buffer.from(packed(records[10][7]));
  assert.equal(withdrawnAt[0], 0xce); // an unsigned 32-bit number
  const asInt64 = Buffer.concat([Buffer.of(0xd3, 0, 0, 0, 0), withdrawnAt.subarray(1)]);
  const block = Buffer.from(packed(records));
  const at = block.lastIndexOf(withdrawnAt);
  const rest = block.subarray(at + withdrawnAt.length);
  const changed = withDetailBlocks(sound, [Buffer.concat([block.subarray(0, at), asInt64, rest])]);
  const { generation } = loadSnapshot(writeBytes(folder, 'int64.vdx', changed));
  const tenth = ({ records }: Generation): DetailRecord => records.detailAt(10, new OpenRecords());
  assert.deepEqual(tenth(generation), tenth(loadSnapshot(path).generation));
});

test('details with a wrong shape in any member are refused by the check', () => {
  for (let member = 0; member < 9; member++) {
    for (const value of [{ odd: 1 }, 7.5, [null], [7, 7], true]) assertRefused(withMember(5, member, value));
  }
  for (const member of [0, 1, 2, 3, 6, 8]) assertRefused(withMember(5, member, null));
  assertRefused(withMember(10, 7, 253_402_300_800)); // the year 10000
  assertRefused(withMember(10, 7, -62_167_219_201));
});

test('details with too few or too many members or records are refused by the check', () => {
  const changeLast = (change: (record: readonly unknown[]) => unknown): readonly unknown[] =>
    records.map((record, i) => (i === 10 ? change(record) : record));
  assertRefused(
    changeLast((record) => record.slice(0, 8)),
    /expected 11 detail records, got 8 elements instead of 9/,
  );
  assertRefused(changeLast((record) => [...record, null]));
  assertRefused(changeLast(() => null));
  assertRefused(records.slice(0, -1));
  assertRefused([...records, records[0]]);
});

test('details with more or fewer reference titles than references are refused', () => {
  assertRefused(withMember(1, 2, []), /expected 1 reference titles of ordinal 1, got 0/);
  assertRefused(withMember(1, 2, ['one', 'two']));
});

test('details that do not inflate, or with data after the records, are refused', () => {
  const { length } = sectionBounds(sound, 'details');
  const noise = forged(sound, { details: new Uint8Array(length).fill(0xff) });
  assert.throws(() => loadChecked(writeBytes(folder, 'noise.vdx', noise)), { code: 'bad-record', offset: 0 });
  const more = withDetailBlocks(sound, [Buffer.concat([packed(records), Buffer.of(0xc0)])]);
  assert.throws(() => loadChecked(writeBytes(folder, 'more.vdx', more)), {
    code: 'bad-record',
    section: 'details',
  });
});

test('a block with bytes behind its end is refused', () => {
  const details = Buffer.concat([deflateRawSync(packed(records)), Buffer.from('trailing')]);
  const trailing = forged(sound, {
    details,
    columns: () => ({ detailBlockStart: Float64Array.of(0, details.length) }),
  });
  assert.throws(() => loadChecked(writeBytes(folder, 'trailing.vdx', trailing)), {
    code: 'bad-record',
    section: 'details',
    offset: 0,
    message: /a stream of \d+ of its \d+ bytes/,
  });
});

function assertBodiesRefused(inflated: unknown, message = /./): void {
  const bodies = new Uint8Array(deflateRawSync(packed(inflated)));
  const columns = () => ({ bodyBlockStart: Float64Array.of(0, bodies.length) });
  const file = writeBytes(folder, 'bodies.vdx', forged(sound, { bodies, columns }));
  assert.throws(() => loadChecked(file), { code: 'bad-record', section: 'bodies', offset: 0, message });
}

test('bodies are found by ordinal, and absent for every other advisory', () => {
  const { generation } = loadSnapshot(writeBytes(folder, 'sound.vdx', sound));
  const open = new OpenRecords();
  const bodies = Array.from(records, (_, ordinal) => generation.records.bodyAt(ordinal, open));
  assert.deepEqual(bodies, ['', '', '', '', '', '# One', '', '', '# Two', '', '']);
});

test('bodies that are not texts, or too few or too many, are refused by the check', () => {
  for (const wrong of [1, null, ['# One'], { text: '# One' }]) assertBodiesRefused(['# One', wrong]);
  assertBodiesRefused(['# One'], /expected 2 bodies, got 1 elements instead of 2/);
  assertBodiesRefused(['# One', '# Two', '# Three']);
  assertBodiesRefused('# One');
});

test('bodies that do not inflate are refused', () => {
  const { length } = sectionBounds(sound, 'bodies');
  const noise = forged(sound, { bodies: new Uint8Array(length).fill(0xff) });
  const file = writeBytes(folder, 'noise.vdx', noise);
  assert.throws(() => loadChecked(file), { code: 'bad-record', section: 'bodies', offset: 0 });
});

test('a small block that inflates to an enormous one is refused, and the process that checks it stays small', () => {
  const nils = Buffer.alloc(256 << 20, 0xc0);
  nils.set([0xdd, 0x0f, 0xff, 0xff, 0xfb]); // an array of as many nils as follow
  const bomb = withDetailBlocks(sound, [nils]);
  assert.ok(bomb.length < 1 << 20);
  const path = writeBytes(folder, 'bomb.vdx', bomb);
  const module = new URL('../../../src/loader/snapshot/load.ts', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then(({ loadChecked }) => {
      const before = process.resourceUsage().maxRSS;
      try { loadChecked(${JSON.stringify(path)}); } catch (error) { console.log(error.code); }
      console.log(process.resourceUsage().maxRSS - before);
    });`;
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8' });
  const [code, grownKilobytes] = stdout.trim().split('\n');
  assert.equal(code, 'bad-record');
  assert.ok(Number(grownKilobytes) < 128 << 10, `${grownKilobytes} KB more`);
});

/** A file of so many advisories with these bodies. */
async function bodiesFile(count: number, details: string): Promise<string> {
  const each = Array.from({ length: count }, (_, i) => feedRecord(i + 1, { details }));
  return compileRecords(folder, each, { name: 'bodies.vdx' });
}

test('a check goes on from where it was when its time was over', async () => {
  const loaded = loadSnapshot(await bodiesFile(20 * BODY_BLOCK_BODIES, 'a'.repeat(100)));
  const check = new SnapshotCheck(loaded);
  let turns = 1;
  while (!check.run(0)) turns++;
  assert.ok(turns > 20, String(turns));
});

test('a small file whose sound blocks inflate to hundreds of megabytes is refused', async () => {
  const blocks = 17; // of eight bodies of 2 MiB
  const small = readBytes(await bodiesFile(blocks * BODY_BLOCK_BODIES, 'a'));
  const block = deflateRawSync(packed(Array(BODY_BLOCK_BODIES).fill('a'.repeat(MAX_RECORD_BYTES))));
  const bodyBlockStart = Float64Array.from({ length: blocks + 1 }, (_, i) => i * block.length);
  const bodies = Buffer.concat(Array<Buffer>(blocks).fill(block));
  const bomb = forged(small, { bodies, columns: () => ({ bodyBlockStart }) });
  assert.ok(bomb.length < 1 << 20);
  assert.throws(() => loadChecked(writeBytes(folder, 'bombs.vdx', bomb)), {
    code: 'bad-record',
    section: 'bodies',
    message: /blocks that make at most \d+ bytes together/,
  });
});

test('a small block with more texts than any feed is refused', () => {
  const cves = Array<string>(MAX_RECORD_BYTES / 2 + 1).fill('');
  assertRefused(withMember(1, 1, cves), /1048577 texts, more than 1048576/);
});
