import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insidesOf, textOf } from '../../../../src/fleet/objects/s3/xml.ts';

test('texts are found by their element, with entities resolved once', () => {
  assert.equal(textOf('<a><Key>x&amp;lt;&lt;&#233;&#xE9;&apos;</Key></a>', 'Key'), "x&lt;<éé'");
  assert.equal(textOf('<Key/>', 'Key'), undefined);
  assert.equal(textOf('<Keys>1</Keys>', 'Key'), undefined);
  assert.equal(textOf('<Key>&unknown;&#99999999;&#x110000;</Key>', 'Key'), '&unknown;&#99999999;&#x110000;');
});

test('elements of a list are taken one by one, over several lines', () => {
  const xml = '<L><C>\n<K>1</K>\n</C><C><K>2</K></C><D><K>3</K></D></L>';
  assert.deepEqual(
    insidesOf(xml, 'C').map((inside) => textOf(inside, 'K')),
    ['1', '2'],
  );
});
