// The files in deploy/ against the program: what they name exists, what they set is an option, what they promise in
// seconds adds up. No image is built and no unit is started here.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Command } from 'commander';
import { addServeOptions } from '../src/cli/serve.ts';

function read(file: string): string {
  return readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
}

/** Without comments and blank lines, and with continued lines joined. */
function linesOf(file: string): string[] {
  return read(file)
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const OPTIONS = addServeOptions(new Command()).options;
const VARIABLES = new Set(OPTIONS.map(({ envVar }) => envVar));
const dockerfile = linesOf('Dockerfile');
const unit = linesOf('vulndex.service');

/** What a COPY from the build context names. */
const copied = dockerfile
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1));

function settingOf(key: string): string {
  const line = unit.find((candidate) => candidate.startsWith(`${key}=`));
  assert.ok(line !== undefined, `the unit has no ${key}`);
  return line.slice(key.length + 1);
}

test('every path that the image copies from the repository is there, and is let into the build', () => {
  assert.ok(copied.length > 0);
  const ignore = linesOf('Dockerfile.dockerignore');
  assert.equal(ignore[0], '*', 'everything stays out unless it is named');
  for (const path of copied) {
    assert.ok(existsSync(new URL(`../${path}`, import.meta.url)), `${path} does not exist`);
    assert.ok(ignore.includes(`!${path}`), `${path} is kept out of the build`);
  }
  assert.deepEqual(
    ignore
      .slice(1)
      .map((line) => line.slice(1))
      .sort(),
    copied.map((path) => path.replace(/^\.\//, '')).sort(),
  );
});

test('the image runs as an ordinary user and stops by the signal that drains', () => {
  const from = dockerfile.findLastIndex((line) => line.startsWith('FROM '));
  const last = dockerfile.slice(from);
  assert.ok(last.includes('USER node'));
  assert.ok(last.includes('STOPSIGNAL SIGTERM'));
  assert.ok(last.some((line) => line.startsWith('HEALTHCHECK ') && line.includes('/healthz')));
});

test('the variables that image and unit set are variables of serve', () => {
  const set = [
    ...read('Dockerfile').matchAll(/\b(VULNDEX_\w+)=/g),
    ...unit.join('\n').matchAll(/=(VULNDEX_\w+)=/g),
  ];
  assert.ok(set.length > 3);
  for (const [, name] of set) assert.ok(VARIABLES.has(name), `${name} is no variable of serve`);
});

test('the unit waits longer for the end than the drain and what is in flight take together', () => {
  const drainSeconds = Number(OPTIONS.find(({ envVar }) => envVar === 'VULNDEX_DRAIN_SECONDS')?.defaultValue);
  const exchangeSeconds = 60; // longest a reply may take to leave; http/server.ts
  assert.ok(Number(settingOf('TimeoutStopSec')) > drainSeconds + exchangeSeconds);
  assert.equal(settingOf('ExecReload'), '/bin/kill -HUP $MAINPID');
});

test('the unit allows the descriptors that the default cap on connections needs', () => {
  const perWorker = Number(OPTIONS.find(({ envVar }) => envVar === 'VULNDEX_MAX_CONNECTIONS')?.defaultValue);
  assert.ok(Number(settingOf('LimitNOFILE')) > 3 * perWorker);
});

test('systemd finds nothing wrong with the unit', (t) => {
  // Missing here: the program's folder and its user, so only complaints about the file itself count.
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', 'deploy/vulndex.service'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return t.skip('systemd-analyze is not installed');
  assert.deepEqual(
    stderr
      .split('\n')
      .filter((line) => line.includes('vulndex.service') && !line.includes('is not executable')),
    [],
  );
});

test('HAProxy takes its file', (t) => {
  const { error, status, stderr } = spawnSync('haproxy', ['-c', '-f', 'deploy/haproxy.cfg'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return t.skip('haproxy is not installed');
  assert.equal(status, 0, stderr);
});
