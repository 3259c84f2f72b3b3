import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WEAKNESSES } from '../../../src/generator/weaknesses.ts';
import { cweNames } from '../../../src/importers/record/cwe-names.ts';

const CWE_NAMES = cweNames();

test('the names of weaknesses are those of MITRE, by ascending number, none deprecated or escaped', () => {
  assert.equal(CWE_NAMES.get(1333), 'Inefficient Regular Expression Complexity');
  assert.equal(CWE_NAMES.get(399), 'Resource Management Errors', 'a category');
  assert.match(CWE_NAMES.get(79) ?? '', /\('Cross-site Scripting'\)$/);
  assert.equal(CWE_NAMES.get(17), undefined, 'deprecated');
  const numbers = [...CWE_NAMES.keys()];
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  for (const [number, name] of CWE_NAMES) {
    assert.doesNotMatch(name, /^DEPRECATED|&\w+;|[<>]|^\s|\s$/, String(number));
  }
});

test('the names of weaknesses include every weakness that generated feeds have', () => {
  const missing = WEAKNESSES.filter(({ cwe }) => !CWE_NAMES.has(cwe.id));
  assert.deepEqual(
    missing.map(({ cwe }) => cwe.id),
    [],
  );
});
