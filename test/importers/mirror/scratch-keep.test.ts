import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { ScratchKeep } from '../../../src/importers/mirror/scratch-keep.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('answers are found again by name and question, and leave no file', (t) => {
  const folder = temporaryFolder(t);
  const keep = new ScratchKeep(folder);
  keep.put('a', 'question', { tag: '"x"', body: Buffer.from('first') });
  keep.put('b', 'question', { tag: undefined, body: Buffer.alloc(3_000_000, 'b') });
  keep.put('a', 'question', { tag: '"y"', body: Buffer.from('second') });
  assert.deepEqual(readdirSync(folder), []);
  assert.equal(keep.find('a', 'question')?.body.toString(), 'second');
  assert.equal(keep.find('a', 'question')?.tag, '"y"');
  assert.equal(keep.find('b', 'question')?.body.length, 3_000_000);
  assert.equal(keep.find('a', 'another'), undefined);
  keep.retain(new Set(['b']));
  assert.equal(keep.find('a', 'question'), undefined);
  assert.equal(keep.find('b', 'question')?.tag, undefined);
  keep.close();
});
