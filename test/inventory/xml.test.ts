import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childOf, childText, parseXml } from '../../src/inventory/xml.ts';

test('elements are read without the prefixes of their namespaces, texts whole', () => {
  const root = parseXml(
    '<?xml version="1.0"?>\n<!-- a --><b:bom xmlns:b="urn:x" one="1 &amp; 2"><b:name> a<![CDATA[<b>]]>&#x63; </b:name><b:empty/></b:bom>',
  );
  assert.equal(root.name, 'bom');
  assert.equal(root.attributes.get('one'), '1 & 2');
  assert.equal(childText(root, 'name'), 'a<b>c');
  assert.equal(childText(root, 'empty'), '');
  assert.equal(childText(root, 'other'), undefined);
  assert.equal(childOf(undefined, 'a'), undefined);
});

test('entities of its own, depth and a text that is cut are refused with the place', () => {
  const lines = Array.from({ length: 9 }, (_, i) => `<!ENTITY x${i + 1} "&x${i};&x${i};">`).join('\n');
  const texts: readonly (readonly [string, RegExp])[] = [
    [`<!DOCTYPE a [<!ENTITY x0 "ha">${lines}]><a>&x9;</a>`, /entity isn't defined: &x9; at line 9, column/],
    ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', /entity isn't defined/],
    ['<a>'.repeat(100_000), /nested deeper than 100\./],
    ['<a>\n  <b>', /Missing end tag for element b at line 2/],
    ['<a></b>', /Missing end tag for element a/],
    ['<!-- nothing -->', /is not read: .*element/],
  ];
  for (const [text, message] of texts) assert.throws(() => parseXml(text), { name: 'Refusal', message });
});
