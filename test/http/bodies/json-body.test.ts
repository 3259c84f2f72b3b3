// Reading bodies: the result is that of JSON.parse, however a body is divided; its pauses come often; and
// what would take long is refused before it is parsed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice, mix } from '../../../src/generator/dice.ts';
import {
  isObject,
  MAX_LEVELS,
  MAX_MARKS,
  type ReadJson,
  readJson,
  SCAN_BYTES,
} from '../../../src/http/bodies/json-body.ts';
import { finish } from '../../../src/http/work/steps.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

/** Longer than what is never divided. */
const LONG = 20_000;

function read(text: string | Uint8Array): ReadJson {
  return finish(readJson(typeof text === 'string' ? Buffer.from(text) : text));
}

/** The twin without pieces. */
function parsed(text: string): ReadJson {
  try {
    return { kind: 'json', value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch {
    return { kind: 'not-json' };
  }
}

/** Also the order of members. */
function assertSame(text: string): void {
  const [got, expected] = [read(text), parsed(text)];
  const shown = text.length > 200 ? `${text.slice(0, 100)}...${text.slice(-100)}` : text;
  assert.deepEqual(got, expected, shown);
  assert.equal(JSON.stringify(got), JSON.stringify(expected), shown);
}

const FILLER = Array.from({ length: 3_000 }, (_, i) => i).join(','); // 14 KB

test('bodies of every form are read as by JSON.parse', () => {
  for (const text of [
    ...['{}', '[]', ' 1 ', '"a"', 'null', '', ' ', '{', ']', '"', '{"a":1}x', '\uFEFF{}', '\uFEFF\uFEFF{}'],
    ...[`[${FILLER},${FILLER}]`, `{"a":[${FILLER},${FILLER}],"b":{"c":[${FILLER},${FILLER}]}}`],
    ...[
      `[[${FILLER},${FILLER}]]`,
      `[ [${FILLER},${FILLER}] , [${FILLER},${FILLER}]\n]`,
      `[${' '.repeat(LONG)}]`,
    ],
    ...[`[${FILLER},${FILLER},]`, `[,${FILLER},${FILLER}]`, `[${FILLER},,${FILLER}]`, `[${FILLER},${FILLER}`],
    ...[
      `[[${FILLER},${FILLER}],]`,
      `[,[${FILLER},${FILLER}]]`,
      `[[${FILLER},${FILLER}][${FILLER},${FILLER}]]`,
    ],
    ...[`[[${FILLER},${FILLER}]1]`, `[1[${FILLER},${FILLER}]]`, `{"a":1[${FILLER},${FILLER}]}`],
    ...[`{"a"[${FILLER},${FILLER}]}`, `{[${FILLER},${FILLER}]}`, `{"a":[${FILLER},${FILLER}}]`],
    ...[`[${FILLER},${FILLER}}`, `[${FILLER}],[${FILLER}]`, `[${FILLER},${FILLER}][]`],
    ...[`{"a":"${'x'.repeat(LONG)}","a":1,"b":2,"a":3,"1":4}`, `["${'\\"]'.repeat(LONG)}"]`],
    ...[
      `{"__proto__":{"a":"${'x'.repeat(LONG)}"},"constructor":1}`,
      `{"a":"${'x'.repeat(LONG)}","__proto__":[1]}`,
    ],
    ...[`["${'x'.repeat(LONG)}",\uFEFF1]`, `["${'é🎈'.repeat(LONG)}",1,"\\ud800"]`],
  ]) {
    assertSame(text);
  }
});

test('a body that is not UTF-8 is not JSON, wherever the bad bytes are', () => {
  for (const bad of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
    for (const before of ['', FILLER]) {
      const text = [`["${before}`, `",[${FILLER},${FILLER}]]`].map((part) => Buffer.from(part));
      assert.equal(read(Buffer.concat([text[0], Buffer.from(bad), text[1]])).kind, 'not-json');
    }
  }
});

test('drawn bodies are read as by JSON.parse, whole and damaged', (t) => {
  const dice = new Dice(mix(printedSeed(t)));
  const draw = (levels: number): string => {
    const count = dice.whole(0, levels === 0 ? 3 : 8);
    const blank = dice.pick(['', ' ', '\n']);
    switch (dice.whole(0, levels <= 0 ? 3 : 6)) {
      case 0:
        return String(dice.whole(-9, 99));
      case 1:
        return JSON.stringify('"\\é,[{'.repeat(dice.whole(0, 30)));
      case 2:
        return JSON.stringify('x'.repeat(dice.whole(0, 9_000)));
      case 3:
        return dice.pick(['null', 'true', '{}', '[]', `[${FILLER}]`]);
      case 4:
      case 5: {
        const members = Array.from({ length: count }, (_, i) => {
          return `"${dice.pick(['a', 'b', '__proto__', `k${i}`, String(i)])}"${blank}:${blank}${draw(levels - 1)}`;
        });
        return `{${blank}${members.join(`${blank},`)}${blank}}`;
      }
      default:
        return `[${blank}${Array.from({ length: count }, () => draw(levels - 1)).join(`,${blank}`)}${blank}]`;
    }
  };
  for (let round = 0; round < volume(1_000); round++) {
    const text = draw(5);
    assertSame(text);
    const at = dice.whole(0, text.length);
    assertSame(
      text.slice(0, at) +
        dice.pick(['', ',', ']', '}', '[', '{', '"', ':', '1']) +
        text.slice(at + dice.whole(0, 1)),
    );
  }
});

test('a large body is read in many steps, a small one in one', () => {
  const stepsOf = (text: string): number => [...readJson(Buffer.from(text))].length;
  assert.equal(stepsOf('{"a":[1,2,3]}'), 0);
  const members = Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join(','); // 1.2 MB
  assert.ok(stepsOf(`{"a":{${members}}}`) > 60, String(stepsOf(`{"a":{${members}}}`)));
});

test('no step passes more blanks than a scan may, wherever they are', () => {
  const blanks = Buffer.alloc(2 << 20, ' \n\t\r');
  const long = `[${FILLER},${FILLER}]`;
  for (const [before, after] of [
    ['', ''],
    ['', '{}'],
    ['', long],
    [long, ''],
    ['[', ']'],
    [`[${long}`, ']'],
    [`[${long}`, `,${long}]`],
    [`[${long},`, `${long}]`],
    ['[1', ',2]'],
  ]) {
    const steps = [...readJson(Buffer.concat([Buffer.from(before), blanks, Buffer.from(after)]))].length;
    assert.ok(steps >= blanks.length / SCAN_BYTES - 1, `${steps} for blanks after ${before.slice(0, 4)}`);
    assertSame(before + ' '.repeat(LONG) + after);
  }
});

test('more marks or levels than allowed are refused, also in a body that is no JSON; in strings they do not count', () => {
  const refused = (text: string): boolean => read(text).kind === 'too-complex';
  // The bracket and one comma less.
  const list = (marks: number): string => `[${Array(marks).fill('1').join(',')}]`;
  assert.equal(refused(list(MAX_MARKS)), false);
  assert.equal(refused(list(MAX_MARKS + 1)), true);
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  assert.equal(refused(nested(MAX_LEVELS)), false);
  assert.equal(refused(nested(MAX_LEVELS + 1)), true);
  assert.equal(refused('{"a":'.repeat(MAX_LEVELS + 1)), true);
  assert.equal(refused(`["${'[{,:'.repeat(MAX_MARKS)}"]`), false);
});

test('an object is neither null nor a list', () => {
  assert.deepEqual([{}, null, [], 'a'].map(isObject), [true, false, false, false]);
});
