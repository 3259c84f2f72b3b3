import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { addGenerateCommand, generateTo } from '../../src/cli/generate.ts';
import { generateFeed } from '../../src/generator/feed.ts';
import type { FeedRecord } from '../../src/generator/feed-record.ts';
import { FeedImporter } from '../../src/importers/feed/feed.ts';
import { formatProblem } from '../../src/importers/source.ts';
import { formComplaint } from '../../src/index/name-forms.ts';
import { PRODUCT_TYPE_TABLE, productTypeFacts, storedSlug } from '../../src/index/product-type.ts';
import { versionKey } from '../../src/index/versions/version-key.ts';
import { killWhen, runProgram } from '../support/process/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'vulndex-generator-'));
after(() => rmSync(folder, { recursive: true }));

const ADVISORIES = 12_000; // large enough for shares below one percent
const records = [...generateFeed({ advisories: ADVISORIES, seed: 1 })];

function textOf(advisories: number, seed: number): string {
  return [...generateFeed({ advisories, seed })].map((record) => `${JSON.stringify(record)}\n`).join('');
}

async function problemsOf(text: string): Promise<{ problems: string[]; advisories: number }> {
  const path = join(folder, 'feed.ndjson');
  writeFileSync(path, text);
  const problems: string[] = [];
  let advisories = 0;
  for await (const batch of new FeedImporter().read(path)) {
    for (const entry of batch) {
      if (entry.kind === 'advisory') advisories++;
      else problems.push(...formatProblem(entry.reject));
    }
  }
  return { problems, advisories };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function assertBetween(value: number, low: number, high: number, what: string): void {
  assert.ok(value >= low && value <= high, `${what} is ${value}, not from ${low} to ${high}`);
}

function assertShare(
  what: string,
  low: number,
  high: number,
  has: (record: FeedRecord) => boolean,
  among: readonly FeedRecord[] = records,
): void {
  assertBetween(among.filter(has).length / among.length, low, high, `share of ${what}`);
}

const ofType = (type: string): FeedRecord[] => records.filter(({ product }) => product.type === type);
/** Of the types whose proportions are known from real feeds. */
const measured = ['plugin', 'theme', 'wordpress', 'npm'].flatMap(ofType);
const spansOf = (list: readonly FeedRecord[]) => list.flatMap(({ affected }) => affected ?? []);

function advisoriesPerProduct(type: string): number[] {
  const counts = new Map<string, number>();
  for (const { product } of ofType(type)) counts.set(product.slug, (counts.get(product.slug) ?? 0) + 1);
  return [...counts.values()];
}

test('a generated feed is the same for the same seed and different for another', () => {
  assert.equal(textOf(300, 5), textOf(300, 5));
  const other = new Set(textOf(300, 6).split('\n'));
  assert.ok(
    textOf(300, 5)
      .split('\n')
      .every((line) => line === '' || !other.has(line)),
  );
});

test('a generated feed passes the importer without a reject, whatever the seed', async () => {
  for (const [advisories, seed] of [
    [3000, 1],
    [3000, 2 ** 32 - 1],
    [1, 3],
    [7, 0],
  ] as const) {
    assert.deepEqual(await problemsOf(textOf(advisories, seed)), { problems: [], advisories });
  }
});

test('a generated feed does not compress unrealistically well', () => {
  const text = textOf(1000, 1);
  assert.ok(text.length / gzipSync(text).length < 8);
});

test('a generated feed has ascending ids', () => {
  assert.ok(records.every((record, at) => at === 0 || record.id > records[at - 1].id));
});

test('a generated feed has dates that mostly ascend with ids, and its newest percent is within 24 hours', () => {
  const created = records.map(({ created_at }) => Date.parse(created_at));
  const descents = created.filter((instant, at) => at > 0 && instant < created[at - 1]).length;
  assertBetween(descents / ADVISORIES, 0.005, 0.04, 'share of descents');
  const newest = Math.max(...created);
  const recent = created.filter((instant) => instant >= newest - 86_400_000).length;
  assertBetween(recent / ADVISORIES, 0.009, 0.011, 'share of the last day');
});

test('a generated feed names each product in only one way', () => {
  const slugs = new Map(records.map(({ product }) => [`${product.type} ${product.slug}`, product.id]));
  const ids = new Map(records.map(({ product }) => [product.id, `${product.type} ${product.slug}`]));
  assert.equal(slugs.size, ids.size);
  for (const [slug, id] of slugs) assert.equal(ids.get(id), slug);
});

test('a generated feed has realistic proportions of product types', () => {
  assertShare('plugins', 0.7, 0.72, ({ product }) => product.type === 'plugin');
  assertShare('themes', 0.055, 0.065, ({ product }) => product.type === 'theme');
  assertShare('WordPress itself', 0.014, 0.016, ({ product }) => product.type === 'wordpress');
  assertShare('npm', 0.145, 0.155, ({ product }) => product.type === 'npm');
  assertShare('scoped packages', 0.12, 0.28, ({ product }) => product.slug.startsWith('@'), ofType('npm'));
  assertShare('decimal WordPress products', 0.01, 0.03, ({ version_scheme }) => version_scheme === 'decimal');
});

test('a generated feed has at least three products of every type but WordPress itself, and few of the rarer', () => {
  for (const { name } of PRODUCT_TYPE_TABLE) {
    const isRare = !measured.some(({ product }) => product.type === name);
    if (isRare) assertShare(name, 0.006, 0.013, ({ product }) => product.type === name);
  }
  const small = [...generateFeed({ advisories: 1_000, seed: 3 })];
  for (const { name } of PRODUCT_TYPE_TABLE.filter(({ name }) => name !== 'wordpress')) {
    const slugs = small.filter(({ product }) => product.type === name).map(({ product }) => product.slug);
    assert.ok(new Set(slugs).size >= 3, `${name}: ${slugs.join()}`);
  }
});

test('a generated name has the form of its type, and no two fold to one', () => {
  const forms = new Map<string, RegExp>([
    ['npm', /^(@[a-z]+\/)?[a-z]+[-._][a-z]+$/],
    ['composer', /^[A-Za-z]+\/[a-z]+-[a-z]+$/],
    ['pypi', /^(Django-)?[A-Za-z]+[-._][a-z]+$/],
    ['golang', /^git(hub|lab)\.com\/[A-Za-z]+\/[a-z]+-[a-z]+(\/v([2-9]|\d\d))?$/],
    ['gem', /^[a-z]+[-_][a-z]+$/],
    ['cargo', /^[a-z]+[-_][a-z]+(-rs)?$/],
    ['maven', /^(org|com|io)\.[a-z]+:[a-z]+-[a-z]+$/],
    ['nuget', /^[A-Z][a-z]+\.[A-Z][a-z]+(\.Core)?$/],
  ]);
  for (const { name: type, hasTitles, looseFold } of PRODUCT_TYPE_TABLE) {
    const names = new Set(ofType(type).map(({ product }) => product.slug));
    for (const name of names) {
      assert.equal(formComplaint(type, name), undefined);
      if (!hasTitles) assert.match(name, forms.get(type) ?? assert.fail(type));
    }
    const fold = (slug: string): string =>
      looseFold === null ? slug : String(Buffer.from(slug).map((byte) => looseFold[byte]));
    assert.equal(new Set([...names].map((name) => fold(storedSlug(type, name)))).size, names.size, type);
  }
  for (const type of ['composer', 'pypi', 'golang', 'nuget']) {
    assertShare(`capitals of ${type}`, 0.01, 1, ({ product }) => /[A-Z]/.test(product.slug), ofType(type));
  }
});

test('all versions of a generated Go module have the major version of its path', () => {
  for (const { product, affected = [] } of ofType('golang')) {
    const major = /\/v(\d+)$/.exec(product.slug)?.[1] ?? '[01]';
    for (const { from_version, to_version, fixed_in } of affected) {
      for (const version of [from_version, to_version, fixed_in]) {
        if (version !== null) assert.match(version, new RegExp(`^${major}\\.`), product.slug);
      }
    }
  }
});

test('a generated span is read in its order, is not empty, and its fix is above an end that is inside', () => {
  for (const { product, version_scheme, affected = [], affected_versions = [] } of records) {
    const scheme = version_scheme ?? productTypeFacts(product.type).scheme;
    const keyOf = (version: string): Uint8Array =>
      versionKey(scheme, version) ?? assert.fail(`${product.type} ${version}`);
    affected_versions.forEach(keyOf);
    for (const { from_version, to_version, to_bound, fixed_in } of affected) {
      if (to_version === null) continue;
      if (from_version !== null) {
        const order = Buffer.compare(keyOf(from_version), keyOf(to_version));
        assert.equal(order, -1, `${product.type} ${from_version} - ${to_version}`);
      }
      if (fixed_in === null) continue;
      const order = Buffer.compare(keyOf(to_version), keyOf(fixed_in));
      assert.equal(order, to_bound === 'exclusive' ? 0 : -1, `${to_version}, fixed in ${fixed_in}`);
    }
  }
});

test('a generated feed has versions in the forms of each ecosystem', () => {
  const forms: readonly (readonly [type: string, ...forms: RegExp[]])[] = [
    ['composer', /^v\d/, /-(beta|RC|alpha|p)\d+$/],
    ['pypi', /\d(a|b|rc)\d+$/, /\.post\d+$/, /\.dev\d+$/],
    ['golang', /^0\.0\.0-\d{14}-[a-f]{12}$/, /\.[1-9]\d*-0\.\d{14}-[a-f]{12}$/, /-rc\.\d+$/],
    ['gem', /\.(pre|rc)\d+$/],
    ['cargo', /-(alpha|beta|rc)\.\d+$/],
    ['maven', /\.(Final|RELEASE)$/, /-(RC|M)\d+$/],
    ['nuget', /^\d+(\.\d+){3}$/, /-(preview|beta|rc)\.\d+$/],
  ];
  for (const [type, ...expected] of forms) {
    const spans = spansOf(ofType(type));
    for (const form of expected) {
      assert.ok(
        spans.some(({ to_version }) => to_version !== null && form.test(to_version)),
        `${type}: ${form}`,
      );
    }
  }
});

test('a generated feed has few advisories for most products and many for some', () => {
  const plugins = advisoriesPerProduct('plugin');
  assert.equal(quantile(plugins, 0.5), 1);
  assertBetween(quantile(plugins, 0.9), 4, 6, 'p90 of plugins');
  assertBetween(quantile(plugins, 0.99), 15, 27, 'p99 of plugins');
  assert.ok(Math.max(...plugins) <= 87);
  const packages = advisoriesPerProduct('npm');
  assert.equal(quantile(packages, 0.5), 1);
  assertBetween(quantile(packages, 0.9), 2, 4, 'p90 of packages');
  assert.equal(Math.max(...packages), Math.round((594 * ADVISORIES) / 25_000));
});

test('a generated advisory nearly always has one span, but many for WordPress itself, and 102 once', () => {
  const counts = (type: string): number[] => ofType(type).map(({ affected }) => affected?.length ?? 0);
  assertShare(
    'plugins with one span',
    0.995,
    0.9995,
    ({ affected }) => affected?.length === 1,
    ofType('plugin'),
  );
  assert.equal(Math.max(...counts('plugin')), 102);
  assertBetween(quantile(counts('wordpress'), 0.5), 3, 5, 'median of WordPress');
  assertBetween(Math.max(...counts('wordpress')), 20, 26, 'most of WordPress');
});

test('a generated advisory with several spans begins all but the first with their own line', () => {
  const several = [...ofType('plugin'), ...ofType('npm')].filter(
    ({ affected }) => (affected ?? []).length > 1,
  );
  const firsts = several.map(({ affected = [] }) => {
    const from = affected.map(({ from_version }) => from_version);
    for (const { from_version, to_version } of affected) {
      if (from_version !== null)
        assert.ok(to_version?.startsWith(from_version.replace(/0$/, '')), from_version);
    }
    assert.ok(from.filter((version) => version === null).length <= 1, from.join());
    assert.ok([from[0], from.at(-1), '-'].includes(null) === from.includes(null), from.join());
    return from.includes(null);
  });
  const open = firsts.filter((isOpen) => isOpen).length;
  assert.ok(open > 0 && open < firsts.length, `${open} of ${firsts.length}`);
});

test('a generated feed of WordPress and npm has version bounds of the usual shapes', () => {
  const bounds = spansOf(measured)
    .flatMap(({ from_version, to_version }) => [from_version, to_version])
    .filter((bound) => bound !== null);
  const share = (shape: RegExp): number => bounds.filter((bound) => shape.test(bound)).length / bounds.length;
  assertBetween(share(/^\d+\.\d+\.\d+$/), 0.69, 0.77, 'three parts');
  assertBetween(share(/^\d+\.\d+$/), 0.18, 0.25, 'two parts');
  assertBetween(share(/^\d+(\.\d+){3}$/), 0.03, 0.06, 'four parts');
  assert.ok(share(/[a-z]/i) > 0.001 && share(/ /) > 0 && share(/^20\d\d/) > 0);
});

test('a generated feed of WordPress and npm has upper bounds of every kind, seven in eight inclusive', () => {
  const spans = spansOf(measured);
  const share = (bound: string | null): number =>
    spans.filter(({ to_bound }) => to_bound === bound).length / spans.length;
  assertBetween(share('inclusive'), 0.85, 0.91, 'inclusive');
  assert.ok(share('exclusive') > 0.05 && share('last-affected') > 0.005 && share(null) > 0.005);
});

test('a generated feed has texts of the usual lengths', () => {
  const titles = records.map(({ title }) => title.length);
  assertBetween(quantile(titles, 0.5), 72, 82, 'median title');
  assert.ok(Math.max(...titles) <= 255);
  const descriptions = records.map(({ description }) => description.length);
  assertBetween(quantile(descriptions, 0.5), 380, 440, 'median description');
  assertBetween(Math.max(...descriptions), 2000, 2530, 'longest description');
  assertShare('titles beyond ASCII', 0.01, 0.06, ({ title }) => [...title].some((letter) => letter > '~'));
  assert.ok(ofType('npm').every(({ details }) => (details?.length ?? 0) > 100));
});

test('a generated feed has realistic proportions of scores, CVEs and fixes', () => {
  const score = ({ cvss }: FeedRecord): number => cvss.score ?? 0;
  assertShare('medium', 0.71, 0.75, (record) => score(record) >= 4 && score(record) < 7);
  assertShare('high', 0.18, 0.22, (record) => score(record) >= 7 && score(record) < 9);
  assertShare('critical', 0.06, 0.08, (record) => score(record) >= 9);
  assertShare('no CVE', 0.07, 0.09, ({ cves }) => cves.length === 0);
  const cves = records.flatMap((record) => record.cves);
  assertBetween(
    new Set(cves.map((cve) => cve.replace('CVE-', ''))).size / cves.length,
    0.99,
    0.999,
    'new CVEs',
  );
  assertShare('withdrawn', 0.001, 0.004, ({ withdrawn_at }) => withdrawn_at !== undefined);
  const hasFix = (record: FeedRecord): boolean => spansOf([record]).some(({ fixed_in }) => fixed_in !== null);
  assertShare('npm without a fix', 0.2, 0.3, (record) => !hasFix(record), ofType('npm'));
  assertShare(
    'exact versions',
    0.004,
    0.02,
    (record) => record.affected_versions !== undefined,
    ofType('npm'),
  );
  assert.ok(records.every(({ references }) => references.length >= 1 && references.length <= 4));
});

async function run(...args: string[]): Promise<{ out: string; error: string }> {
  const said = { out: '', error: '' };
  const program = new Command().exitOverride().configureOutput({
    writeOut: (text) => {
      said.out += text;
    },
    writeErr: (text) => {
      said.error += text;
    },
  });
  addGenerateCommand(program);
  await program.parseAsync(['generate', ...args], { from: 'user' }).catch((error: Error) => {
    if (!error.constructor.name.startsWith('Commander')) throw error;
  });
  return said;
}

function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

test('generate writes a feed and nothing else, and prints a one-line summary', async () => {
  const into = emptyFolder('plain');
  const out = join(into, 'feed.ndjson');
  const { out: summary, error } = await run('--advisories', '50', '--out', out);
  assert.deepEqual(readdirSync(into), ['feed.ndjson']);
  assert.equal(readFileSync(out, 'utf8').trimEnd().split('\n').length, 50);
  assert.ok(summary.startsWith(`generated 50 advisories into ${out} (seed 1, 0.1 MB, `), summary);
  assert.match(summary, /^[^\n]+ s\)\n$/);
  assert.equal(error, '');
});

test('generate writes the same bytes for the same seed, gzipped if the name ends in .gz', async () => {
  const into = emptyFolder('seeds');
  const out = (name: string): string => join(into, name);
  await run('--advisories', '40', '--seed', '9', '--out', out('a.ndjson.gz'));
  await run('--advisories', '40', '--seed', '9', '--out', out('b.ndjson.gz'));
  await run('--advisories', '40', '--seed', '9', '--out', out('plain.ndjson'));
  await run('--advisories', '40', '--seed', '8', '--out', out('other.ndjson'));
  const first = readFileSync(out('a.ndjson.gz'));
  assert.deepEqual(first, readFileSync(out('b.ndjson.gz')));
  assert.deepEqual(gunzipSync(first), readFileSync(out('plain.ndjson')));
  assert.notDeepEqual(readFileSync(out('other.ndjson')), readFileSync(out('plain.ndjson')));
});

test('generate replaces an existing feed', async () => {
  const out = join(emptyFolder('old'), 'feed.ndjson');
  writeFileSync(out, 'old');
  const { bytes } = await generateTo(out, { advisories: 3, seed: 1 });
  assert.equal(readFileSync(out).length, bytes);
});

test('generate reports progress for every advisory and finishes it', async () => {
  let reported = 0;
  let ends = 0;
  const progress = {
    advance: (amount: number) => {
      reported += amount;
    },
    end: () => {
      ends++;
    },
  };
  const out = join(emptyFolder('progress'), 'feed.ndjson');
  await generateTo(out, { advisories: 700, seed: 1 }, progress);
  assert.deepEqual([reported, ends], [700, 1]);
});

test('generate rejects a target that cannot be written, says what to do and leaves nothing behind', async () => {
  const into = emptyFolder('refused');
  const plan = { advisories: 3, seed: 1 };
  const refused = (path: string, message: RegExp) =>
    assert.rejects(generateTo(path, plan), { name: 'CommandError', message });
  await refused(join(into, 'missing', 'feed.ndjson'), /the folder does not exist; create it first/);
  await refused(into, /this is a folder; name a file/);
  await assert.rejects(generateTo('', plan), { name: 'UsageError', message: /is empty/ });
  assert.deepEqual(readdirSync(into), []);
});

test('generate writes to standard output for -, with the summary on standard error', async () => {
  const into = emptyFolder('stdout');
  const out = join(into, 'feed.ndjson');
  await run('--advisories', '40', '--out', out);
  const { status, stdout, stderr } = await runProgram(['generate', '--advisories', '40', '--out', '-']);
  assert.equal(status, 0, stderr);
  assert.ok(stdout.equals(readFileSync(out)));
  assert.match(stderr, /^generated 40 advisories into - \(seed 1, [^\n]+\)\n$/);
});

test('generate exits cleanly when the reader of standard output is gone', async () => {
  const { status, signal, stderr } = await runProgram(['generate', '--advisories', '30000', '--out', '-'], {
    started: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
  });
  assert.deepEqual([status, signal, stderr], [1, null, '']);
});

test('generate leaves nothing behind when a signal ends it', async () => {
  const into = emptyFolder('interrupted');
  const ran = await runProgram(['generate', '--advisories', '100000', '--out', join(into, 'x.ndjson')], {
    started: (child) => void killWhen(child, 'SIGINT', () => readdirSync(into).length > 0),
  });
  assert.equal(ran.signal, 'SIGINT', ran.stderr);
  assert.deepEqual(readdirSync(into), []);
});

test('generate does not replace anything but a regular file', async () => {
  // In place of a device, which a failing test would destroy.
  const path = join(emptyFolder('socket'), 'socket');
  const server = createServer();
  await new Promise<void>((listening) => server.listen(path, listening));
  try {
    await assert.rejects(generateTo(path, { advisories: 3, seed: 1 }), { message: /not a regular file/ });
    assert.ok(statSync(path).isSocket());
  } finally {
    server.close();
  }
});

test('generate rejects invalid options, naming the option, the value and what is expected', async () => {
  const out = join(folder, 'never.ndjson');
  const count = await run('--advisories', '0', '--out', out);
  assert.match(count.error, /'--advisories <count>'.*Got "0", expected a whole number from 1 to 10000000\./);
  const seed = await run('--advisories', '1', '--seed', 'x', '--out', out);
  assert.match(seed.error, /'--seed <number>'.*Got "x", expected a whole number from 0 to 4294967295\./);
  assert.match((await run('--advisories', '1')).error, /required option '--out <file>' not specified/);
  assert.match((await run('--out', out)).error, /required option '--advisories <count>' not specified/);
  assert.ok(!readdirSync(folder).includes('never.ndjson'));
});
