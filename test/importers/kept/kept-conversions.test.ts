import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import { KeptConversions, type KeptOptions } from '../../../src/importers/kept/kept-conversions.ts';
import { openOsv } from '../../../src/importers/osv/osv.ts';
import type { PackedSourceEntry } from '../../../src/importers/packed-draft.ts';
import type { SourceReader } from '../../../src/importers/source-kind.ts';
import { openWordfence } from '../../../src/importers/wordfence/wordfence.ts';
import { npmEntry, osvRecord } from '../../support/feeds/osv.ts';
import { wordfenceRecord } from '../../support/feeds/wordfence-feed.ts';
import { ZipArchive } from '../../support/feeds/zip-archive.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

/** Counts what it finds. */
class Counting extends KeptConversions {
  found = 0;

  override find(key: string): Uint8Array | undefined {
    const conversion = super.find(key);
    if (conversion !== undefined) this.found++;
    return conversion;
  }
}

interface Run {
  readonly found: number;
  readonly lines: readonly string[];
}

/** One run that keeps such pairs of a name and bytes, each of which it looks for first. */
function run(
  path: string,
  entries: Readonly<Record<string, string>>,
  options: Partial<KeptOptions> = {},
): Run & { readonly texts: readonly string[] } {
  const lines: string[] = [];
  const kept = new Counting(path, { program: 'one', report: (line) => lines.push(line), ...options });
  const texts = Object.entries(entries).map(([name, content]) => {
    const key = kept.keyOf({ file: 'all.zip', entry: name }, Buffer.from(content));
    const conversion = kept.find(key) ?? Buffer.from(`made of ${content}`);
    kept.keep(key, conversion);
    return Buffer.from(conversion).toString();
  });
  kept.publish();
  return { found: kept.found, lines, texts };
}

const ENTRIES = Object.fromEntries(
  Array.from({ length: 20 }, (_, i) => [`e${i}`, `content ${i} `.repeat(9)]),
);
const MADE = Object.values(ENTRIES).map((content) => `made of ${content}`);
const keptIn = (t: TestContext): string => join(temporaryFolder(t), 'osv-0123456789abcdef.kept');

test('what was kept is found by name and bytes, and by nothing less', (t) => {
  const path = keptIn(t);
  assert.deepEqual(run(path, ENTRIES), { found: 0, lines: [], texts: MADE });
  const { mtimeMs, ino } = statSync(path);
  assert.deepEqual(run(path, ENTRIES), { found: 20, lines: [], texts: MADE });
  assert.deepEqual([statSync(path).mtimeMs, statSync(path).ino], [mtimeMs, ino], 'it is not written again');
  assert.equal(run(path, { ...ENTRIES, e3: 'other', e4: ENTRIES.e5, new: ENTRIES.e6 }).found, 18);
  assert.equal(run(path, { e1: ENTRIES.e1, new: ENTRIES.e6, e3: 'other' }).found, 3);
  assert.equal(
    run(path, { e1: ENTRIES.e1, e2: ENTRIES.e2 }).found,
    1,
    'what the last run had not is forgotten',
  );
});

test('what another program has made is not used, without a word', (t) => {
  const path = keptIn(t);
  run(path, ENTRIES);
  assert.deepEqual(run(path, ENTRIES, { program: 'two' }), { found: 0, lines: [], texts: MADE });
  assert.equal(run(path, ENTRIES, { program: 'two' }).found, 20);
});

test('no more is kept than there may be', (t) => {
  const path = keptIn(t);
  const maxBytes = 10 * MADE[0].length;
  run(path, ENTRIES, { maxBytes });
  assert.ok(statSync(path).size < maxBytes + 20 * 28 + 200);
  const { found, texts } = run(path, ENTRIES, { maxBytes });
  assert.ok(found === 9 || found === 10, String(found));
  assert.deepEqual(texts, MADE);
});

test('a file with any byte changed costs one line and no answer', (t) => {
  const path = keptIn(t);
  run(path, ENTRIES);
  const sound = readFileSync(path);
  const dice = new Dice(printedSeed(t));
  let damaged = 0;
  for (let round = 0; round < volume(300); round++) {
    const bytes = Buffer.from(sound);
    bytes[dice.whole(0, bytes.length - 1)] ^= 1 << dice.whole(0, 7);
    writeFileSync(path, bytes);
    const { lines, texts, found } = run(path, ENTRIES);
    assert.deepEqual(texts, MADE);
    assert.equal(lines.length, 1, `${found} found`);
    assert.match(lines[0], /^warning: \S+\.kept: (is|has) .*; what it still held is converted again$/);
    assert.ok(readFileSync(path).equals(sound), 'the next file is sound');
    damaged++;
  }
  assert.ok(damaged > 0);
});

test('a truncated, empty or foreign file is not used, and is replaced', (t) => {
  const path = keptIn(t);
  run(path, ENTRIES);
  const sound = readFileSync(path);
  const dice = new Dice(printedSeed(t));
  const cut = Array.from({ length: 20 }, () => sound.subarray(0, dice.whole(0, sound.length - 1)));
  const huge = Buffer.from(sound);
  huge.writeDoubleLE(2 ** 40, huge.length - 40); // as many entries as no file has
  const longer = Buffer.concat([sound, Buffer.from('x')]);
  for (const bytes of [
    ...cut,
    Buffer.alloc(0),
    Buffer.from('PK'),
    randomBytes(5000),
    Buffer.alloc(5000),
    huge,
    longer,
  ]) {
    writeFileSync(path, bytes);
    const { lines, texts, found } = run(path, ENTRIES);
    assert.deepEqual([found, lines.length], [0, 1]);
    assert.deepEqual(texts, MADE);
    assert.ok(readFileSync(path).equals(sound));
  }
  rmSync(path);
  mkdirSync(path);
  const { lines, texts } = run(path, ENTRIES);
  assert.deepEqual(texts, MADE);
  assert.match(lines.join('\n'), /EISDIR[^\n]*\n.*cannot be written/);
});

test('a run that ends early leaves the file as it was, and nothing beside it', (t) => {
  const path = keptIn(t);
  run(path, ENTRIES);
  const sound = readFileSync(path);
  const kept = new KeptConversions(path, { program: 'one', report: assert.fail });
  kept.keep(kept.keyOf({ file: 'all.zip' }, Buffer.from('x')), Buffer.from('y'));
  kept.close();
  kept.close();
  assert.ok(readFileSync(path).equals(sound));
  assert.equal(readdirSync(join(path, '..')).length, 1);
});

test('a file that cannot be written costs one line', (t) => {
  const path = keptIn(t);
  const lines: string[] = [];
  const kept = new KeptConversions(path, { program: 'one', report: (line) => lines.push(line) });
  kept.keep(kept.keyOf({ file: 'all.zip' }, Buffer.from('x')), Buffer.from('y'));
  rmSync(join(path, '..'), { recursive: true });
  kept.publish();
  assert.equal(existsSync(path), false);
  assert.match(
    lines.join('\n'),
    /^warning: \S+\.kept: cannot be written \(ENOENT.*\); the next run takes longer$/,
  );
});

/** Entries of a source that is changed from round to round. */
interface Changing {
  write(entries: ReadonlyMap<string, string>): void;
  open(kept?: KeptConversions): SourceReader;
}

function changingZip(folder: string): Changing {
  const path = join(folder, 'all.zip');
  return {
    write: (entries) => {
      const archive = new ZipArchive(path);
      for (const [name, text] of entries)
        archive.add(`${name}.json`, text, text.length % 3 === 0 ? { method: 0 } : {});
      archive.add('README.md', 'x');
      archive.add('damaged.json', '{}', { crc: 1 });
      archive.finish();
    },
    open: (kept) => openOsv(path, kept),
  };
}

function changingTree(folder: string): Changing {
  const path = join(folder, 'tree');
  return {
    write: (entries) => {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
      for (const [name, text] of entries) writeFileSync(join(path, `${name}.json`), text);
    },
    open: (kept) => openOsv(path, kept),
  };
}

function changingFeed(folder: string): Changing {
  const path = join(folder, 'feed.json');
  return {
    write: (entries) => {
      const members = [...entries].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
      writeFileSync(path, `{${[...members, members[0]].join(',')}}`); // one name twice
    },
    open: (kept) => openWordfence(path, kept),
  };
}

/** Sound records, and some that are skipped, warned about, rejected whole, or as drafts. */
function osvText(dice: Dice, name: string): string {
  const changes = dice.pick([
    {},
    { details: dice.whole(0, 1e9).toString(36) },
    { severity: [{ type: 'CVSS_V3', score: '?' }] },
    { affected: [{ package: { ecosystem: 'Acme', name: 'a' } }, npmEntry('b', [{ introduced: '0' }])] },
    { affected: [npmEntry('a', []), npmEntry('b', []), npmEntry('c', [{ introduced: '0' }])] },
    { summary: '\u0000 \ud800', details: 'x'.repeat(dice.whole(0, 5000)) },
    { summary: 7 },
  ]);
  return dice.chance(0.05) ? '{' : JSON.stringify(osvRecord({ id: name, aliases: [], ...changes }));
}

function wordfenceText(dice: Dice): string {
  const changes = dice.pick([{}, { title: dice.whole(0, 1e9).toString(36) }, { software: [] }, { cvss: 7 }]);
  return dice.chance(0.05) ? '{"a":1,"a":2}' : JSON.stringify(wordfenceRecord(dice.whole(0, 9), changes));
}

async function read(source: SourceReader): Promise<unknown[]> {
  const entries: PackedSourceEntry[] = [];
  for await (const batch of source.read(() => {})) entries.push(...batch);
  const plain = entries.map((entry) => {
    if (entry.kind === 'packed') {
      return { ...entry, draft: { ...entry.draft, row: Buffer.from(entry.draft.row).toString('latin1') } };
    }
    if (entry.kind === 'skipped') return entry;
    return { reject: { ...entry.reject, bytes: Buffer.from(entry.reject.bytes).toString('latin1') } };
  });
  return JSON.parse(JSON.stringify(plain)); // where no number is kept, none is undefined
}

const SOURCES = {
  'a zip archive': { change: changingZip, text: osvText },
  'a folder': { change: changingTree, text: osvText },
  "Wordfence's feed": { change: changingFeed, text: wordfenceText },
} as const;

for (const [what, { change, text }] of Object.entries(SOURCES)) {
  test(`${what} says the same with and without what was kept, however it changes`, async (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'source.kept');
    const dice = new Dice(printedSeed(t));
    const source = change(folder);
    let entries = new Map(Array.from({ length: 60 }, (_, i) => [`GHSA-${i}`, text(dice, `GHSA-${i}`)]));
    const seen = { found: 0, changed: 0 };
    for (let round = 0; round < volume(100); round++) {
      source.write(entries);
      const kept = new Counting(path, { program: 'one', report: assert.fail });
      const withKept = await read(source.open(kept));
      // Now and then a run ends before it publishes.
      if (dice.chance(0.8)) kept.publish();
      kept.close();
      assert.deepEqual(withKept, await read(source.open()));
      seen.found += kept.found;
      const next = [...entries];
      for (let i = dice.whole(0, 5); i > 0; i--) {
        seen.changed++;
        const at = dice.whole(0, next.length - 1);
        const [name, content] = next[at];
        const kind = dice.pick(['add', 'remove', 'alter', 'rename', 'swap', 'move'] as const);
        if (kind === 'add') next.push([`GHSA-new-${round}-${i}`, text(dice, `GHSA-new-${round}`)]);
        else if (kind === 'remove' && next.length > 2) next.splice(at, 1);
        else if (kind === 'alter') next[at] = [name, text(dice, name)];
        else if (kind === 'rename') next[at] = [`${name}-r${round}`, content];
        else if (kind === 'swap')
          [next[at], next[0]] = [
            [name, next[0][1]],
            [next[0][0], content],
          ];
        else if (kind === 'move') next.unshift(...next.splice(at, 1));
      }
      entries = new Map(next);
    }
    assert.ok(seen.found > volume(100) * 20 && seen.changed > 0, JSON.stringify(seen));
  });
}

test('an archive whose entries are known is still checked as a whole', async (t) => {
  const folder = temporaryFolder(t);
  const source = changingZip(folder);
  const path = join(folder, 'source.kept');
  source.write(new Map([['a', JSON.stringify(osvRecord())]]));
  const kept = new KeptConversions(path, { program: 'one', report: assert.fail });
  await read(source.open(kept));
  kept.publish();
  const zip = join(folder, 'all.zip');
  truncateSync(zip, statSync(zip).size - 1);
  const again = new KeptConversions(path, { program: 'one', report: assert.fail });
  await assert.rejects(read(source.open(again)), { name: 'SourceError' });
  again.close();
});
