import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Manifest, parseManifest } from '../../src/fleet/manifest.ts';
import { verifyManifest } from '../../src/fleet/manifest-signature.ts';
import { parsePublicKey } from '../../src/fleet/minisign.ts';
import { FolderTarget } from '../../src/fleet/objects/folder-target.ts';
import type { ObjectTarget } from '../../src/fleet/objects/objects.ts';
import { openS3 } from '../../src/fleet/objects/s3.ts';
import type { Publication, PublishedFile, PublishPlan } from '../../src/fleet/publication.ts';
import { publish } from '../../src/fleet/publish.ts';
import { parseSecretKey } from '../../src/fleet/secret-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { minisignFixture } from '../support/minisign.ts';
import { S3_KEYS, type S3Server, startS3Server } from '../support/serving/s3-server.ts';

const { signal } = new AbortController();
const NOW_MS = Date.parse('2026-04-21T08:00:00Z');
const DAY_MS = 86_400_000;

class Scene {
  readonly folder: string;
  readonly target: ObjectTarget;
  readonly lines: string[] = [];
  readonly #files: string;
  nowMs = NOW_MS;

  constructor(t: TestContext, target?: ObjectTarget) {
    this.#files = temporaryFolder(t);
    this.folder = join(temporaryFolder(t), 'store');
    this.target = target ?? new FolderTarget(this.folder);
  }

  file(content: string): PublishedFile {
    const sha256 = createHash('sha256').update(content).digest('hex');
    const path = join(this.#files, sha256);
    writeFileSync(path, content);
    return { path, bytes: content.length, sha256 };
  }

  publish(content: string, plan: Partial<PublishPlan> = {}, target = this.target): Promise<Publication> {
    const context = { nowMs: () => this.nowMs, signal, report: (line: string) => this.lines.push(line) };
    return publish(target, { ...this.plan(content), ...plan }, context);
  }

  plan(content: string): PublishPlan {
    return {
      snapshot: { ...this.file(content), id: '0123456789abcdef', builtAtMs: NOW_MS - 3_600_000 },
      objects: [],
      expiresMs: 7 * DAY_MS,
      activate: { kind: 'now' },
      minServerVersion: '0.1.0',
      revokeBelow: undefined,
      key: undefined,
      keep: undefined,
      graceMs: DAY_MS,
      isDryRun: false,
    };
  }

  read(): Manifest {
    return parseManifest(readFileSync(join(this.folder, 'latest.json')));
  }

  names(): string[] {
    return readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(this.folder.length + 1))
      .sort();
  }
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a snapshot lies under its hash, and the manifest names it', async (t) => {
  const scene = new Scene(t);
  const overlay = { ...scene.file('an overlay'), kind: 'overlay' };
  await scene.publish('a snapshot', { objects: [overlay], activate: { kind: 'at', atMs: NOW_MS + 60_000 } });
  assert.deepEqual(scene.read(), {
    format: 1,
    sequence: 1,
    published_at: '2026-04-21T08:00:00.000Z',
    expires: '2026-04-28T08:00:00.000Z',
    activate_at: '2026-04-21T08:01:00.000Z',
    min_server_version: '0.1.0',
    snapshot: {
      url: `snapshots/${sha256Of('a snapshot')}.vdx`,
      size: 10,
      sha256: sha256Of('a snapshot'),
      id: '0123456789abcdef',
      built_at: '2026-04-21T07:00:00.000Z',
    },
    objects: [{ kind: 'overlay', url: `objects/${overlay.sha256}`, size: 10, sha256: overlay.sha256 }],
  });
  assert.deepEqual(scene.names(), [
    'history/000000000001.json',
    'latest.json',
    `objects/${overlay.sha256}`,
    `snapshots/${sha256Of('a snapshot')}.vdx`,
  ]);
  assert.deepEqual(scene.lines, []);
});

test('progress is told of what is sent, and of nothing else', async (t) => {
  const scene = new Scene(t);
  const sent: string[] = [];
  const plan = { ...scene.plan('a snapshot'), objects: [{ ...scene.file('an overlay'), kind: 'overlay' }] };
  const onUpload = ({ bytes }: PublishedFile) => ({
    advance: (some: number) => sent.push(`${some} of ${bytes}`),
    end: () => sent.push('end'),
  });
  const context = { nowMs: () => NOW_MS, signal, report: () => {}, onUpload };
  await publish(scene.target, plan, context);
  assert.deepEqual(sent, ['10 of 10', 'end', '10 of 10', 'end']);
  await publish(scene.target, plan, context);
  assert.equal(sent.length, 4);
});

test('what is there already is not sent again, and a half of it is', async (t) => {
  const scene = new Scene(t);
  await scene.publish('a snapshot');
  const name = `snapshots/${sha256Of('a snapshot')}.vdx`;
  const again = await scene.publish('a snapshot');
  assert.deepEqual([again.uploaded, again.present, again.manifest.sequence], [[], [name], 2]);
  writeFileSync(join(scene.folder, name), 'a snap');
  assert.deepEqual((await scene.publish('a snapshot')).uploaded, [name]);
  assert.equal(readFileSync(join(scene.folder, name), 'utf8'), 'a snapshot');
});

test('the manifest is signed with keys of the standard tool, under its hash', async (t) => {
  const scene = new Scene(t);
  const key = await parseSecretKey(minisignFixture('plain.key'), undefined);
  await scene.publish('a snapshot', { key });
  const bytes = readFileSync(join(scene.folder, 'latest.json'));
  const name = `signatures/${createHash('sha256').update(bytes).digest('hex')}.minisig`;
  const signature = readFileSync(join(scene.folder, name), 'utf8');
  assert.equal(verifyManifest([parsePublicKey(minisignFixture('plain.pub'))], bytes, signature), key.id);
  assert.match(signature, /sequence:1\t/);
  await scene.publish('another snapshot');
  assert.match(scene.lines.join('\n'), /^warning: the manifest before it was signed.*--key$/);
});

test('the sequence never falls: neither without a manifest nor after one that was never the latest', async (t) => {
  const scene = new Scene(t);
  await scene.publish('one');
  await scene.publish('two');
  rmSync(join(scene.folder, 'latest.json'));
  assert.equal((await scene.publish('three')).manifest.sequence, 3);
  writeFileSync(join(scene.folder, 'history/000000000007.json'), 'of a publisher that was killed');
  assert.equal((await scene.publish('four')).manifest.sequence, 8);
  assert.equal(existsSync(join(scene.folder, 'history/000000000007.json')), false);
});

test('times are counted from the end of the upload', async (t) => {
  const scene = new Scene(t);
  const slow = beforePut(scene.target, `snapshots/${sha256Of('one')}.vdx`, async () => {
    scene.nowMs += 3_600_000;
  });
  await scene.publish('one', { activate: { kind: 'in', ms: 60_000 } }, slow);
  const { published_at, activate_at } = scene.read();
  assert.deepEqual([published_at, activate_at], ['2026-04-21T09:00:00.000Z', '2026-04-21T09:01:00.000Z']);
});

test('a revocation stays in every later manifest, and cannot revoke the manifest that it is in', async (t) => {
  const scene = new Scene(t);
  await scene.publish('one');
  await scene.publish('two', { revokeBelow: 2 });
  await scene.publish('three');
  assert.equal(scene.read().revoked_sequence_below, 2);
  await assert.rejects(scene.publish('four', { revokeBelow: 5 }), {
    code: 'revokes-itself',
    message: /at most 4/,
  });
});

test('a dry run says what would be sent, and changes nothing', async (t) => {
  const scene = new Scene(t);
  await scene.publish('one');
  const before = scene.names();
  const dry = await scene.publish('two', { isDryRun: true });
  assert.deepEqual(dry.uploaded, [`snapshots/${sha256Of('two')}.vdx`]);
  assert.deepEqual(scene.names(), before);
});

test('a manifest that cannot be read, or an activation after the end, stops the publication', async (t) => {
  const scene = new Scene(t);
  await assert.rejects(scene.publish('one', { activate: { kind: 'at', atMs: NOW_MS + 8 * DAY_MS } }), {
    code: 'ends-first',
  });
  await scene.publish('one');
  writeFileSync(join(scene.folder, 'latest.json'), '<html>');
  await assert.rejects(scene.publish('two'), { code: 'unreadable-manifest', message: /move it away/ });
});

test('an older snapshot and a clock that is behind are warned of', async (t) => {
  const scene = new Scene(t);
  await scene.publish('one');
  scene.nowMs -= 3_600_000;
  const older = { ...scene.file('two'), id: '0123456789abcdef', builtAtMs: 0 };
  await scene.publish('two', { snapshot: older });
  assert.match(scene.lines.join('\n'), /check the clock[\s\S]*older than the published one/);
});

test('a file that changes while it is copied is not published', async (t) => {
  const scene = new Scene(t);
  const snapshot = { ...scene.file('one'), id: '0123456789abcdef', builtAtMs: 0 };
  writeFileSync(snapshot.path, 'two');
  await assert.rejects(scene.publish('another', { snapshot }), {
    name: 'ObjectError',
    message: /changed while/,
  });
  assert.deepEqual(scene.names(), []);
});

/** A target that does something the first time an object is written. */
function beforePut(target: ObjectTarget, name: string, act: () => Promise<unknown>): ObjectTarget {
  let hasActed = false;
  return {
    shownAs: target.shownAs,
    get: (...words) => target.get(...words),
    list: (...words) => target.list(...words),
    remove: (...words) => target.remove(...words),
    close: () => target.close(),
    async put(written, ...words) {
      if (written === name && !hasActed) {
        hasActed = true;
        await act();
      }
      return target.put(written, ...words);
    },
  };
}

test('of two publishers at once one wins, and the sequence is that of the winner', async (t) => {
  for (const name of ['latest.json', 'history/000000000002.json']) {
    const scene = new Scene(t);
    await scene.publish('one');
    const slower = beforePut(scene.target, name, () => scene.publish('the faster one'));
    await assert.rejects(scene.publish('the slower one', {}, slower), { code: 'overtaken' });
    assert.equal(scene.read().snapshot.sha256, sha256Of('the faster one'));
    const sequences = readdirSync(join(scene.folder, 'history'));
    assert.equal(sequences.includes(`${String(scene.read().sequence).padStart(12, '0')}.json`), true);
  }
});

async function s3Scene(
  t: TestContext,
  conditions: 'kept' | 'ignored' | 'refused',
): Promise<[Scene, S3Server]> {
  const server = await startS3Server(t, { conditions });
  const target = openS3(server.location, { environment: { AWS_ENDPOINT_URL: server.url.href, ...S3_KEYS } });
  t.after(() => target.close());
  return [new Scene(t, target), server];
}

test('in a bucket too, with a warning where conditions are not checked', async (t) => {
  for (const conditions of ['kept', 'ignored', 'refused'] as const) {
    const [scene, server] = await s3Scene(t, conditions);
    await scene.publish('one');
    await scene.publish('two');
    const latest = server.objects.get('fleet/latest.json');
    assert.equal(parseManifest(latest?.bytes ?? '').sequence, 2);
    assert.equal(latest?.headers['cache-control'], 'no-cache');
    const slower = beforePut(scene.target, 'history/000000000003.json', () => scene.publish('faster'));
    await assert.rejects(scene.publish('slower', {}, slower), { code: 'overtaken' }, conditions);
    const isWarned = scene.lines.some((line) => line.includes('does not check conditions'));
    assert.equal(isWarned, conditions !== 'kept');
    const puts = server.asked.filter(({ method }) => method === 'PUT').map(({ url }) => url.split('/')[3]);
    assert.deepEqual(puts.slice(0, 2), ['snapshots', 'history']); // and the manifest after them
  }
});

test('--keep leaves the newest snapshots, what was the latest a short while ago, and what is not ours', async (t) => {
  const scene = new Scene(t);
  const key = await parseSecretKey(minisignFixture('plain.key'), undefined);
  const removed: (readonly string[])[] = [];
  for (const [day, content] of ['one', 'two', 'three', 'four'].entries()) {
    scene.nowMs = NOW_MS + day * 2 * DAY_MS;
    if (content === 'four') {
      writeFileSync(join(scene.folder, 'snapshots/README'), 'not ours');
      for (const name of scene.names())
        utimesSync(join(scene.folder, name), 0, (NOW_MS + day * DAY_MS) / 1000);
    }
    const { removed: some } = await scene.publish(content, {
      key,
      keep: 2,
      objects: [{ ...scene.file(`of ${content}`), kind: 'overlay' }],
    });
    removed.push(some);
  }
  // Files of this test are young for the file system's clock until their times are set.
  assert.deepEqual(
    removed.map(({ length }) => length > 0),
    [false, false, true, true],
  );
  const kept = ['three', 'four'].map(sha256Of);
  for (const sha256 of kept) assert.ok(existsSync(join(scene.folder, `snapshots/${sha256}.vdx`)));
  for (const content of ['one', 'two']) {
    assert.equal(existsSync(join(scene.folder, `snapshots/${sha256Of(content)}.vdx`)), false, content);
    assert.equal(existsSync(join(scene.folder, `objects/${sha256Of(`of ${content}`)}`)), false, content);
  }
  assert.ok(existsSync(join(scene.folder, 'snapshots/README')));
  assert.equal(readdirSync(join(scene.folder, 'signatures')).length, 2);
  assert.deepEqual(readdirSync(join(scene.folder, 'history')), ['000000000003.json', '000000000004.json']);
});

test('what was the latest within the grace time stays, even beyond --keep', async (t) => {
  const scene = new Scene(t);
  await scene.publish('one', { keep: 1 });
  scene.nowMs += 30 * DAY_MS;
  for (const name of scene.names()) utimesSync(join(scene.folder, name), 0, 0);
  // It was the latest until now, so a replica may have begun to fetch it.
  const { removed } = await scene.publish('two', { keep: 1 });
  assert.deepEqual(removed, []);
  scene.nowMs += 2 * DAY_MS;
  assert.equal(
    (await scene.publish('three', { keep: 1 })).removed.includes(`snapshots/${sha256Of('one')}.vdx`),
    true,
  );
});

test('a history that cannot be read removes nothing, and the publication stands', async (t) => {
  const scene = new Scene(t);
  await scene.publish('one');
  writeFileSync(join(scene.folder, 'history/000000000001.json'), '{');
  for (const name of scene.names()) utimesSync(join(scene.folder, name), 0, 0);
  scene.nowMs += 9 * DAY_MS;
  await scene.publish('two', { keep: 1 });
  assert.deepEqual((await scene.publish('three', { keep: 1 })).removed, []);
  assert.match(scene.lines.join('\n'), /old objects are not removed/);
});

test('objects that change while the snapshot stays go with their own manifests', async (t) => {
  const scene = new Scene(t);
  for (const content of ['a', 'b', 'c']) {
    const overlay = { ...scene.file(content), kind: 'overlay' };
    await scene.publish('one', { objects: [overlay], keep: 1 });
    for (const name of scene.names()) utimesSync(join(scene.folder, name), 0, 0);
    scene.nowMs += 3 * DAY_MS;
  }
  const { removed } = await scene.publish('one', { keep: 1 });
  assert.deepEqual(removed, [`objects/${sha256Of('b')}`, 'history/000000000002.json']);
  assert.ok(existsSync(join(scene.folder, `objects/${sha256Of('c')}`))); // of the latest until now
});

test('what a publisher that was killed has left does not shorten the grace of what was live meanwhile', async (t) => {
  const scene = new Scene(t);
  const old = (): void => {
    for (const name of scene.names()) utimesSync(join(scene.folder, name), 0, 0);
  };
  await scene.publish('live for days', { keep: 1 });
  const killed = readFileSync(join(scene.folder, 'latest.json'), 'utf8');
  writeFileSync(
    join(scene.folder, 'history/000000000002.json'),
    killed.replace('"sequence": 1', '"sequence": 2'),
  );
  scene.nowMs += 5 * DAY_MS;
  for (const content of ['next', 'next but one', 'and one more']) {
    old();
    assert.deepEqual((await scene.publish(content, { keep: 1 })).removed, [], content);
    scene.nowMs += 60_000;
  }
  scene.nowMs += 2 * DAY_MS;
  old();
  const { removed } = await scene.publish('last', { keep: 1 });
  assert.equal(removed.includes(`snapshots/${sha256Of('live for days')}.vdx`), true);
  assert.equal(removed.includes(`snapshots/${sha256Of('and one more')}.vdx`), false);
});
