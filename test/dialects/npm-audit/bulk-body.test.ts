// Reading a bulk body: the fast way has its twin in JSON.parse, for bodies of every form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_NAMES, MAX_VERSIONS } from '../../../src/dialects/npm-audit/body.ts';
import * as bulkBody from '../../../src/dialects/npm-audit/bulk-body.ts';
import { Dice, mix } from '../../../src/generator/dice.ts';
import { finish } from '../../../src/http/work/steps.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';
import { phrases, words } from '../../support/words.ts';

const readBulk = (body: Uint8Array): bulkBody.ReadBulk => finish(bulkBody.readBulk(body));
const readAnyBulk = (body: Uint8Array): bulkBody.ReadBulk => finish(bulkBody.readAnyBulk(body));

/** What was read, by name; of equal names the last. */
function meaningOf(read: bulkBody.ReadBulk): unknown {
  if (read.kind !== 'packages') return read;
  const { nameCount, nameAt, versionsAt } = read.packages;
  return new Map(
    Array.from({ length: nameCount }, (_, i) => [nameAt(i), versionsAt(i)] as const).sort(([a], [b]) =>
      a < b ? -1 : a > b ? 1 : 0,
    ),
  );
}

function assertSame(text: string): void {
  const body = Buffer.from(text);
  assert.deepEqual(meaningOf(readBulk(body)), meaningOf(readAnyBulk(body)), JSON.stringify(text));
}

test('each form of a body means what JSON.parse says', () => {
  for (const text of [
    ...['{}', ' {\r\n\t} ', '{"a":[]}', '{"a":["1.0.0"]}', '{"a":["1.0.0","2"],"b":[ ],"c":["3" , "4"]}'],
    ...['{ "a" : [ "1" ] , "b" : [ "2" ] }\n', '{"a":["1"],"a":["2"]}', '{"2":["1"],"a":[],"1":["1"]}'],
    ...[
      '{"__proto__":["1"],"constructor":["2"]}',
      '{"":[""]}',
      '{"\\u0061":["1"],"a":["2"]}',
      '{"a":["\\n"]}',
    ],
    ...words('{"é":["1"]} {"a":["🎈"]} \uFEFF{"a":["1"]} {"a":[1,null,{},["2"],"3"]} {"a":["\u007f"]}'),
    ...['', ' ', ...words('{ } [] "a" null {"a"} {"a":} {"a":[} {"a":[] {"a":["1]} {"a":["1",]}')],
    ...phrases(`
      {"a":[,]} | {"a":[],} | {,} | {"a":["1" "2"]} | {"a" ["1"]} | {"a":["1"]"b":[]} | {"a":[]}} |
      {"a":[]}x
    `),
    ...[
      ...words(`
        {"a":"1"} {"a":null} {'a':[]} {a:[]}
      `),
      '{"a":["\n"]}',
      '{"a\t":[]}',
      '{"a":["1"]}\u0000',
      '{"a":[]}{}',
    ],
  ]) {
    assertSame(text);
  }
});

test('names keep the order of the body', () => {
  const read = readBulk(Buffer.from('{"b":["1"],"7":["2","3"],"a":[]}'));
  assert.ok(read.kind === 'packages');
  const { nameCount, nameAt, versionsAt } = read.packages;
  assert.deepEqual(
    Array.from({ length: nameCount }, (_, i) => [nameAt(i), versionsAt(i)]),
    [
      ['b', ['1']],
      ['7', ['2', '3']],
      ['a', []],
    ],
  );
});

test('a body is read from its own place in a larger buffer', () => {
  const whole = Buffer.from('xx{"a":["1"]}yy');
  assert.deepEqual(meaningOf(readBulk(whole.subarray(2, -2))), new Map([['a', ['1']]]));
});

test('damaged bodies mean what JSON.parse says', (t) => {
  const dice = new Dice(mix(printedSeed(t)));
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
    '["1"]',
    '"b":["2"]',
    'null',
  ];
  const pick = (count: number): number => Math.floor(dice.fraction() * count);
  for (let round = 0; round < volume(10_000); round++) {
    const good = `{${Array.from({ length: pick(4) }, () => `"${'ab1'[pick(3)]}":[${['', '"1"', '"1","x"'][pick(3)]}]`).join(',')}}`;
    let text = good;
    for (let edits = pick(3); edits > 0; edits--) {
      const at = pick(text.length + 1);
      text =
        text.slice(0, at) +
        (dice.fraction() < 0.5 ? (pieces[pick(pieces.length)] ?? '') : '') +
        text.slice(at + pick(2));
    }
    assertSame(text);
  }
});

test('limits hold in both forms', () => {
  const names = (count: number, blank: string): Buffer =>
    Buffer.from(`{${Array.from({ length: count }, (_, i) => `"n${i}${blank}":[]`).join(',')}}`);
  const versions = (count: number, blank: string): Buffer =>
    Buffer.from(`{"a":[${Array.from({ length: count }, () => `"1${blank}"`).join(',')}]}`);
  for (const blank of ['', '\\n']) {
    assert.equal(readBulk(names(MAX_NAMES, blank)).kind, 'packages');
    assert.equal(readBulk(names(MAX_NAMES + 1, blank)).kind, 'too-many');
    assert.equal(readBulk(versions(MAX_VERSIONS, blank)).kind, 'packages');
    assert.equal(readBulk(versions(MAX_VERSIONS + 1, blank)).kind, 'too-many');
    // Refused before it is parsed, which for 8 MiB takes more than a second.
    assert.equal(readBulk(Buffer.from(`{"${blank}":[${'{},'.repeat(200_000)}`)).kind, 'too-many');
  }
});
