import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Advisory } from '../../src/compiler/advisory.ts';
import { SnapshotCompiler } from '../../src/compiler/compile.ts';
import { SnapshotWriter } from '../../src/compiler/writer.ts';
import { isExploited, NONE, numberOf, patchPriority } from '../../src/index/columns.ts';
import { type BlockRows, OpenRecords } from '../../src/index/items/detail-record.ts';
import type {
  CvssTerm,
  LabelTerm,
  ListedText,
  SourcesTerm,
  WeaknessTerm,
} from '../../src/index/items/list-item.ts';
import { epssOf, kevDayOf, kindOf, modifiedAt } from '../../src/index/items/rare-facts.ts';
import { formatPsid } from '../../src/index/lookup/alias-table.ts';
import { upperBoundOf } from '../../src/index/lookup/interval.ts';
import { sourceIdOf } from '../../src/index/lookup/source-id.ts';
import { OpenBlock } from '../../src/index/memory/open-block.ts';
import { PRODUCT_TYPES } from '../../src/index/product-type.ts';
import { endOfSpans, firstSpan } from '../../src/index/span-list.ts';
import { VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { readSnapshot, readSnapshotHeader } from '../../src/loader/snapshot/reader.ts';
import { SnapshotRecords } from '../../src/loader/snapshot/records.ts';
import { verifySnapshot } from '../../src/loader/snapshot/verify-deep.ts';
import { temporaryFolder } from '../support/folder.ts';
import { atOnce, coreAdvisory, coreProduct, coreSpan } from '../support/snapshots/generation.ts';
import { BUILT_AT_MS } from '../support/snapshots/snapshots.ts';

const ODD_TEXT = 'Ünï “q” "quoted" \\ \u0000\u0007\u001f\u007f\u2028 \u{1f600} <b>&amp;</b>\r\n\ttab';

function compileTo(folder: string, advisories: readonly Advisory[], name = 'test.vdx'): string {
  const compiler = new SnapshotCompiler(folder);
  const writer = new SnapshotWriter(folder);
  try {
    for (const advisory of advisories) compiler.add(advisory);
    return atOnce(compiler.write(writer, BUILT_AT_MS, () => join(folder, name))).path;
  } finally {
    writer.abandon();
    compiler.close();
  }
}

/** An advisory whose details resemble those of others, but with a unique end. */
function wordy(id: number): Advisory {
  const description = `The plugin lets anybody read what only its owner may, in all versions before ${id}.${id % 7}.`;
  return coreAdvisory(id, { description, cves: [`2026-${id}`] });
}

/** Every advisory of a file, reassembled from its packed records and columns, in the file's order. */
function unpackAdvisories(path: string): Advisory[] {
  const { columns, packed } = readSnapshot(path);
  const records = new SnapshotRecords(columns, packed);
  const open = new OpenRecords();
  const openTexts = new OpenBlock<BlockRows<ListedText>>();
  const textOf = (pool: Uint8Array, starts: Uint32Array, i: number): string =>
    Buffer.from(pool.slice(starts[i], starts[i + 1])).toString();
  const version = (i: number): string | null =>
    i === NONE ? null : textOf(columns.versionText, columns.versionTextStart, i);
  return Array.from(columns.advisoryId, (id, i) => {
    const [title, url, , ghsa, urls] = records.textAt(i, openTexts);
    const record = records.detailAt(i, open);
    const [description, cves, titles, urlSlug, credit, submitter, affectedVersions, withdrawnAt, aliases] =
      record;
    const traits = columns.advisoryTraits[i];
    const sources = records.termAt(columns.traitsSources[traits]) as SourcesTerm;
    const product = columns.advisoryProduct[i];
    const flags = columns.advisoryFlags[i];
    const [productId, name, premiumName] = records.termAt(columns.advisoryLabel[i]) as LabelTerm;
    const [score, vector] = records.termAt(columns.traitsCvss[traits]) as CvssTerm;
    const weakness = (term: number) => {
      const [weaknessId, weaknessName] = records.termAt(term) as WeaknessTerm;
      return { id: weaknessId, name: weaknessName };
    };
    const first = firstSpan(columns, i);
    const slug = textOf(columns.productSlug, columns.productSlugStart, product);
    return {
      id,
      psid: formatPsid(columns.advisoryPsid[i]),
      title,
      description,
      details: records.bodyAt(i, open),
      disclosedAt: numberOf(columns, columns.advisoryDisclosedAt[i]),
      createdAt: numberOf(columns, columns.advisoryCreatedAt[i]),
      modifiedAt: modifiedAt(columns, i) ?? null,
      withdrawnAt,
      kind: kindOf(columns, i),
      url,
      urlSlug,
      vulnType: records.termAt(columns.traitsVulnType[traits]) as string,
      cves,
      ghsa,
      sourceId: sourceIdOf(columns, i),
      aliases,
      sources: sources.map(([sourceName, notice, license, licenseUrl, fields]) => ({
        name: sourceName,
        notice,
        license,
        licenseUrl,
        ...(fields === undefined ? {} : { fields }),
      })),
      severity: records.termAt(columns.traitsSeverity[traits]) as string,
      epss: epssOf(columns, i) ?? null,
      kevDate: kevDayOf(columns, i) ?? null,
      isExploited: isExploited(flags),
      patchPriority: patchPriority(flags) as 1 | 2 | 3,
      product: {
        id: productId ?? numberOf(columns, columns.productNumber[product]),
        type: PRODUCT_TYPES[columns.productType[product]],
        slug,
        name: name ?? slug,
        premiumName,
      },
      cvss: { score, vector },
      cwe: weakness(columns.traitsCwe[traits]),
      capec: weakness(columns.traitsCapec[traits]),
      owasp: records.termAt(columns.traitsOwasp[traits]) as string,
      references: urls.map((each, at) => ({ url: each, title: titles[at] })),
      spans: Array.from(columns.spanFrom.subarray(first, endOfSpans(columns, i)), (from, at) => ({
        from: version(from),
        to: version(columns.spanTo[first + at]),
        toBound: upperBoundOf(columns.spanToBound[first + at]),
        fixedIn: version(columns.spanFixedIn[first + at]),
      })),
      affectedVersions,
      versionScheme: VERSION_SCHEMES[columns.advisoryScheme[i]],
      credit: credit === null ? null : { name: credit[0], url: credit[1] },
      submitter: submitter === null ? null : { name: submitter[0], url: submitter[1] },
      ecosystemSpecific: record[9] ?? '',
    };
  });
}

/** Compiles, verifies, and expects the same advisories back, in the order of the file. */
function assertRoundTrip(t: TestContext, advisories: readonly Advisory[]): void {
  const path = compileTo(temporaryFolder(t), advisories);
  verifySnapshot(path);
  assert.deepEqual(unpackAdvisories(path), advisories);
}

test('an advisory comes back as it went in with every member filled, with tricky texts', (t) => {
  const full = coreAdvisory(Number.MAX_SAFE_INTEGER, {
    modifiedAt: 253_402_300_799,
    kind: 'informational',
    sourceId: ODD_TEXT,
    aliases: [ODD_TEXT, 'GHSA-other'],
    sources: [
      { name: ODD_TEXT, notice: 'Copyright', license: '', licenseUrl: 'https://license.example' },
      { name: 'other', notice: '', license: '', licenseUrl: '', fields: ['title', ODD_TEXT] },
    ],
    severity: ODD_TEXT,
    epss: { score: 1_000_000_000, percentile: 1 },
    kevDate: 2_932_896,
    psid: 'ffffffffffff',
    title: ODD_TEXT,
    description: `${ODD_TEXT} d`,
    details: `# ${ODD_TEXT}`,
    disclosedAt: -62_167_219_200,
    createdAt: 253_402_300_799,
    url: 'https://advisories.example/ä?q="x"#y',
    urlSlug: ODD_TEXT,
    vulnType: `${ODD_TEXT} t`,
    cves: ['2026-1', '2026-22222', ODD_TEXT],
    ghsa: 'GHSA-xxxx-yyyy-zzzz',
    isExploited: true,
    patchPriority: 3,
    product: {
      id: 2 ** 40,
      type: 'plugin',
      slug: 'ünï\u{1f600}',
      name: ODD_TEXT,
      premiumName: `${ODD_TEXT} Pro`,
    },
    cvss: { score: 9.8, vector: ODD_TEXT },
    cwe: { id: 89, name: ODD_TEXT },
    capec: { id: 66, name: ODD_TEXT },
    owasp: `A1: ${ODD_TEXT}`,
    references: [
      { url: 'https://advisories.example/1', title: ODD_TEXT },
      { url: '', title: '' },
    ],
    spans: [
      coreSpan(null, 'V 1.0', 'last-affected', '1.1 β'),
      coreSpan('1.5', '1.5', 'inclusive'),
      coreSpan('2', '3', null, '3.1 beta'),
      coreSpan('4', null, null, null),
    ],
    affectedVersions: ['1.5', ODD_TEXT],
    credit: { name: ODD_TEXT, url: '' },
    submitter: { name: '', url: ODD_TEXT },
    ecosystemSpecific: JSON.stringify({ imports: [{ path: ODD_TEXT, symbols: [] }], z: 1.5, a: null }),
  });
  assertRoundTrip(t, [full]);
});

test('an advisory comes back as it went in without any optional member', (t) => {
  assertRoundTrip(t, [coreAdvisory(1, { title: '', url: '', urlSlug: '', vulnType: '' })]);
});

test('an advisory comes back as it went in with scores of null, -1, 0 and 10, and only half of a pair', (t) => {
  const pairs = [
    { score: null, vector: 'AV:N' },
    { score: -1, vector: null },
    { score: 0, vector: '' },
    { score: 10, vector: null },
  ];
  const advisories = pairs.map((cvss, i) =>
    coreAdvisory(9 - i, { cvss, cwe: { id: i, name: null }, capec: { id: null, name: 'x' } }),
  );
  assertRoundTrip(t, advisories);
});

test('an advisory comes back as it went in with times before 1970 and within a second of it', (t) => {
  const times = [-1, 0, 1, -86_401, -2_208_988_800];
  assertRoundTrip(
    t,
    times.map((time, i) => coreAdvisory(9 - i, { createdAt: time, disclosedAt: 0 - time })),
  );
});

test('an advisory comes back as it went in with 102 spans, as one real advisory has', (t) => {
  const spans = Array.from({ length: 102 }, (_, i) => coreSpan(`${i}.0`, `${i}.5`, 'exclusive', `${i}.5`));
  assertRoundTrip(t, [coreAdvisory(1, { spans })]);
});

test('an advisory comes back as it went in with texts and lists longer than any buffer of the compiler', (t) => {
  const references = Array.from({ length: 300 }, (_, i) => ({
    url: `https://x.example/${i}`,
    title: `${i}`,
  }));
  const details = 'markdown '.repeat(300_000);
  assertRoundTrip(t, [coreAdvisory(3), coreAdvisory(2, { details, references }), coreAdvisory(1)]);
});

test('an advisory comes back as it went in with ids beyond 32 bits, in descending order', (t) => {
  const ids = [2 ** 53 - 1, 2 ** 53 - 2, 2 ** 33, 2 ** 32, 2 ** 32 - 1, 2 ** 31, 1];
  assertRoundTrip(
    t,
    ids.map((id, i) => coreAdvisory(id, { psid: i.toString(16).padStart(12, '0') })),
  );
});

test('advisories come back as they went in, in blocks that are full, one short of it, and one over', (t) => {
  for (const count of [7, 8, 9, 15, 16, 17, 31, 32, 33, 257]) {
    assertRoundTrip(
      t,
      Array.from({ length: count }, (_, i) => coreAdvisory(count - i)),
    );
  }
});

test('advisories come back as they went in, in blocks with a dictionary, from the smallest count that gets one', (t) => {
  for (const count of [256, 257, 600]) {
    const advisories = Array.from({ length: count }, (_, i) => wordy(count - i));
    const path = compileTo(temporaryFolder(t), advisories);
    verifySnapshot(path);
    assert.deepEqual(unpackAdvisories(path), advisories);
    const { textDictionary, detailDictionary } = readSnapshot(path).columns;
    assert.ok(textDictionary.length > 0 && detailDictionary.length > 0);
  }
});

test('advisories come back as they went in from products with several schemes, whose versions are kept separate', (t) => {
  const schemes = ['php', 'decimal', 'semver', 'wordpress', 'php', 'decimal'] as const;
  assertRoundTrip(
    t,
    schemes.map((versionScheme, i) =>
      coreAdvisory(9 - i, { versionScheme, spans: [coreSpan('1.0.0', '3.5.0', 'exclusive', '3.5.0')] }),
    ),
  );
});

test('advisories come back as they went in when all are withdrawn, so that no product has a published one', (t) => {
  assertRoundTrip(t, [
    coreAdvisory(3, { withdrawnAt: 0, product: coreProduct('npm', 'x') }),
    coreAdvisory(2, { withdrawnAt: -5 }),
  ]);
});

test('an advisory comes back with spans sorted by lower bound, then by upper end, equal ones in feed order', (t) => {
  const spans = [
    coreSpan('2.0', '3.0'),
    coreSpan('1.0', '4.0'),
    coreSpan('1.0', '1.5', 'inclusive', '4.1'),
    coreSpan('1.0', '1.5', 'last-affected', '4.2'),
    coreSpan('1.0', '1.5', 'exclusive'),
    coreSpan(null, '0.5'),
  ];
  const path = compileTo(temporaryFolder(t), [coreAdvisory(1, { spans })]);
  verifySnapshot(path);
  const [advisory] = unpackAdvisories(path);
  assert.deepEqual(
    advisory.spans,
    [5, 4, 2, 3, 1, 0].map((i) => spans[i]),
  );
});

const advisories = [
  coreAdvisory(1, { cves: ['2026-1', '2026-2'] }),
  coreAdvisory(2, { product: coreProduct('npm', 'b'), spans: [coreSpan('1.0.0', null)] }),
  coreAdvisory(3, { product: coreProduct('theme', 'a'), cves: ['2026-2'], withdrawnAt: 1 }),
  coreAdvisory(4, { versionScheme: 'decimal', spans: [coreSpan('3.5', '3.50'), coreSpan('1', '2')] }),
  coreAdvisory(5, { product: coreProduct('npm', 'B') }),
  coreAdvisory(6, { product: coreProduct('plugin', '\ue000'), cves: ['\u{1f600}', '\ue000'] }),
  coreAdvisory(7, { product: coreProduct('plugin', '\u{1f600}'), spans: [coreSpan('\u{1f600}1', '9')] }),
];

test('the bytes of a snapshot are the same for the same advisories in any order', (t) => {
  const folder = temporaryFolder(t);
  const bytes = readFileSync(compileTo(folder, advisories));
  for (let shift = 0; shift < advisories.length; shift++) {
    const rotated = [...advisories.slice(shift), ...advisories.slice(0, shift)];
    assert.ok(bytes.equals(readFileSync(compileTo(folder, rotated))), `rotated by ${shift}`);
  }
  assert.ok(bytes.equals(readFileSync(compileTo(folder, advisories.toReversed()))));
  verifySnapshot(join(folder, 'test.vdx'));
});

test('the bytes of a snapshot are the same in any order even with a dictionary, which is sampled by id', (t) => {
  const folder = temporaryFolder(t);
  const many = Array.from({ length: 600 }, (_, i) => wordy(i + 1));
  const bytes = readFileSync(compileTo(folder, many));
  assert.ok(bytes.equals(readFileSync(compileTo(folder, many.toReversed()))));
  assert.ok(bytes.equals(readFileSync(compileTo(folder, [...many.slice(301), ...many.slice(0, 301)]))));
});

test('the bytes of a snapshot are different, with a different id, when one character differs', (t) => {
  const folder = temporaryFolder(t);
  const { id } = readSnapshotHeader(compileTo(folder, advisories));
  const changed = advisories.with(0, { ...advisories[0], description: '.' });
  assert.notEqual(readSnapshotHeader(compileTo(folder, changed)).id, id);
});

test('the folder contains the snapshot and nothing else after a compilation', (t) => {
  const folder = temporaryFolder(t);
  compileTo(folder, [coreAdvisory(1)]);
  assert.deepEqual(readdirSync(folder), ['test.vdx']);
});

test('the folder keeps the previous snapshot and nothing else after an interrupted compilation', (t) => {
  const folder = temporaryFolder(t);
  const before = readFileSync(compileTo(folder, [coreAdvisory(1)]));
  const compiler = new SnapshotCompiler(folder);
  const writer = new SnapshotWriter(folder);
  compiler.add(coreAdvisory(2));
  compiler.add(coreAdvisory(3));
  const stop = (done: number): void => {
    if (done === 2) throw new Error('stopped');
  };
  const turns = compiler.write(writer, BUILT_AT_MS, () => join(folder, 'test.vdx'), stop);
  assert.throws(() => atOnce(turns), /stopped/);
  writer.abandon();
  compiler.close();
  assert.deepEqual(readdirSync(folder), ['test.vdx']);
  assert.ok(before.equals(readFileSync(join(folder, 'test.vdx'))));
});
