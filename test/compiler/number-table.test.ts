import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NumberTable } from '../../src/compiler/number-table.ts';
import { FIRST_WIDE, numberOf } from '../../src/index/columns.ts';

test('every whole number comes back; those that need a row have one, once', () => {
  const numbers = [
    0,
    1,
    FIRST_WIDE - 1,
    FIRST_WIDE,
    -1,
    -62_167_219_200,
    Number.MAX_SAFE_INTEGER,
    FIRST_WIDE,
    -1,
  ];
  const table = new NumberTable();
  const elements = Uint32Array.from(numbers, (number) => table.elementOf(number));
  const columns = { wideNumber: table.column() };
  assert.deepEqual(
    Array.from(elements, (element) => numberOf(columns, element)),
    numbers,
  );
  assert.deepEqual([...columns.wideNumber], [FIRST_WIDE, -1, -62_167_219_200, Number.MAX_SAFE_INTEGER]);
});
