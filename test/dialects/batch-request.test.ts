// Reading the body of a batch: the fast way has its twin in JSON.parse, for bodies of every form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BatchForm, readAnyBatch, readBatch } from '../../src/dialects/batch-request.ts';
import { Dice } from '../../src/generator/dice.ts';
import { finish } from '../../src/http/work/steps.ts';
import { isProductType, type ProductType } from '../../src/index/product-type.ts';
import { printedSeed } from '../support/seed.ts';
import { volume } from '../support/volume.ts';

const TYPED: BatchForm<ProductType> = { itemComplaint: 'is wrong', isType: isProductType };
const UNTYPED: BatchForm<ProductType | undefined> = {
  itemComplaint: 'is wrong',
  isType: (type): type is ProductType | undefined => type === undefined || isProductType(type),
};

/** What is read; of an item, what answers depend on. */
function meaningOf(
  read: typeof readBatch | typeof readAnyBatch,
  body: Uint8Array,
  isTyped: boolean,
): unknown {
  const batch = isTyped ? finish(read(body, TYPED)) : finish(read(body, UNTYPED));
  if (batch.kind !== 'batch') return batch;
  return batch.items.map(({ type, name, version, exists }) => ({ type, name, version, exists }));
}

function assertSame(text: string): void {
  const body = Buffer.from(text);
  for (const isTyped of [true, false]) {
    const expected = meaningOf(readAnyBatch, body, isTyped);
    assert.deepEqual(meaningOf(readBatch, body, isTyped), expected, JSON.stringify(text));
  }
}

const ITEM = '{"type":"npm","name":"a","version":"1.0","exists":true}';

test('each form of a body means what JSON.parse says', () => {
  for (const text of [
    ...['[]', ' [ ]\r\n\t', `[${ITEM}]`, `[${ITEM},${ITEM}]`, `\uFEFF[${ITEM}]`, `[${ITEM}] x`, `[${ITEM},]`],
    ...['', ' ', '[', ']', '{}', 'null', '[[]]', '[{}]', '[null]', `[${ITEM}`, `${ITEM}`, `[${ITEM}${ITEM}]`],
    `[${ITEM.replaceAll(/[:,]/g, ' $& ')}]`,
    `[${ITEM.replaceAll(',', '\n\t, ')}]`,
    ...['true', 'false', 'null', '1', '"true"', 'tru', 'truefalse', 'trues', ''].map(
      (value) => `[${ITEM.replace('true', value)}]`,
    ),
    ...['npm', 'plugin', 'theme', 'wordpress', 'Npm', 'np', 'npmm', '', 'drupal'].map(
      (type) => `[${ITEM.replace('npm', type)}]`,
    ),
    ...[
      '',
      'x'.repeat(256),
      'x'.repeat(257),
      'é',
      '\\u0061',
      'a\\n',
      'a\n',
      '\u007f',
      '\u0000',
      '__proto__',
    ].map((name) => `[${ITEM.replace('"a"', `"${name}"`)}]`),
    ...['a', 'a/b', 'a:b', '/b', 'a/', 'a:b:c', 'a/b/c'].flatMap((name) =>
      ['maven', 'composer'].map((type) => `[${ITEM.replace('npm', type).replace('"a"', `"${name}"`)}]`),
    ),
    ...['', '*', '1'.repeat(300), '\\"', '1\t', '🎈'].map((version) => `[${ITEM.replace('1.0', version)}]`),
    '[{"version":"1","name":"a","type":"theme"}]',
    '[{"version":"1","name":"a"}]',
    '[{"name":"a","type":"theme"}]',
    '[{"version":"1","type":"theme"}]',
    '[{"type":"theme","type":"npm","name":"a","name":"b","version":"1","version":"2","exists":true,"exists":false}]',
    '[{"type":"npm","name":"a","version":"1","extra":{"name":[]}}]',
    '[{"type":"npm","name":"a","version":"1","__proto__":{"exists":true}}]',
    '[{"type":"npm" "name":"a","version":"1"}]',
    '[{"type","name":"a","version":"1"}]',
    '[{"type":"npm","name":"a","version":"1",}]',
    '[{,"type":"npm","name":"a","version":"1"}]',
    `[${Array(50).fill(ITEM).join()}]`,
    `[${Array(51).fill(ITEM).join()}]`,
  ]) {
    assertSame(text);
  }
});

test('a body is read from its own place in a larger buffer', () => {
  const body = Buffer.from(`xx[${ITEM}]yy`).subarray(2, -2);
  assert.deepEqual(meaningOf(readBatch, body, true), meaningOf(readAnyBatch, body, true));
});

test('damaged bodies mean what JSON.parse says', (t) => {
  const dice = new Dice(printedSeed(t));
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '\\',
    ' ',
    '\n',
    'a',
    '1',
    'é',
    '"a"',
    'true',
    'null',
    ITEM,
  ];
  for (let round = 0; round < volume(10_000); round++) {
    let text = `[${Array.from({ length: dice.whole(0, 3) }, () => ITEM).join()}]`;
    for (let edits = dice.whole(0, 2); edits > 0; edits--) {
      const at = dice.whole(0, text.length);
      const added = dice.chance(0.5) ? dice.pick(pieces) : '';
      text = text.slice(0, at) + added + text.slice(at + dice.whole(0, 2));
    }
    assertSame(text);
  }
});
