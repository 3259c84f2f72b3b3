// `demo`: when it makes its snapshot. scripts/smoke.ts tests what it serves, and the line to paste.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../../src/cli/command-error.ts';
import { addDemoCommand, type Greeting } from '../../src/cli/demo.ts';
import { readSnapshotHeader } from '../../src/loader/snapshot/reader.ts';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../support/snapshots/generation.ts';

const FORMAT_OFFSET = 8;

const fits = async (): Promise<undefined> => undefined;

test('a demo snapshot is made if there is none, and again if another release wrote the existing one', async (t) => {
  const folder = temporaryFolder(t);
  const demo = join(folder, 'demo.vdx');
  const served: string[] = [];
  const run = async (): Promise<string> => {
    const ran = await runCommand(
      (program) => addDemoCommand(program, async ({ snapshots }) => void served.push(snapshots), fits, 500),
      ...['demo', '--snapshots', folder],
    );
    assert.equal(ran.error, undefined);
    return ran.out;
  };
  assert.match(await run(), /^made .*demo\.vdx: 500 invented advisories$/m);
  const { id } = readSnapshotHeader(demo);
  assert.equal(await run(), '');

  const bytes = readFileSync(demo);
  bytes[FORMAT_OFFSET] -= 1;
  writeFileSync(demo, bytes);
  assert.match(await run(), /^made /m);
  assert.equal(readSnapshotHeader(demo).id, id);

  // A user's own snapshot is never overwritten or added to, readable or not.
  writeFileSync(join(folder, 'mine.vdx'), bytes);
  renameSync(demo, join(folder, 'gone'));
  assert.equal(await run(), '');
  assert.deepEqual(served, [folder, folder, folder, folder]);
});

test('its help shows its own default anchor, which an option and a variable can change', async (t) => {
  const anchorOf = async (...words: readonly string[]): Promise<string | undefined> => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'mine.vdx'), '');
    const anchors: string[] = [];
    await runCommand(
      (program) => addDemoCommand(program, async ({ latestAnchor }) => void anchors.push(latestAnchor), fits),
      ...['demo', '--snapshots', folder, ...words],
    );
    return anchors[0];
  };
  const { out } = await runCommand(
    (program) => addDemoCommand(program, async () => {}, fits),
    'demo',
    '--help',
  );
  assert.match(out.replace(/\s+/g, ' '), /--latest-anchor <anchor> [^-]*default: "snapshot"/);
  assert.equal(await anchorOf(), 'snapshot');
  assert.equal(await anchorOf('--latest-anchor', 'clock'), 'clock');
  process.env.VULNDEX_LATEST_ANCHOR = 'clock';
  t.after(() => {
    delete process.env.VULNDEX_LATEST_ANCHOR;
  });
  assert.equal(await anchorOf(), 'clock');
});

test('what the serving side cannot do is refused before a snapshot is made', async (t) => {
  const folder = temporaryFolder(t);
  const { error } = await runCommand(
    (program) =>
      addDemoCommand(
        program,
        async () => assert.fail(),
        async () => '--mounts: there is no dialect "bad"',
      ),
    ...['demo', '--snapshots', folder, '--mounts', 'bad'],
  );
  assert.ok(error instanceof UsageError);
  assert.equal(error.message, '--mounts: there is no dialect "bad"');
  assert.deepEqual(readdirSync(folder), []);
});

test('it prints where to look: the console with the key in the fragment, at the product of the curl line', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'mine.vdx'), '');
  let greet: ((greeting: Greeting) => readonly string[]) | undefined;
  await runCommand(
    (program) =>
      addDemoCommand(
        program,
        async (options) => {
          greet = options.greet;
        },
        fits,
      ),
    ...['demo', '--snapshots', folder],
  );
  assert.ok(greet !== undefined);
  const generation = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('plugin', 'my gallery'), spans: [coreSpan(null, '1.0 & b')] }),
  ]);
  const address = 'http://127.0.0.1:8080';
  const consoleUrl = `${address}/console/`;
  assert.deepEqual(greet({ address, key: 'k_1', consoleUrl, generation }), [
    `open: ${consoleUrl}#/lookup?type=plugin&name=my+gallery&version=1.0+%26+b&key=k_1`,
    'try:',
    `  curl -H 'PSKey: k_1' ${address}/product/plugin/my%20gallery/1.0%20%26%20b`,
  ]);
  assert.deepEqual(greet({ address, key: undefined, consoleUrl, generation }), [
    `open: ${consoleUrl}#/lookup?type=plugin&name=my+gallery&version=1.0+%26+b`,
    'try:',
    `  curl -H 'PSKey: YOUR-KEY' ${address}/product/plugin/my%20gallery/1.0%20%26%20b`,
  ]);
  assert.equal(greet({ address, key: 'k_1', consoleUrl: undefined, generation })[0], 'try:');
  const ofThree = generationOf(t, [
    coreAdvisory(1, { product: coreProduct('golang', 'a.example/b'), spans: [coreSpan(null, '1.0.0')] }),
    coreAdvisory(2, { product: coreProduct('maven', 'org.a:b'), spans: [coreSpan(null, '1.0-RC1')] }),
    coreAdvisory(3, { product: coreProduct('plugin', 'gallery'), spans: [coreSpan(null, '1.0')] }),
  ]);
  assert.deepEqual(greet({ address, key: 'k_1', consoleUrl: undefined, generation: ofThree }), [
    'try:',
    `  curl -H 'PSKey: k_1' ${address}/product/plugin/gallery/1.0`,
    'or, in place of that path:',
    '  /product/golang/a.example%2Fb/1.0.0',
    '  /product/maven/org.a%3Ab/1.0-RC1',
  ]);
  assert.deepEqual(greet({ address, key: 'k_1', consoleUrl, generation: undefined }), [
    `open: ${consoleUrl}#/lookup?key=k_1`,
  ]);
});
