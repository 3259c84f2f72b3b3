// Reading the body of a batch: the fast way has its twin in JSON.parse, for bodies of every form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPlainQueries } from '../../../src/dialects/osv/plain-queries.ts';
import { readQuery } from '../../../src/dialects/osv/read-query.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { finish } from '../../../src/http/work/steps.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';
import { words } from '../../support/words.ts';

const MOST = 3;

/** Whether the body is read; if it is, it must mean what JSON.parse says. */
function isRead(text: string): boolean {
  const queries = finish(readPlainQueries(Buffer.from(text), MOST));
  if (queries === undefined) return false;
  const { queries: twins } = JSON.parse(text) as { queries: unknown[] };
  assert.ok(twins.length <= MOST, text);
  assert.deepEqual(queries.map(readQuery), twins.map(readQuery), text);
  return true;
}

const NAMED = '{"package":{"name":"a","ecosystem":"npm"},"version":"1.0"}';
const OTHERS = words(`
  {"package":{"purl":"pkg:npm/%40s/a@1"}}
  {"version":"1.0","package":{"ecosystem":"WordPress:Plugin","name":"b"},"page_token":""} {"commit":"0a1b"}
  {"package":{"name":"a"},"version":"2","pageToken":"x"}
`);

test('bodies that clients write are read, and mean what JSON.parse says', () => {
  for (const text of [
    ...[
      '{"queries":[]}',
      ' { "queries" : [ ] } \n',
      `{"queries":[${NAMED}]}`,
      `{"queries":[${NAMED},${NAMED}]}`,
    ],
    ...OTHERS.map((query) => `{"queries":[${query},${NAMED}]}`),
    `{"queries":[${NAMED.replaceAll(/[:,{}]/g, '\t$& ')}]}`,
  ]) {
    assert.ok(isRead(text), text);
  }
});

test('any other body is left to JSON.parse', () => {
  for (const text of [
    ...['', ...words('{} [] null {"queries":null} {"queries":{}} {"queries":[],"x":1} {"queries":[]}x')],
    ...[
      '{"queries":[1]}',
      '{"queries":[{}]}',
      '{"queries":[null]}',
      `{"queries":[${NAMED},]}`,
      '{"queries":[',
    ],
    `{"queries":[${Array(MOST + 1)
      .fill(NAMED)
      .join()}]}`,
    `{"queries":[${NAMED.replace('"1.0"', 'null')}]}`,
    `{"queries":[${NAMED.replace('"1.0"', '"1","version":"2"')}]}`,
    `{"queries":[${NAMED.replace('"a"', '"a","name":"b"')}]}`,
    `{"queries":[${NAMED.replace('"a"', '"\\u0061"')}]}`,
    `{"queries":[${NAMED.replace('"a"', '"é"')}]}`,
    `{"queries":[${NAMED.replace('"a"', '"a\n"')}]}`,
    `{"queries":[${NAMED.replace('"version"', '"__proto__"')}]}`,
    `\uFEFF{"queries":[${NAMED}]}`,
  ]) {
    assert.equal(isRead(text), false, text);
  }
});

test('damaged bodies mean what JSON.parse says, if they are read', (t) => {
  const dice = new Dice(printedSeed(t));
  const pieces = ['{', '}', '[', ']', '"', ':', ',', '\\', ' ', 'a', 'é', '"a"', 'null', ...OTHERS];
  let readCount = 0;
  const rounds = volume(10_000);
  for (let round = 0; round < rounds; round++) {
    const queries = Array.from({ length: dice.whole(0, 3) }, () => dice.pick([NAMED, ...OTHERS]));
    let text = `{"queries":[${queries.join()}]}`;
    for (let edits = dice.whole(0, 2); edits > 0; edits--) {
      const at = dice.whole(0, text.length);
      const added = dice.chance(0.5) ? dice.pick(pieces) : '';
      text = text.slice(0, at) + added + text.slice(at + dice.whole(0, 2));
    }
    if (isRead(text)) readCount++;
  }
  assert.ok(readCount > rounds / 4 && readCount < rounds);
});
