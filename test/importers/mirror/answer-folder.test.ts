import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AnswerFolder } from '../../../src/importers/mirror/answer-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';

const BODY = Buffer.from('{"a":1}\n\u2028');

function answersIn(folder: string, maxBytes = 1000): AnswerFolder {
  return new AnswerFolder(folder, maxBytes, Date.now());
}

test('a kept answer is found again by its name and its question, also later', (t) => {
  const folder = join(temporaryFolder(t), 'made', 'here');
  answersIn(folder).put('a', 'question', { tag: '"x"', body: BODY });
  answersIn(folder).put('b', 'question', { tag: undefined, body: Buffer.alloc(0) });
  const found = answersIn(folder).find('a', 'question');
  assert.deepEqual([found?.tag, found?.body.toString()], ['"x"', BODY.toString()]);
  assert.equal(answersIn(folder).find('b', 'question')?.tag, undefined);
  assert.equal(answersIn(folder).find('b', 'question')?.body.length, 0);
  assert.equal(answersIn(folder).find('a', 'another'), undefined);
  assert.equal(answersIn(folder).find('c', 'question'), undefined);
  assert.deepEqual(readdirSync(folder).sort(), ['a.kept', 'b.kept']);
});

test('a kept answer is not found if it is damaged or too large', (t) => {
  const folder = temporaryFolder(t);
  answersIn(folder).put('a', 'question', { tag: '"x"', body: BODY });
  const path = join(folder, 'a.kept');
  const whole = readFileSync(path);
  for (const content of [whole.subarray(0, -9), Buffer.from('no gzip'), Buffer.alloc(0)]) {
    writeFileSync(path, content);
    assert.equal(answersIn(folder).find('a', 'question'), undefined);
  }
  answersIn(folder).put('a', 'question', { tag: '"x"', body: Buffer.alloc(200_000) });
  assert.equal(answersIn(folder).find('a', 'question'), undefined);
  assert.notEqual(answersIn(folder, 200_000).find('a', 'question'), undefined);
});

test('a kept answer is removed when it is not retained; other files stay', (t) => {
  const folder = temporaryFolder(t);
  const answers = answersIn(folder);
  for (const name of ['a', 'b', 'c']) answers.put(name, 'question', { tag: undefined, body: BODY });
  writeFileSync(join(folder, 'mine.txt'), '');
  answers.retain(new Set(['b']));
  assert.deepEqual(readdirSync(folder).sort(), ['b.kept', 'mine.txt']);
});

test('a kept answer cannot be written where its folder is not a folder', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => answersIn(join(folder, 'file')), {
    name: 'SourceError',
    message:
      /file: the answers of the server cannot be kept \(.+\); check the folder's permissions and space/,
  });
  mkdirSync(join(folder, 'a.kept'));
  assert.throws(() => answersIn(folder).put('a', 'question', { tag: undefined, body: BODY }), {
    message: /a.kept: the answers of the server cannot be kept/,
  });
  assert.deepEqual(readdirSync(folder).sort(), ['a.kept', 'file']);
});
