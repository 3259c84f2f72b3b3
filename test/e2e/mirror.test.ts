// A server of this API copied with `compile --mirror`, through a proxy and TLS, and the copy served again.

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { PLATFORMS } from '../../src/index/product-type.ts';
import { assertSamePages } from '../support/answers/listing-pages.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { type FeedJson, feedRecord } from '../support/feeds/advisories.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runProgram } from '../support/process/program.ts';
import { printedSeed } from '../support/seed.ts';
import { PARTNER_KEY, startServer, type TestServer } from '../support/serving/server.ts';
import { AUTHORITY_FILE, startProxy, startWebServer, type WebServer } from '../support/serving/web-server.ts';

/** A server with or without TLS in front of one of this project; it does not answer what `stalls` says. */
function inFrontOf(
  t: TestContext,
  server: TestServer,
  tls: boolean,
  stalls: (url: string) => boolean = () => false,
): Promise<WebServer> {
  return startWebServer(
    t,
    async ({ method, url, headers, body }, response) => {
      if (stalls(url)) return;
      const sent: Record<string, string> = { pskey: String(headers.pskey) };
      const tag = headers['if-none-match'];
      if (tag !== undefined) sent['if-none-match'] = tag;
      const answer = await fetch(server.address + url, {
        method,
        headers: sent,
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? '',
        etag: answer.headers.get('etag') ?? '',
      });
      response.end(Buffer.from(await answer.arrayBuffer()));
    },
    { tls },
  );
}

function setVariable(t: TestContext, name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  t.after(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

function compile(...words: readonly string[]): Promise<Ran> {
  return runCommand(addCompileCommand, 'compile', ...words);
}

test('a copy has every page of the original, byte for byte', async (t) => {
  const records = inventedRecords(2000, printedSeed(t)).map(feedJson);
  const original = await startServer(t, { records });
  const front = await inFrontOf(t, original, true);
  const proxy = await startProxy(t);
  setVariable(t, 'HTTPS_PROXY', proxy.url);
  const folder = temporaryFolder(t);
  const snapshot = join(folder, 'copy.vdx');
  const key = join(folder, 'key');
  const kept = join(folder, 'kept');
  writeFileSync(key, `${PARTNER_KEY}\n`);
  const words = [
    '--mirror',
    front.url.href,
    '--key-file',
    key,
    '--ca',
    AUTHORITY_FILE,
    '--mirror-cache',
    kept,
  ];

  const ran = await compile(...words, '--out', snapshot);
  assert.equal(ran.error, undefined, ran.err);
  assert.ok(!`${ran.out}${ran.err}`.includes(PARTNER_KEY));
  assert.ok(proxy.lines.length > 0);
  assert.ok(proxy.lines.every((line) => line === `CONNECT ${front.url.host}`));
  const copy = await startServer(t, { snapshot });
  assert.ok((await assertSamePages(original, copy)) > 50);

  // An unchanged server is not walked again, and gives the same.
  const before = front.asked.length;
  const again = join(folder, 'again.vdx');
  const second = await compile(...words, '--out', again);
  assert.equal(second.error, undefined, second.err);
  assert.equal(front.asked.length - before, 2);
  await assertSamePages(original, await startServer(t, { snapshot: again }));
});

test('a copy that was killed continues where it was', async (t) => {
  const records = Array.from({ length: 1200 }, (_, i) => feedRecord(i + 1));
  const original = await startServer(t, { records });
  let isStalling = true;
  let child: ChildProcess | undefined;
  const front = await inFrontOf(t, original, false, (url) => {
    if (!isStalling || !url.startsWith('/all?platform=npm')) return false;
    child?.kill('SIGKILL'); // while it waits for the first page of packages
    return true;
  });
  const folder = temporaryFolder(t);
  const out = join(folder, 'copy.vdx');
  const words = ['--mirror', front.url.href, '--mirror-cache', join(folder, 'kept'), '--out', out];
  const env = { VULNDEX_MIRROR_KEY: PARTNER_KEY, NO_PROXY: '*' };
  const { signal, stderr } = await runProgram(['compile', ...words], {
    env,
    started: (started) => {
      child = started;
    },
  });
  assert.equal(signal, 'SIGKILL', stderr);
  isStalling = false;
  const before = front.asked.length;
  const ran = await compile(...words, '--key', PARTNER_KEY);
  assert.equal(ran.error, undefined, ran.err);
  const asked = front.asked.slice(before).map(({ method, url }) => `${method} ${url.replace(/&.*/, '')}`);
  assert.deepEqual(asked, [
    'GET /all?platform=wordpress', // whether it is still the same
    ...PLATFORMS.slice(1).map((platform) => `GET /all?platform=${platform}`),
    'GET /all?platform=wordpress', // whether it stayed the same
  ]);
  await assertSamePages(original, await startServer(t, { snapshot: out }));
});

test('a server that cannot be copied leaves no snapshot, and no key in the message', async (t) => {
  const folder = temporaryFolder(t);
  const out = join(folder, 'copy.vdx');
  const page = (records: readonly FeedJson[]): string => JSON.stringify(records);
  const front = await startWebServer(t, ({ headers }, response) => {
    response.writeHead(403, { 'content-type': 'text/html' });
    response.end(`<h1>Forbidden</h1> ${headers.pskey} ${page([feedRecord(1)])}`);
  });
  const ran = await compile('--mirror', front.url.href, '--key', PARTNER_KEY, '--out', out);
  assert.match(ran.error?.message ?? '', /status 403 \(text\/html\): <h1>Forbidden<\/h1> \[secret\]/);
  assert.ok(!`${ran.out}${ran.err}${ran.error?.message}`.includes(PARTNER_KEY));
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.vdx')),
    [],
  );
});
