// From an OSV tree and a Wordfence feed to answers, and again a day later, when five percent of the records
// have changed: who knows an advisory by its id still finds it, and /latest has what is new.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { Dice } from '../../src/generator/dice.ts';
import { runCommand } from '../support/command.ts';
import type { FeedJson } from '../support/feeds/advisories.ts';
import { npmEntry, type OsvJson, osvRecord } from '../support/feeds/osv.ts';
import { inventedWordfence, wordfenceJson, wordfenceRecord } from '../support/feeds/wordfence-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runProgram } from '../support/process/program.ts';
import { printedSeed } from '../support/seed.ts';
import { startServer, type TestServer } from '../support/serving/server.ts';

const OSV_RECORDS = 1200;
const WORDFENCE_RECORDS = 800;
/** Of these, one in three is changed, withdrawn, or new. */
const CHANGED_SHARE = 0.05;
/** A package that malware took over has a record of each kind, and they are one advisory. */
const TWIN_EVERY = 40;
const FIRST_DAY = '2026-05-01T06:00:00Z';
const SECOND_DAY = '2026-05-02T07:00:00Z';

function ghsa(number: number): OsvJson {
  const name = `package-${number}`;
  return osvRecord({
    id: `GHSA-0000-0000-${String(number).padStart(4, '0')}`,
    aliases: [`CVE-2026-${number}`],
    summary: `Vulnerability ${number}`,
    affected: [npmEntry(name, [{ introduced: '0' }, { fixed: `1.${number}.0` }])],
  });
}

/** A report that was made of the advisory, and so is withdrawn with it. */
function twinOf({ id, affected }: OsvJson): OsvJson {
  return osvRecord({
    id: id.replace('GHSA', 'MAL'),
    aliases: [id],
    summary: 'Malicious code',
    affected,
    database_specific: { 'malicious-packages-origins': [{ id }] },
  });
}

/** Compiling keeps this process busy for longer than a server keeps a connection on which nothing comes. */
const ONCE = { headers: { Connection: 'close' } };

/** All records of a day, by their ids: OSV's with the twins, and Wordfence's. */
interface Day {
  readonly osv: ReadonlyMap<string, OsvJson>;
  readonly wordfence: ReadonlyMap<string, FeedJson>;
}

function firstDay(seed: number): Day {
  const osv = new Map<string, OsvJson>();
  for (let number = 1; number <= OSV_RECORDS; number++) {
    const record = ghsa(number);
    osv.set(record.id, record);
    if (number % TWIN_EVERY === 0) osv.set(twinOf(record).id, twinOf(record));
  }
  const wordfence = [...inventedWordfence(WORDFENCE_RECORDS, seed)];
  return { osv, wordfence: new Map(wordfence.map((record) => [String(record.id), record])) };
}

/**
 * The next day's records, the other way round: those that are new, the ids of the withdrawn, the titles of
 * the rewritten.
 */
function secondDay(day: Day, dice: Dice) {
  const osv = new Map(day.osv);
  const wordfence = new Map(day.wordfence);
  const withdrawn = new Set<string>();
  const rewritten = new Set<string>();
  for (const [id, record] of day.osv) {
    if (!dice.chance(CHANGED_SHARE) || id.startsWith('MAL')) continue;
    if (dice.chance(0.5)) {
      osv.set(id, { ...record, details: 'Rewritten.', modified: '2026-05-01T12:00:00Z' });
      rewritten.add(String(record.summary));
    } else {
      osv.set(id, { ...record, withdrawn: '2026-05-01T12:00:00Z', modified: '2026-05-01T12:00:00Z' });
      withdrawn.add(id);
    }
  }
  for (const [id, record] of day.wordfence) {
    if (!dice.chance(CHANGED_SHARE)) continue;
    wordfence.set(id, { ...record, description: 'Rewritten.' });
    rewritten.add(String(record.title));
  }
  const newOsv = Array.from({ length: 20 }, (_, i) => ghsa(OSV_RECORDS + 1 + i));
  const newWordfence = Array.from({ length: 15 }, (_, i) => wordfenceRecord(WORDFENCE_RECORDS + 1 + i));
  for (const record of newOsv) osv.set(record.id, record);
  for (const record of newWordfence) wordfence.set(String(record.id), record);
  const reversed = { osv: new Map([...osv].toReversed()), wordfence: new Map([...wordfence].toReversed()) };
  return { day: reversed, withdrawn, rewritten, newOsv, newWordfence };
}

function writeDay(folder: string, { osv, wordfence }: Day): readonly string[] {
  const tree = join(folder, 'osv');
  rmSync(tree, { recursive: true, force: true });
  for (const [id, record] of osv) {
    const shelf = join(tree, id.slice(-2));
    mkdirSync(shelf, { recursive: true });
    writeFileSync(join(shelf, `${id}.json`), JSON.stringify(record));
  }
  const feed = join(folder, 'wordfence.json');
  writeFileSync(feed, wordfenceJson([...wordfence.values()]));
  return ['--osv', tree, '--wordfence', feed];
}

interface Item {
  readonly id: number;
  readonly title: string;
  readonly product: { readonly slug: string };
}

async function listed(server: TestServer, path: string, platform: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const response = await server.request(`${path}?platform=${platform}&per_page=500&cursor=${cursor}`, ONCE);
    assert.equal(response.status, 200, response.text);
    const body = response.json();
    items.push(...body.vulnerabilities);
    cursor = body.cursor.next_cursor;
  }
  return items;
}

const nameOf = (title: string, { slug }: Item['product']): string => `${slug} ${title}`;

/** What `diff` lists between two snapshots. */
async function diff(
  paths: readonly string[],
): Promise<{ readonly change: string; readonly title: string }[]> {
  const { status, stdout, stderr } = await runProgram(['diff', ...paths, '--json']);
  assert.equal(status, 0, stderr);
  const lines = stdout.toString().trimEnd().split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line)); // the last one is the summary
}

/** The id of each listed advisory, by what does not change: its product and title. */
async function idsByName(server: TestServer): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const platform of ['npm', 'wordpress']) {
    for (const { id, title, product } of await listed(server, '/all', platform)) {
      const name = nameOf(title, product);
      assert.ok(!ids.has(name), `${name} is listed twice`);
      ids.set(name, id);
    }
  }
  return ids;
}

test('two imports a day apart: ids stay, /latest has what is new', async (t) => {
  const seed = printedSeed(t);
  const dice = new Dice(seed);
  const folder = temporaryFolder(t);
  const server = await startServer(t);
  const compile = async (day: Day, builtAt: string): Promise<string> => {
    const sources = writeDay(folder, day);
    const words = [...sources, '--out', server.folder, '--built-at', builtAt];
    const { error, out, err } = await runCommand(addCompileCommand, 'compile', ...words);
    assert.equal(error, undefined, err);
    server.swap.scan({ includeFresh: true });
    return out;
  };
  const registry = (): string => readFileSync(join(server.folder, 'vulndex-ids.tsv'), 'utf8');

  const first = firstDay(seed);
  assert.match(await compile(first, FIRST_DAY), /^merged into one advisory: osv \+ osv \(30\)$/m);
  const before = await idsByName(server);
  assert.ok(before.size > OSV_RECORDS + WORDFENCE_RECORDS - 50, `only ${before.size} advisories`);
  const registered = registry();

  const { day, withdrawn, rewritten, newOsv, newWordfence } = secondDay(first, dice);
  assert.ok(withdrawn.size > 5, 'too few changes to show anything');
  await compile(day, SECOND_DAY);
  const snapshots = readdirSync(server.folder).filter((name) => name.endsWith('.vdx'));
  assert.equal(snapshots.length, 2);
  const after = await idsByName(server);

  let kept = 0;
  for (const [name, id] of before) {
    if (!after.has(name)) continue;
    assert.equal(after.get(name), id, name);
    kept++;
  }
  assert.equal(kept, before.size - withdrawn.size);
  assert.ok(registry().startsWith(registered), 'the registry is only appended to');

  const isNew = (name: string): boolean => !before.has(name);
  assert.equal([...after.keys()].filter(isNew).length, newOsv.length + newWordfence.length);
  for (const [platform, records] of [
    ['npm', newOsv.length],
    ['wordpress', newWordfence.length],
  ] as const) {
    const latest = await listed(server, '/latest', platform);
    const names = latest.map(({ title, product }) => nameOf(title, product));
    assert.equal(names.length, records, platform);
    assert.ok(names.every(isNew), platform);
  }

  const differences = await diff(snapshots.toSorted().map((name) => join(server.folder, name)));
  const titlesOf = (change: string): string[] =>
    differences.flatMap((each) => (each.change === change ? [each.title] : [])).sort();
  const titlesBefore = [...before.keys()].map((name) => name.slice(name.indexOf(' ') + 1));
  const bare = (title: string): string => title.replace(/^NPM: /, '');
  assert.deepEqual(
    titlesOf('changed'),
    titlesBefore
      .map(bare)
      .filter((title) => rewritten.has(title))
      .sort(),
  );
  assert.deepEqual(
    titlesOf('added'),
    [...after.keys()]
      .filter(isNew)
      .map((name) => bare(name.slice(name.indexOf(' ') + 1)))
      .sort(),
  );
  assert.deepEqual(
    titlesOf('withdrawn'),
    [...withdrawn].map((id) => String(day.osv.get(id)?.summary)).sort(),
  );
  assert.deepEqual([titlesOf('gone'), titlesOf('restored')], [[], []]);

  const [gone] = withdrawn;
  const page = await server.request(`/vulnerability/${gone}`, ONCE);
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /2026-05-01T12:00:00/);

  const again = registry();
  await compile(day, '2026-05-03T00:00:00Z');
  assert.equal(registry(), again, 'nothing is new in the same records');
});
