import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dsvFormat } from 'd3-dsv';
import fc from 'fast-check';
import { parseCsv } from '../../src/inventory/csv.ts';

test('rows and cells, quoted or not, with the line ends of all systems', () => {
  assert.deepEqual(parseCsv('a,b\r\n1,"x, ""y""\nz"\n,\n', ','), [
    ['a', 'b'],
    ['1', 'x, "y"\nz'],
    ['', ''],
  ]);
  assert.deepEqual(parseCsv('a;b', ';'), [['a', 'b']]);
  assert.deepEqual(parseCsv('', ','), []);
  assert.deepEqual(parseCsv('a,"b', ','), [['a', 'b']]);
});

test('what a library writes is read as it was', () => {
  const rows = fc.array(
    fc.array(fc.string({ unit: fc.constantFrom(...'ab",; \n=') }), { minLength: 2, maxLength: 4 }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(rows, fc.constantFrom(',', ';', '\t'), (written, delimiter) => {
      assert.deepEqual(parseCsv(dsvFormat(delimiter).formatRows(written), delimiter), written);
    }),
    { numRuns: 300 },
  );
});
