import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileSources, type SourcesPlan } from '../../../src/cli/sources/compile-sources.ts';
import type { OpenSource } from '../../../src/cli/sources/sources.ts';
import { SourceError } from '../../../src/download/source-error.ts';
import { parsePreference } from '../../../src/importers/assemble/preference.ts';
import { packEntry } from '../../../src/importers/packed-draft.ts';
import type { Draft, SourceEntry } from '../../../src/importers/source.ts';
import type { SourceReader } from '../../../src/importers/source-kind.ts';
import { feed as feeds, osv, wordfence } from '../../../src/importers/source-kinds.ts';
import { ItemView } from '../../../src/index/items/item-view.ts';
import { loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { verifySnapshot } from '../../../src/loader/snapshot/verify-deep.ts';
import { feedRecord, writeFeed } from '../../support/feeds/advisories.ts';
import { draftOf, sourceOf } from '../../support/feeds/drafts.ts';
import { preferenceInOrder } from '../../support/feeds/preference.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 10);

/**
 * Compiles an OSV and a Wordfence source with these entries; a reader stands for one that behaves
 * differently.
 */
function workplace(t: FolderOwner) {
  const folder = temporaryFolder(t);
  const out = join(folder, 'x.vdx');
  const printed: string[] = [];
  return {
    folder,
    out,
    printed,
    written: () => readdirSync(folder).sort(),
    compile(
      ofOsv: readonly (Draft | SourceEntry)[] | SourceReader,
      ofWordfence: readonly (Draft | SourceEntry)[] = [],
      changes: Partial<SourcesPlan> = {},
    ) {
      const open: OpenSource = async ({ kind }) => {
        if (kind === wordfence) return sourceOf('wordfence', ofWordfence);
        return 'read' in ofOsv ? ofOsv : sourceOf('osv', ofOsv);
      };
      const plan: SourcesPlan = {
        sources: [
          { kind: osv, location: 'a' },
          { kind: wordfence, location: 'b' },
        ],
        preference: preferenceInOrder(2),
        out,
        guards: {},
        skipInvalid: false,
        strict: false,
        builtAtMs: BUILT_AT_MS,
        ...changes,
      };
      return compileSources(plan, (line) => printed.push(line), open);
    },
  };
}

const GOOD = Array.from({ length: 200 }, (_, i) => draftOf(`GHSA-${i}`, { cves: [`CVE-2026-${i}`] }));
const BAD = [draftOf('BAD-1', { url: 'nowhere' }), draftOf('BAD-2', { affected: [] })];

test('sources become a snapshot with the registry of ids beside it, and a summary', async (t) => {
  const { compile, out, written, folder, printed } = workplace(t);
  const skipped = { kind: 'skipped', place: { file: 'a' }, reason: 'ecosystem PyPI' } as const;
  const result = await compile([...GOOD, skipped], [draftOf('wf-1', { cves: ['CVE-2026-7'] })]);
  assert.equal(verifySnapshot(out).generation.advisoryCount, 200);
  assert.deepEqual(written(), ['vulndex-ids.tsv', 'x.vdx']);
  assert.deepEqual([result.advisories, result.rejects, result.rejectsPath], [200, 0, undefined]);
  assert.deepEqual([...(result.summary?.mergedPairs ?? [])], [['osv + wordfence', 1]]);
  const lines = readFileSync(join(folder, 'vulndex-ids.tsv'), 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 1 + 200 + 1 + 1); // header, records of both sources, the product
  assert.deepEqual(printed, []);
});

test('sources become a snapshot with the same bytes and registry in a second run', async (t) => {
  const { compile, out, folder } = workplace(t);
  await compile(GOOD);
  const before = [readFileSync(out), readFileSync(join(folder, 'vulndex-ids.tsv'))];
  await compile(GOOD, [], { builtAtMs: BUILT_AT_MS });
  assert.deepEqual([readFileSync(out), readFileSync(join(folder, 'vulndex-ids.tsv'))], before);
});

test('sources become a snapshot in a folder, with the registry in it or where --ids says', async (t) => {
  const { compile, folder } = workplace(t);
  const out = join(folder, 'snapshots/');
  mkdirSync(out);
  await compile(GOOD, [], { out });
  assert.deepEqual(
    readdirSync(out)
      .map((name) => name.replace(/-[0-9a-f]{16}/, ''))
      .sort(),
    ['vulndex-20260110T000000Z.vdx', 'vulndex-ids.tsv'],
  );
  await compile(GOOD, [], { idsPath: join(folder, 'ids') });
  assert.match(readFileSync(join(folder, 'ids'), 'utf8'), /^vulndex-ids\t1\n/);
});

test('sources become a snapshot by an order of preference', async (t) => {
  const { compile, out } = workplace(t);
  const both = [draftOf('A', { cves: ['1'] }), draftOf('W', { cves: ['1'] })];
  const preference = parsePreference(['title=wordfence'], ['osv', 'wordfence']);
  await compile([both[0]], [both[1]], { preference });
  const { generation } = loadSnapshot(out);
  assert.match(new ItemView(generation).enter(0).text('title') ?? '', /About W/);
});

test('rejects are written next to the snapshot, printed and counted', async (t) => {
  const { compile, out, printed } = workplace(t);
  const { rejects, rejectsPath, summary } = await compile([...GOOD, ...BAD]);
  assert.deepEqual([rejects, rejectsPath], [2, `${out}.rejects.ndjson`]);
  const lines = readFileSync(`${out}.rejects.ndjson`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ file, entry, problems }) => [file, entry, problems[0].field]),
    [
      ['source', 'BAD-1', 'url'],
      ['source', 'BAD-2', 'affected'],
    ],
  );
  assert.match(printed[0], /^source: BAD-1: url: must be an absolute/);
  assert.equal(printed.length, 2);
  assert.deepEqual(Object.fromEntries(summary?.sources[0].rejectedBy ?? []), { url: 1, affected: 1 });
});

test('too many rejects stop it: nothing is published or registered, and the rejects are kept to look at', async (t) => {
  const { compile, out, written } = workplace(t);
  writeFileSync(out, 'what was there');
  writeFileSync(`${out}.rejects.ndjson`, 'its rejects');
  const stopped = compile([...GOOD.slice(0, 100), ...BAD]);
  await assert.rejects(stopped, {
    name: 'CommandError',
    message:
      /^\w+: 2 entries of 102 read were rejected \(2\.0 %\), and --max-reject allows 1 % of a source; nothing was published\. They are in \S+x\.vdx\.stopped\.rejects\.ndjson with the reasons/,
  });
  assert.deepEqual(written(), ['x.vdx', 'x.vdx.rejects.ndjson', 'x.vdx.stopped.rejects.ndjson']);
  assert.equal(readFileSync(out, 'utf8'), 'what was there');
  assert.equal(readFileSync(`${out}.stopped.rejects.ndjson`, 'utf8').trimEnd().split('\n').length, 2);
  await compile([...GOOD.slice(0, 100), ...BAD], [], { guards: { maxRejectPercent: 2 } });
  assert.deepEqual(written(), ['vulndex-ids.tsv', 'x.vdx', 'x.vdx.rejects.ndjson']);
});

test('rejects of sources are not for --skip-invalid, which is for feeds alone', async (t) => {
  const { compile } = workplace(t);
  await assert.rejects(compile(GOOD, [], { skipInvalid: true }), {
    name: 'UsageError',
    message: /--skip-invalid is for feeds alone/,
  });
});

test('nothing is published and no id registered if a source cannot be read to its end', async (t) => {
  const { compile, written } = workplace(t);
  const broken: SourceReader = {
    ...sourceOf('osv', []),
    async *read() {
      yield GOOD.map((draft) => packEntry({ kind: 'draft', draft, warnings: [] }));
      throw new SourceError('all.zip: ends too early');
    },
  };
  await assert.rejects(compile(broken), { name: 'CommandError', message: 'all.zip: ends too early' });
  assert.deepEqual(written(), []);
});

test('nothing is published and no id registered if the examination refuses the snapshot', async (t) => {
  const { compile, written, out } = workplace(t);
  const seen: string[] = [];
  const refused = compile(GOOD, [], {
    guards: {
      examine: ({ path, target }) => {
        assert.equal(verifySnapshot(path).generation.advisoryCount, 200);
        seen.push(target);
        throw new SourceError('it lost too much');
      },
    },
  });
  await assert.rejects(refused, { name: 'CommandError', message: 'it lost too much' });
  assert.deepEqual(seen, [out]);
  assert.deepEqual(written(), []);
});

test('nothing is published and no id registered if there are no advisories', async (t) => {
  const { compile, written } = workplace(t);
  await assert.rejects(compile([]), {
    message: /^there are no valid advisories to compile; nothing was written$/,
  });
  assert.deepEqual(written(), []);
});

const unreadable: SourceReader = { ...sourceOf('osv', []), read: () => assert.fail('the source was read') };

test('a registry that is a folder or something else is refused before any source is read', async (t) => {
  const { compile, folder, written } = workplace(t);
  mkdirSync(join(folder, 'ids'));
  const refused = compile(unreadable, [], { idsPath: join(folder, 'ids') });
  await assert.rejects(refused, {
    name: 'CommandError',
    message: /this is a folder; name another with --ids/,
  });
  writeFileSync(join(folder, 'vulndex-ids.tsv'), 'something else');
  await assert.rejects(compile(unreadable), { name: 'CommandError', message: /is not a registry of ids/ });
  assert.deepEqual(written(), ['ids', 'vulndex-ids.tsv']);
});

test('standard output without --ids is refused before any source is read', async (t) => {
  const { compile } = workplace(t);
  await assert.rejects(compile(unreadable, [], { out: '-' }), { name: 'UsageError', message: /--ids/ });
});

test('a torn registry is reported and made whole', async (t) => {
  const { compile, folder, printed } = workplace(t);
  await compile(GOOD);
  const ids = join(folder, 'vulndex-ids.tsv');
  const whole = readFileSync(ids, 'utf8');
  writeFileSync(ids, `${whole}advisory\t10000`);
  await compile(GOOD);
  assert.match(
    printed.join('\n'),
    /vulndex-ids\.tsv:203: warning: the last line has no line feed: .* cut off$/,
  );
  assert.equal(readFileSync(ids, 'utf8'), whole);
});

test('a lock that a dead command left is removed, with a warning', async (t) => {
  const { compile, folder, printed, written } = workplace(t);
  const lock = join(folder, 'vulndex-ids.tsv.lock');
  writeFileSync(lock, '17 another-host.invalid\n');
  utimesSync(lock, 1, 1);
  await compile(GOOD);
  assert.deepEqual(printed, [`warning: removed ${lock}, whose holder has ended`]);
  assert.deepEqual(written(), ['vulndex-ids.tsv', 'x.vdx']);
});

test('a command whose lock was taken over registers and publishes nothing', async (t) => {
  const { compile, folder, written } = workplace(t);
  const takeOver = (): void =>
    writeFileSync(join(folder, 'vulndex-ids.tsv.lock'), '17 another-host.invalid\n');
  await assert.rejects(compile(GOOD, [], { guards: { examine: takeOver } }), {
    name: 'CommandError',
    message: /vulndex-ids\.tsv\.lock was taken over by another command/,
  });
  assert.deepEqual(written(), ['vulndex-ids.tsv.lock']);
});

test('a lock that another command holds is waited for, and the wait is reported', async (t) => {
  const { compile, folder, printed, written } = workplace(t);
  const lock = join(folder, 'vulndex-ids.tsv.lock');
  writeFileSync(lock, `${process.pid} ${hostname()}\n`);
  const compiling = compile(GOOD);
  await until('the wait to be told', () => printed.length > 0);
  assert.equal(printed[0], `waiting for ${join(folder, 'vulndex-ids.tsv')}: another command has locked it`);
  rmSync(lock);
  assert.equal((await compiling).advisories, 200);
  assert.deepEqual(written(), ['vulndex-ids.tsv', 'x.vdx']);
});

test('two compilations at once give no number twice', async (t) => {
  const { compile, folder } = workplace(t);
  const others = GOOD.map((_, i) => draftOf(`MAL-${i}`));
  await Promise.all([
    compile(GOOD, [], { out: join(folder, 'a.vdx') }),
    compile(others, [], { out: join(folder, 'b.vdx') }),
  ]);
  const lines = readFileSync(join(folder, 'vulndex-ids.tsv'), 'utf8').split('\n');
  const numbers = lines.filter((line) => line.startsWith('advisory')).map((line) => line.split('\t')[1]);
  assert.equal(numbers.length, 400);
  assert.equal(new Set(numbers).size, 400);
});

test('feeds alone go straight to the compiler, without a registry', async (t) => {
  const { compile, folder, written } = workplace(t);
  const feed = join(folder, 'feed.ndjson');
  writeFeed(feed, [feedRecord(1), feedRecord(2)]);
  const result = await compile([], [], { sources: [{ kind: feeds, location: feed }] });
  assert.equal(result.summary, undefined);
  assert.equal(result.advisories, 2);
  assert.deepEqual(written(), ['feed.ndjson', 'x.vdx']);
});

test('for feeds alone, --max-reject bounds what --skip-invalid accepts', async (t) => {
  const { compile, folder, out } = workplace(t);
  const feed = join(folder, 'feed.ndjson');
  writeFeed(feed, [feedRecord(1), feedRecord(2, { title: 7 })]);
  const plan = { sources: [{ kind: feeds, location: feed }], skipInvalid: true } as const;
  const guards = { maxRejectPercent: 49 };
  await assert.rejects(compile([], [], { ...plan, guards }), {
    message: /: 1 entry of 2 read was rejected \(50\.0 %\)/,
  });
  assert.equal((await compile([], [], plan)).rejectsPath, `${out}.rejects.ndjson`);
});
