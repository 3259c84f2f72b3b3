import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programOf } from '../../../src/importers/kept/program.ts';

test('a program is the same as itself, and another than that of another release', () => {
  assert.equal(programOf('1.2.3'), programOf('1.2.3'));
  assert.notEqual(programOf('1.2.3'), programOf('1.2.4'));
  assert.match(programOf('1.2.3'), /^1\.2\.3 v\d+\.\d+\.\d+ [0-9a-f]{64}$/);
});
