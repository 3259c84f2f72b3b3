// The prepared list item: every member as the interface requires, and no mix-up of state kept between items.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { ItemWriter } from '../../../src/index/items/item-writer.ts';
import { ByteWriter, WriterFullError } from '../../../src/index/memory/byte-writer.ts';
import { PackedCursor } from '../../../src/index/memory/packed-cursor.ts';
import { type ServedItem, servedItems } from '../../support/answers/served-items.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';
import { packed } from '../../support/snapshots/snapshots.ts';
import { words } from '../../support/words.ts';

function itemOf(t: Parameters<typeof generationOf>[0], changes: Partial<Advisory>): ServedItem {
  const generation = generationOf(t, [coreAdvisory(1, changes)]);
  const [item] = servedItems(generation, { start: 0, end: 1 });
  return item;
}

test('an item has every member that the interface requires, with its value', (t) => {
  const item = itemOf(t, {
    title: 'Stored XSS',
    disclosedAt: Date.parse('2026-01-02T03:04:05Z') / 1000,
    createdAt: Date.parse('2026-02-03T04:05:06+02:00') / 1000,
    url: 'https://advisories.example/1?a=b',
    vulnType: 'Cross Site Scripting (XSS)',
    cves: ['2026-1', '2026-2'],
    ghsa: 'GHSA-aaaa-bbbb-cccc',
    isExploited: true,
    patchPriority: 3,
    product: { id: 42, type: 'theme', slug: 'gallery', name: 'Gallery', premiumName: 'Gallery Pro' },
    cvss: { score: 6.5, vector: 'CVSS:3.1/AV:N' },
    cwe: { id: 79, name: 'Cross-site Scripting' },
    capec: { id: 592, name: 'Stored XSS' },
    references: [
      { url: 'https://a.example/1', title: 'A' },
      { url: 'https://b.example/2', title: 'B' },
    ],
    spans: [coreSpan(null, '1.5', 'exclusive', '1.5')],
  });
  assert.deepEqual(item, {
    id: 1,
    title: 'Stored XSS',
    disclosed_at: '2026-01-02T03:04:05+00:00',
    created_at: '2026-02-03T02:05:06+00:00',
    url: 'https://advisories.example/1?a=b',
    vuln_type: 'Cross Site Scripting (XSS)',
    cve: '2026-1',
    is_exploited: true,
    patch_priority: 3,
    product: { id: 42, name: 'Gallery', slug: 'gallery' },
    cvss: { score: 6.5, vector: 'CVSS:3.1/AV:N' },
    cwe: { id: 79, name: 'Cross-site Scripting' },
    capec: { id: 592, name: 'Stored XSS' },
    references: ['https://a.example/1', 'https://b.example/2'],
    ghsa: 'GHSA-aaaa-bbbb-cccc',
    version_info: { affected: '< 1.5', patched_ranges: [], fixed: '1.5' },
  });
});

test('unknown members are null, empty or false, and never left out', (t) => {
  const { version_info, ...item } = itemOf(t, { spans: [coreSpan(null, null)] });
  assert.deepEqual(version_info, { affected: '*', patched_ranges: [], fixed: '' });
  const nothing = { cve: '', ghsa: '', is_exploited: false, patch_priority: 1, references: [] };
  const nulls = {
    cvss: { score: null, vector: null },
    cwe: { id: null, name: null },
    capec: { id: null, name: null },
  };
  assert.deepEqual({ ...item, ...nothing, ...nulls }, item);
});

test('dates of any year are formatted as by Date', (t) => {
  const instants = words(`
    0000-01-01T00:00:00Z 0999-12-31T23:59:59Z 1969-12-31T23:59:59Z 1970-01-01T00:00:00Z 2024-02-29T12:34:56Z
    2100-02-28T23:59:59Z 9999-12-31T23:59:59Z
  `);
  const advisories = instants.map((text, i) => {
    const seconds = Date.parse(text) / 1000;
    return coreAdvisory(instants.length - i, { disclosedAt: seconds, createdAt: seconds });
  });
  const generation = generationOf(t, advisories);
  const expected = instants.map((text) => text.replace('Z', '+00:00'));
  const items = servedItems(generation, generation.published('wordpress'));
  for (const member of ['disclosed_at', 'created_at']) {
    assert.deepEqual(
      items.map((item) => item[member]),
      expected,
    );
  }
});

test('an npm title has the prefix exactly once, even if the feed has it, and other titles have none', (t) => {
  const product = coreProduct('npm', 'a');
  assert.equal(itemOf(t, { product, title: 'Leak' }).title, 'NPM: Leak');
  assert.equal(itemOf(t, { product, title: 'NPM: Leak' }).title, 'NPM: Leak');
  assert.equal(itemOf(t, { title: 'NPM: Leak' }).title, 'NPM: Leak');
  assert.equal(itemOf(t, { title: 'Leak' }).title, 'Leak');
});

test('any text is preserved in every text member', (t) => {
  const odd = '"\\\u0000\n\u2028 é日本\u{1f600}</script>';
  const item = itemOf(t, {
    title: odd,
    vulnType: odd,
    cves: [odd],
    ghsa: odd,
    product: { id: 1, type: 'plugin', slug: odd, name: odd, premiumName: null },
    cvss: { score: 0, vector: odd },
    cwe: { id: 0, name: odd },
    capec: { id: 1, name: odd },
    references: [{ url: odd, title: '' }],
    spans: [coreSpan(null, `1${odd}`, 'inclusive', `2${odd}`)],
  });
  assert.equal(item.title, odd);
  assert.equal(item.vuln_type, odd);
  assert.equal(item.cve, odd);
  assert.equal(item.ghsa, odd);
  assert.deepEqual(item.product, { id: 1, name: odd, slug: odd });
  assert.deepEqual(item.cvss, { score: 0, vector: odd });
  assert.deepEqual(item.cwe, { id: 0, name: odd });
  assert.deepEqual(item.capec, { id: 1, name: odd });
  assert.deepEqual(item.references, [odd]);
  assert.deepEqual(item.version_info, { affected: `<= 1${odd}`, patched_ranges: [], fixed: `2${odd}` });
});

test('patched ranges are listed if at least two spans have a fix, in ascending order, null as empty text', (t) => {
  const fixed = [
    coreSpan('2.0', '2.5', 'exclusive', '2.5'),
    coreSpan(null, '1.5', 'inclusive', '1.6'),
    coreSpan('4.0', '4.9', null, '5.0'),
  ];
  const unfixed = coreSpan('3.0', '3.5');
  const first = { from_version: '', to_version: '1.5', fixed_in: '1.6' };
  const second = { from_version: '2.0', to_version: '2.5', fixed_in: '2.5' };
  const last = { from_version: '4.0', to_version: '4.9', fixed_in: '5.0' };
  const rangesOf = (spans: Advisory['spans']): readonly unknown[] =>
    itemOf(t, { spans }).version_info.patched_ranges;
  assert.deepEqual(rangesOf([...fixed, unfixed]), [first, second, last]);
  assert.deepEqual(rangesOf([fixed[0], unfixed, fixed[1]]), [first, second]);
  assert.deepEqual(rangesOf([fixed[0], unfixed]), []);
  assert.deepEqual(rangesOf([fixed[0]]), []);
});

test('a listing names the highest fix, and versions outside `affected` are as in the feed', (t) => {
  const { version_info } = itemOf(t, {
    product: coreProduct('npm', 'a'),
    spans: [coreSpan(null, '1.2', 'exclusive', 'v1.2'), coreSpan('v2', '2.1', 'exclusive', '2.1')],
  });
  assert.deepEqual(version_info, {
    affected: '< 1.2.0 || >= 2.0.0 < 2.1.0',
    patched_ranges: [
      { from_version: '', to_version: '1.2', fixed_in: 'v1.2' },
      { from_version: 'v2', to_version: '2.1', fixed_in: '2.1' },
    ],
    fixed: '2.1',
  });
});

test('advisories of one product may name it differently, and products with the same name keep their slugs', (t) => {
  const product = coreProduct('plugin', 'gallery');
  const renamed = { ...product, name: 'Gallery 2', id: 8 };
  const generation = generationOf(t, [
    coreAdvisory(1, { product }),
    coreAdvisory(2, { product: renamed }),
    coreAdvisory(3, { product }),
    coreAdvisory(4, { product: { ...product, slug: 'other' } }),
    coreAdvisory(5, { product: { ...product, type: 'theme', slug: 'third' } }),
  ]);
  assert.deepEqual(
    servedItems(generation, generation.published('wordpress')).map(({ id, product }) => ({ id, product })),
    [
      { id: 5, product: { id: 7, name: 'gallery', slug: 'third' } },
      { id: 4, product: { id: 7, name: 'gallery', slug: 'other' } },
      { id: 3, product: { id: 7, name: 'gallery', slug: 'gallery' } },
      { id: 2, product: { id: 8, name: 'Gallery 2', slug: 'gallery' } },
      { id: 1, product: { id: 7, name: 'gallery', slug: 'gallery' } },
    ],
  );
});

test('items continue across any number of text blocks, each with its own texts', (t) => {
  const advisories = Array.from({ length: 300 }, (_, i) =>
    coreAdvisory(i + 1, { title: `${'é'.repeat(i % 7)} ${i + 1}` }),
  );
  const generation = generationOf(t, advisories);
  assert.deepEqual(
    servedItems(generation, generation.published('wordpress')).map(({ id, title }) => [id, title]),
    advisories.map(({ id, title }) => [id, title]).reverse(),
  );
});

test('items that exceed their limit cause a distinct error', (t) => {
  const { columns, items } = generationOf(t, [coreAdvisory(1)]).parts;
  const cursor = new PackedCursor(packed(['x'.repeat(300_000), '', '', '', []]));
  cursor.enter(0, cursor.bytes.length);
  const terms = (term: number): unknown =>
    term === columns.traitsVulnType[columns.advisoryTraits[0]] ? 'x' : [null, null];
  const out = new ByteWriter((size) => new Uint8Array(size), 1, 250_000);
  const writer = new ItemWriter(columns, items, terms, out);
  assert.throws(() => writer.write(0, cursor), WriterFullError);
});
