// The fields of a prepared item: every item is rebuilt from them, as JSON and decoded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { isExploited, NONE, patchPriority } from '../../../src/index/columns.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { fixRange } from '../../../src/index/items/affected-range.ts';
import { formatInstant } from '../../../src/index/items/instant.ts';
import {
  BEYOND_MARKS,
  FIELD_NAMES,
  ITEM_FIELDS,
  type ItemField,
  MARKED_FIELDS,
} from '../../../src/index/items/item-layout.ts';
import { MAX_MEMORY_BYTES } from '../../../src/index/items/item-parts.ts';
import { ItemView } from '../../../src/index/items/item-view.ts';
import { AnswerBuffer } from '../../../src/index/memory/answer-buffer.ts';
import { PRODUCT_TYPE_TABLE, PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import { loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { feedJson, inventedRecords } from '../../support/feeds/invented-feed.ts';
import { realDataOptions } from '../../support/feeds/real-data.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { printedSeed } from '../../support/seed.ts';
import {
  coreAdvisory,
  coreProduct,
  coreSpan,
  generationOf,
  realGeneration,
} from '../../support/snapshots/generation.ts';
import { compileRecords } from '../../support/snapshots/snapshots.ts';
import { isFull, volume } from '../../support/volume.ts';

const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function itemText(generation: Generation, ordinal: number): string {
  const out = new AnswerBuffer();
  generation.items.writeItems(out, ordinal, ordinal + 1);
  return fromUtf8.decode(out.view());
}

/** The item assembled from the JSON of its fields. */
function rebuiltJson(view: ItemView): string {
  const out = new AnswerBuffer();
  for (const name of FIELD_NAMES) {
    out.text(ITEM_FIELDS[name].before);
    view.write(out, name);
  }
  return `${fromUtf8.decode(out.view())}}}`;
}

/** The item assembled from columns and decoded fields, and written by JSON.stringify. */
function rebuiltObject(generation: Generation, ordinal: number, view: ItemView): object {
  const { columns } = generation.parts;
  const flags = columns.advisoryFlags[ordinal];
  const spans = view.spans();
  const fixed = spans.filter(({ fixedIn }) => fixedIn !== null);
  const { highest } = fixRange(columns, ordinal);
  return {
    id: columns.advisoryId[ordinal],
    title: view.text('title'),
    disclosed_at: `${view.text('disclosedAt')}+00:00`,
    created_at: formatInstant(generation.createdAt(ordinal)),
    url: view.text('url'),
    vuln_type: view.text('vulnType'),
    cve: view.text('cve'),
    is_exploited: isExploited(flags),
    patch_priority: patchPriority(flags),
    product: { id: view.number('productId'), name: view.text('productName'), slug: view.text('productSlug') },
    cvss: { score: view.number('cvssScore'), vector: view.text('cvssVector') },
    cwe: { id: view.number('cweId'), name: view.text('cweName') },
    capec: { id: view.number('capecId'), name: view.text('capecName') },
    ghsa: view.text('ghsa'),
    references: view.references(),
    version_info: {
      affected: view.text('affected'),
      patched_ranges:
        fixed.length < 2
          ? []
          : fixed.map(({ from, to, fixedIn }) => ({
              from_version: from ?? '',
              to_version: to ?? '',
              fixed_in: fixedIn,
            })),
      fixed: highest === NONE ? '' : generation.versionText(highest),
    },
  };
}

/** The title without its prefix, found in the decoded one. */
function bareTitleOf(generation: Generation, ordinal: number, title: string): string {
  const { advisoryProduct, productType } = generation.parts.columns;
  const { titlePrefix } = PRODUCT_TYPE_TABLE[productType[advisoryProduct[ordinal]]];
  assert.ok(title.startsWith(titlePrefix));
  return title.slice(titlePrefix.length);
}

function assertRebuilt(generation: Generation, every = 1): void {
  const view = new ItemView(generation);
  for (let ordinal = 0; ordinal < generation.advisoryCount; ordinal += every) {
    const text = itemText(generation, ordinal);
    view.enter(ordinal);
    assert.equal(rebuiltJson(view), text);
    assert.equal(JSON.stringify(rebuiltObject(generation, ordinal, view)), text);
    const bare = bareTitleOf(generation, ordinal, String(view.text('title')));
    const out = new AnswerBuffer();
    view.writeBareTitle(out);
    assert.deepEqual([view.bareTitle(), fromUtf8.decode(out.view())], [bare, JSON.stringify(bare)]);
  }
}

// What could be taken for the end of a value, or for the name of the next field.
const PIECES = [
  '"',
  '\\',
  '\\"',
  '\\\\',
  ',',
  ']',
  '}',
  '}},',
  '","url":"',
  '],"version_info":{"affected":"',
  'NPM: ',
  'null',
  '\ufeff',
  '\u0000',
  '\n',
  '\u2028',
  'é',
  '日本',
  '\u{1f600}',
  'plain text',
  ' ',
];

class NastyTexts {
  readonly #dice: Dice;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  text(mostPieces = 6): string {
    const count = this.#dice.whole(0, mostPieces);
    return Array.from({ length: count }, () => this.#dice.pick(PIECES)).join('');
  }

  advisory(id: number): Advisory {
    const dice = this.#dice;
    const type = dice.pick(PRODUCT_TYPES);
    const spans = Array.from({ length: dice.whole(0, 3) }, (_, i) =>
      coreSpan(`${i}.1.0`, `${i}.5.0`, 'exclusive', dice.pick([null, `${i}.5.0`, `fix${this.text()}`])),
    );
    return coreAdvisory(id, {
      title: `${dice.pick(['', 'NPM: '])}${this.text()}`,
      url: this.text(),
      vulnType: this.text(),
      cves: dice.pick([[], [this.text()], ['2026-1', this.text()]]),
      ghsa: dice.pick(['', this.text()]),
      isExploited: dice.pick([true, false]),
      patchPriority: dice.pick([1, 2, 3]),
      product: {
        ...coreProduct(type, `p${dice.whole(0, 49)}${this.text(2)}`),
        id: dice.whole(0, 1e9),
        name: this.text(),
      },
      cvss: { score: dice.pick([null, 0, 9.8, 10]), vector: dice.pick([null, this.text()]) },
      cwe: { id: dice.pick([null, 79]), name: dice.pick([null, this.text()]) },
      capec: { id: dice.pick([null, 1]), name: dice.pick([null, this.text()]) },
      references: Array.from({ length: dice.whole(0, 4) }, () => ({ url: this.text(), title: '' })),
      spans: spans.length === 0 ? [coreSpan(null, null)] : spans,
    });
  }
}

test('every item is rebuilt from its fields, whatever its texts are', (t) => {
  const nasty = new NastyTexts(new Dice(printedSeed(t)));
  assertRebuilt(
    generationOf(
      t,
      Array.from({ length: 600 }, (_, i) => nasty.advisory(i + 1)),
    ),
  );
});

test('every item of a synthetic feed is rebuilt from its fields, in one part and in several', async (t) => {
  const records = inventedRecords(800, printedSeed(t)).map(feedJson);
  const path = await compileRecords(temporaryFolder(t), records);
  assertRebuilt(loadSnapshot(path).generation);
  const { generation } = loadSnapshot(path, { partBytes: 60_000, memoryBytes: MAX_MEMORY_BYTES });
  assert.ok(generation.parts.items.parts.length > 5);
  assertRebuilt(generation);
});

test('the items of the real feeds are rebuilt from their fields', realDataOptions, async (t) => {
  const generation = await realGeneration('wordpress', 'npm');
  t.diagnostic(`${volume(generation.advisoryCount)} of ${generation.advisoryCount} advisories`);
  assertRebuilt(generation, isFull ? 1 : 10);
});

test('the fields of an item are found after a text of any length', (t) => {
  const long = `"\\${'x'.repeat(BEYOND_MARKS)}é`;
  const cases: readonly (readonly [Partial<Advisory>, beyond: readonly ItemField[]])[] = [
    [{}, []],
    [{ references: [{ url: long, title: '' }] }, ['affected']],
    [{ references: ['],"', long, '', ',]'].map((url) => ({ url, title: '' })) }, ['affected']],
    [{ ghsa: long }, ['references', 'affected']],
    [{ product: { ...coreProduct('plugin', 'p'), name: long } }, ['cvssScore', 'references', 'affected']],
    [{ url: long }, ['vulnType', 'cvssScore', 'references', 'affected']],
    [{ title: long }, [...MARKED_FIELDS]],
  ];
  const generation = generationOf(
    t,
    cases.map(([changes], i) => coreAdvisory(cases.length - i, changes)),
  );
  assertRebuilt(generation);
  const { marks } = generation.parts.items;
  cases.forEach(([, beyond], ordinal) => {
    const found = MARKED_FIELDS.filter((_, i) => marks[ordinal * MARKED_FIELDS.length + i] === BEYOND_MARKS);
    assert.deepEqual(found, beyond);
  });
});

test('a mark just below the limit is kept, and one at the limit is not', (t) => {
  const offsetOf = (title: string): number => {
    const { items, parts } = generationOf(t, [coreAdvisory(1, { title })]);
    items.require(0, 1);
    return parts.items.marks[0];
  };
  const least = offsetOf('');
  const atLimit = BEYOND_MARKS - least;
  assert.equal(offsetOf('x'.repeat(atLimit - 1)), BEYOND_MARKS - 1);
  for (const length of [atLimit, atLimit + 1, 2 * atLimit]) {
    const generation = generationOf(t, [coreAdvisory(1, { title: 'x'.repeat(length) })]);
    assertRebuilt(generation);
    assert.equal(generation.parts.items.marks[0], BEYOND_MARKS);
  }
});

test('marks take ten bytes per advisory', (t) => {
  const { items } = generationOf(t, [coreAdvisory(1), coreAdvisory(2)]).parts;
  assert.equal(items.marks.byteLength, 2 * 10);
});
