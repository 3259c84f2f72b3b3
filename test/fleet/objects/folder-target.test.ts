import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { end } from '../../../src/fleet/objects/body.ts';
import { FolderTarget } from '../../../src/fleet/objects/folder-target.ts';
import type { ObjectContent } from '../../../src/fleet/objects/objects.ts';
import { temporaryFolder } from '../../support/folder.ts';

const { signal } = new AbortController();

function bytesOf(text: string): ObjectContent {
  return { kind: 'bytes', bytes: Buffer.from(text), type: 'application/json', cacheControl: 'no-cache' };
}

test('objects are put, listed and removed; files of others are not listed', async (t) => {
  const folder = join(temporaryFolder(t), 'store');
  const target = new FolderTarget(folder);
  assert.deepEqual(await target.list('history/'), []);
  await target.put('history/1.json', bytesOf('one'), signal);
  writeFileSync(join(folder, 'history/.hidden'), '');
  mkdirSync(join(folder, 'history/folder'));
  assert.deepEqual(
    (await target.list('history/')).map(({ name, bytes }) => [name, bytes]),
    [['history/1.json', 3]],
  );
  await target.remove('history/1.json');
  await target.remove('history/1.json');
  assert.deepEqual(await target.list('history/'), []);
});

test('a condition that does not hold leaves the file as it is, and no lock behind', async (t) => {
  const folder = temporaryFolder(t);
  const target = new FolderTarget(folder);
  assert.equal(await target.put('a', bytesOf('1'), signal, { kind: 'unchanged', etag: '"x"' }), 'changed');
  assert.equal(await target.put('a', bytesOf('1'), signal, { kind: 'absent' }), 'stored');
  assert.equal(await target.put('a', bytesOf('2'), signal, { kind: 'absent' }), 'changed');
  const found = await target.get('a', { signal });
  assert.ok(found.kind === 'found' && found.etag !== undefined);
  await end(found.body);
  const condition = { kind: 'unchanged', etag: found.etag } as const;
  assert.equal(await target.put('a', bytesOf('3'), signal, condition), 'stored');
  assert.equal(await target.put('a', bytesOf('4'), signal, condition), 'changed');
  assert.equal(readFileSync(join(folder, 'a'), 'utf8'), '3');
  assert.deepEqual(readdirSync(folder), ['a']);
});

test('of many writers with the same condition one wins', async (t) => {
  const target = new FolderTarget(temporaryFolder(t));
  const writers = Array.from({ length: 8 }, (_, i) =>
    target.put('a', bytesOf(String(i)), signal, { kind: 'absent' }),
  );
  const outcomes = await Promise.all(writers);
  assert.equal(outcomes.filter((outcome) => outcome === 'stored').length, 1);
});

test('a folder that cannot be written says where and what to do', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'snapshots'), 'a file');
  const target = new FolderTarget(folder);
  await assert.rejects(target.put('snapshots/x', bytesOf('1'), signal), {
    name: 'ObjectError',
    message: /snapshots\/x: .*(?:EEXIST|ENOTDIR).*check the folder/,
  });
});
