import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseToml } from '../../src/inventory/toml.ts';

test('tables and values are read; a name such as __proto__ is a plain name', () => {
  const read = parseToml('version = 4\n[[package]]\nname = "a"\n[__proto__]\nb = 1\n');
  assert.deepEqual(Object.keys(read), ['version', 'package', '__proto__']);
  assert.equal(JSON.stringify(read), '{"version":4,"package":[{"name":"a"}],"__proto__":{"b":1}}');
});

test('what is not TOML is refused with its place', () => {
  const texts: readonly (readonly [string, RegExp])[] = [
    ['a = 1\nb = \n', /looks like TOML, but is not read: .* at line 2, column/],
    ['[[package]]\nname = "a', /at line 2, column/],
    [`a = ${'['.repeat(100_000)}`, /excessively nested/],
    [`a = ${'{b='.repeat(100_000)}`, /excessively nested/],
    ['a = 1\na = 2\n', /at line 2/],
  ];
  for (const [text, message] of texts) assert.throws(() => parseToml(text), { name: 'Refusal', message });
});
