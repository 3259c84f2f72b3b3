import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readUpTo } from '../../src/files/read-up-to.ts';
import { temporaryFolder } from '../support/folder.ts';

test('a target is filled as far as the file goes', (t) => {
  const path = join(temporaryFolder(t), 'a');
  writeFileSync(path, 'abcdef');
  const fd = openSync(path, 'r');
  t.after(() => closeSync(fd));
  const read = (length: number, position: number): string => {
    const target = Buffer.alloc(length);
    return target.toString('latin1', 0, readUpTo(fd, target, position));
  };
  assert.deepEqual([read(3, 1), read(9, 4), read(3, 6), read(0, 0)], ['bcd', 'ef', '', '']);
});
