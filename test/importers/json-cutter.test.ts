import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonCutter, type JsonPiece, KEPT_BYTES, MAX_NAME_BYTES } from '../../src/importers/json-cutter.ts';
import { printedSeed } from '../support/seed.ts';

const LIMIT = 64 * 1024;

/** All members of the text, handed to the scanner in pieces of a size. */
function scan(text: string | Uint8Array, pieceBytes = Number.POSITIVE_INFINITY, limit = LIMIT): JsonPiece[] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const scanner = new JsonCutter('object', limit);
  const members: JsonPiece[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const member of scanner.push(bytes.subarray(at, at + pieceBytes))) {
      members.push({ ...member, bytes: new Uint8Array(member.bytes) });
    }
  }
  scanner.finish();
  return members;
}

function valuesOf(members: readonly JsonPiece[]): (readonly [string, unknown])[] {
  return members.map(({ name, bytes }) => [name, JSON.parse(Buffer.from(bytes).toString())]);
}

/** A value with everything that could mislead: quotes, escapes, braces in strings, nesting. */
function drawValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 3 ? 5 : 7));
  const text = (): string => {
    const parts = ['"', '\\', '{', '}', '[', ']', ',', ':', 'é', '\n', '\u2028', 'a', '😀'];
    return Array.from(
      { length: Math.floor(random() * 6) },
      () => parts[Math.floor(random() * parts.length)],
    ).join('');
  };
  if (kind === 0) return text();
  if (kind === 1) return Math.floor(random() * 1e6) / 8;
  if (kind === 2) return null;
  if (kind === 3) return random() < 0.5;
  if (kind === 4) return `${text()}${text()}`;
  const values = Array.from({ length: Math.floor(random() * 4) }, () => drawValue(random, depth + 1));
  return kind === 5 ? values : Object.fromEntries(values.map((value) => [text(), value]));
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('the members of an object are what JSON.parse finds, wherever the chunks are cut', (t) => {
  const random = randomOf(printedSeed(t));
  for (let round = 0; round < 300; round++) {
    const members = Array.from(
      { length: Math.floor(random() * 5) },
      (_, at) => [`${at}${random() < 0.3 ? '"\\' : ''}x`, drawValue(random, 0)] as const,
    );
    const text = JSON.stringify(Object.fromEntries(members), null, random() < 0.5 ? 2 : 0);
    const whole: Record<string, unknown> = JSON.parse(text);
    for (const size of [1, 2, 3, 7, 1000]) {
      assert.deepEqual(valuesOf(scan(text, size)), Object.entries(whole), text);
    }
  }
});

test('an empty object has no members', () => {
  assert.deepEqual(scan('{}'), []);
  assert.deepEqual(scan(' \n{ }\n '), []);
});

test('the members of an object may follow a byte order mark', () => {
  assert.deepEqual(valuesOf(scan('\ufeff{"a":1}', 1)), [['a', 1]]);
});

test('the colons of a member are counted outside strings', () => {
  const [member] = scan('{"a":{"b":":","c":{"d":[{"e":1}]}}}');
  assert.equal(member.colons, 4);
});

test('the members of an object keep a name that occurs twice', () => {
  assert.deepEqual(valuesOf(scan('{"a":1,"a":2}')), [
    ['a', 1],
    ['a', 2],
  ]);
});

test('a member that is too long is cut, and those after it are whole', () => {
  const long = 'x'.repeat(LIMIT);
  for (const size of [1000, LIMIT * 4]) {
    const [a, b, c] = scan(`{"a":"y","b":"${long}","c":[1]}`, size);
    assert.equal(Buffer.from(a.bytes).toString(), '"y"');
    assert.equal(b.length, LIMIT + 2);
    assert.equal(b.bytes.length, KEPT_BYTES);
    assert.equal(Buffer.from(b.bytes).toString(), `"${long}`.slice(0, KEPT_BYTES));
    assert.equal(Buffer.from(c.bytes).toString(), '[1]');
  }
});

test('a member may have any size without being held in memory', (t) => {
  const scanner = new JsonCutter('object', LIMIT);
  const chunkBytes = LIMIT / 4;
  scanner.push(Buffer.from('{"a":"'));
  const copied = t.mock.method(Buffer, 'concat').mock;
  const chunks = 100;
  for (let i = 0; i < chunks; i++) {
    const chunk = new Uint8Array(chunkBytes).fill('x'.charCodeAt(0));
    scanner.push(chunk);
    // Beyond the limit only a copy may be left: a detached buffer makes views of it empty.
    if ((i + 1) * chunkBytes > LIMIT) structuredClone(chunk.buffer, { transfer: [chunk.buffer] });
  }
  const [member] = scanner.push(Buffer.from('"}'));
  scanner.finish();
  assert.equal(member.length, chunks * chunkBytes + 2);
  assert.equal(Buffer.from(member.bytes).toString(), `"${'x'.repeat(KEPT_BYTES - 1)}`);
  const copiedBytes = copied.calls.map(({ result }) => (result as Buffer).length);
  assert.equal(copiedBytes.length, 1, 'only the pieces up to the limit');
  assert.ok(copiedBytes[0] <= LIMIT + KEPT_BYTES);
});

test('a member may be malformed: that is for JSON.parse to find', () => {
  const names = scan('{"a":,"b":tru,"c":{"x":1]}').map(({ name }) => name);
  assert.deepEqual(names, ['a', 'b', 'c']);
});

const NOT_ONE_OBJECT: readonly (readonly [string, string, RegExp])[] = [
  ['', 'truncated', /contains no JSON object/],
  ['  ', 'truncated', /contains no JSON object/],
  ['<!DOCTYPE html><p>', 'not-one', /begins with "<!DOCTYPE html><p>", not with \{/],
  ['[{}]', 'not-one', /begins with "\[\{\}\]"/],
  ['"text"', 'not-one', /begins with/],
  ['{', 'truncated', /ends after 1 bytes, inside the object/],
  ['{"a"', 'truncated', /ends after 4 bytes/],
  ['{"a":', 'truncated', /ends after 5 bytes/],
  ['{"a":{"b":1}', 'truncated', /ends after 12 bytes/],
  ['{"a":"b}', 'truncated', /ends after 8 bytes/],
  ['{"a":1,', 'truncated', /ends after 7 bytes/],
  ['{"a":1,}', 'malformed', /has "\}" at byte 7 instead of a name in quotes/],
  ['{,}', 'malformed', /at byte 1 instead of a name in quotes/],
  ['{a:1}', 'malformed', /has "a:1\}" at byte 1 instead of a name in quotes/],
  ['{"a" 1}', 'malformed', /has "1\}" at byte 5 instead of a colon/],
  ['{"a":1]', 'malformed', /has "\]" at byte 6 instead of a comma or \}/],
  ['{"a":1} {}', 'malformed', /has "\{\}" at byte 8 instead of the end of the file/],
  ['{"\\x":1}', 'malformed', /a name that is not a JSON string/],
  [`{"${'x'.repeat(MAX_NAME_BYTES + 1)}":1}`, 'malformed', /a name of more than 1024 bytes/],
];
for (const [text, code, message] of NOT_ONE_OBJECT) {
  test(`bytes such as ${JSON.stringify(text.slice(0, 20))} are ${code}`, () => {
    for (const size of [5, 100_000]) {
      assert.throws(() => scan(text, size), code === 'not-one' ? { code } : { code, message });
    }
    assert.throws(() => scan(text), { code, message });
  });
}

test('an object with a name that is not UTF-8 is malformed', () => {
  const bytes = Buffer.concat([Buffer.from('{"'), Buffer.of(0xff), Buffer.from('":1}')]);
  assert.throws(() => scan(bytes), { code: 'malformed', message: /not a JSON string in UTF-8/ });
});
