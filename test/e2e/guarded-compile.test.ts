// `compile` with its guards, as a separate process: what it compares with, what it refuses, and what is left
// then.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FeedJson, feedRecord, writeFeed } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Ended, runProgram } from '../support/process/program.ts';

const records = (count: number): FeedJson[] => Array.from({ length: count }, (_, i) => feedRecord(i + 1));

interface Scene {
  readonly folder: string;
  /** Compiles that many advisories. */
  compile(count: number, out: string, ...words: readonly string[]): Promise<Ended>;
}

function makeScene(t: TestContext): Scene {
  const folder = temporaryFolder(t);
  const feed = join(folder, 'feed.ndjson');
  return {
    folder,
    compile: (count, out, ...words) => {
      writeFeed(feed, records(count));
      return runProgram(['compile', '--feed', feed, '--out', join(folder, out), ...words]);
    },
  };
}

function vdxIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.vdx') && !name.startsWith('.'));
}

test('into a folder: a loss is refused, what was there stays, and the limits let it pass', async (t) => {
  const { folder, compile } = makeScene(t);
  assert.equal((await compile(10, 'data/')).status, 0);
  const before = vdxIn(join(folder, 'data'));
  const refused = await compile(7, 'data/');
  assert.equal(refused.status, 1);
  assert.equal(refused.stdout.toString(), '');
  assert.match(
    refused.stderr,
    /^published advisories: 7 after 10.*\n(.*\n)*vulndex: refused: the new snapshot lost too much of /,
  );
  assert.deepEqual(vdxIn(join(folder, 'data')), before);
  const look = /vulndex diff (\S+) (\S+); /.exec(refused.stderr);
  const diff = await runProgram(['diff', look?.[1] ?? '', look?.[2] ?? '']);
  assert.match(diff.stdout.toString(), /^0 added, 0 changed, 0 withdrawn, 0 restored, 3 gone; 7 unchanged\n/);
  const options = /run this again with (.*)\n$/.exec(refused.stderr)?.[1].split(' ') ?? [];
  assert.equal((await compile(7, 'data/', ...options)).status, 0);
  assert.equal(vdxIn(join(folder, 'data')).length, 2);
  assert.ok(!readdirSync(join(folder, 'data')).includes('.refused.vdx'));
});

test('into a file: it is compared with the file that it replaces, which stays if it is refused', async (t) => {
  const { folder, compile } = makeScene(t);
  assert.equal((await compile(10, 'a.vdx')).status, 0);
  assert.equal((await compile(1, 'b.vdx')).status, 0, 'another file is another snapshot');
  const before = readFileSync(join(folder, 'a.vdx'));
  const refused = await compile(1, 'a.vdx');
  assert.equal(refused.status, 1);
  assert.deepEqual(readFileSync(join(folder, 'a.vdx')), before);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('.')),
    ['.a.refused.vdx'],
  );
});

test('with --previous, any snapshot; it must be sound', async (t) => {
  const { folder, compile } = makeScene(t);
  const previous = join(folder, 'a.vdx');
  assert.equal((await compile(10, 'a.vdx')).status, 0);
  assert.equal((await compile(10, 'b.vdx', '--previous', previous)).status, 0);
  assert.equal((await compile(1, 'c.vdx', '--previous', previous)).status, 1);
  writeFileSync(previous, 'not a snapshot');
  const unsound = await compile(10, 'd.vdx', '--previous', previous);
  assert.equal(unsound.status, 1);
  assert.match(unsound.stderr, /^vulndex: \S+a\.vdx: snapshot rejected: foreign-file/);
  assert.equal((await compile(1, 'd.vdx', '--max-withdrawn', '101')).status, 2);
});
