import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { wholeOf } from '../../../src/fleet/objects/body.ts';
import { FolderSource } from '../../../src/fleet/objects/folder.ts';
import type { ObjectReply } from '../../../src/fleet/objects/objects.ts';
import { temporaryFolder } from '../../support/folder.ts';

const { signal } = new AbortController();

function sceneOf(t: TestContext) {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'snapshots'));
  writeFileSync(join(folder, 'snapshots', 'a.vdx'), '0123456789');
  const source = new FolderSource(folder);
  const read = async (reply: ObjectReply): Promise<string> => {
    if (reply.kind !== 'found') return reply.kind;
    return `${reply.bytes} from ${reply.from}: ${await wholeOf(reply.body, 1000, 'it')}`;
  };
  const etagOf = async (name: string): Promise<string> => {
    const reply = await source.get(name, { signal });
    await read(reply);
    return (reply.kind === 'found' ? reply.etag : undefined) ?? assert.fail();
  };
  return { folder, source, read, etagOf };
}

test('a file is whole, unchanged, absent, or the rest of what is there', async (t) => {
  const { source, read, etagOf } = sceneOf(t);
  const name = 'snapshots/a.vdx';
  const etag = await etagOf(name);
  assert.equal(await read(await source.get(name, { signal })), '10 from 0: 0123456789');
  assert.equal(await read(await source.get(name, { signal, etag })), 'unchanged');
  assert.equal(await read(await source.get('none', { signal })), 'absent');
  assert.equal(await read(await source.get(name, { signal, from: 4, rangeOf: etag })), '10 from 4: 456789');
  const other = await read(await source.get(name, { signal, from: 4, rangeOf: '"x"' }));
  assert.equal(other, '10 from 0: 0123456789');
});

test('a file that is replaced by one of the same length has changed', async (t) => {
  const { folder, source, read, etagOf } = sceneOf(t);
  const etag = await etagOf('snapshots/a.vdx');
  writeFileSync(join(folder, 'new'), '9876543210');
  renameSync(join(folder, 'new'), join(folder, 'snapshots', 'a.vdx'));
  const reply = await source.get('snapshots/a.vdx', { signal, etag });
  assert.equal(await read(reply), '10 from 0: 9876543210');
});

test('what is not below the folder, or not a file, is refused', async (t) => {
  const { source } = sceneOf(t);
  for (const name of ['../x', '/etc/passwd', 'a/../../x', '..', 'a\0b']) {
    await assert.rejects(source.get(name, { signal }), /is not below this folder/, name);
  }
  await assert.rejects(
    source.get('snapshots', { signal }),
    /expected a regular file, got a folder; check --source/,
  );
});

test('a pipe, which would block for ever, a socket and a device are refused', async (t) => {
  const { folder, source } = sceneOf(t);
  execFileSync('mkfifo', [join(folder, 'latest.json')]);
  await assert.rejects(source.get('latest.json', { signal }), /expected a regular file, got a pipe/);
  const server = createServer().listen(join(folder, 'socket'));
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  await assert.rejects(source.get('socket', { signal }), /expected a regular file, got a socket/);
  symlinkSync('/dev/null', join(folder, 'device'));
  await assert.rejects(source.get('device', { signal }), /expected a regular file, got a device/);
});
