import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { ScratchAnswers } from '../../../src/importers/mirror/scratch-answers.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('answers are found again by name and question, and leave no file', (t) => {
  const folder = temporaryFolder(t);
  const answers = new ScratchAnswers(folder);
  answers.put('a', 'question', { tag: '"x"', body: Buffer.from('first') });
  answers.put('b', 'question', { tag: undefined, body: Buffer.alloc(3_000_000, 'b') });
  answers.put('a', 'question', { tag: '"y"', body: Buffer.from('second') });
  assert.deepEqual(readdirSync(folder), []);
  assert.equal(answers.find('a', 'question')?.body.toString(), 'second');
  assert.equal(answers.find('a', 'question')?.tag, '"y"');
  assert.equal(answers.find('b', 'question')?.body.length, 3_000_000);
  assert.equal(answers.find('a', 'another'), undefined);
  answers.retain(new Set(['b']));
  assert.equal(answers.find('a', 'question'), undefined);
  assert.equal(answers.find('b', 'question')?.tag, undefined);
  answers.close();
});
