// The real Composer audits projects of real packages by this server, as composer.json and auth.json say: each
// locked version gets the advisories of its known answer.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { runCommand } from '../support/command.ts';
import {
  type KnownRecords,
  readKnownRecords,
  readOsvRecords,
  realDataOptions,
} from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PARTNER_KEY, startServer, type TestServer } from '../support/serving/server.ts';

const run = promisify(execFile);

const hasComposer = spawnSync('composer', ['--version']).status === 0;
const skip = realDataOptions.skip || (hasComposer ? false : 'composer is not installed');

async function realServer(t: TestContext): Promise<TestServer> {
  const folder = temporaryFolder(t);
  const [feed, snapshot] = [join(folder, 'composer.ndjson'), join(folder, 'composer.vdx')];
  writeFileSync(feed, readOsvRecords('composer'));
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', feed, '--out', snapshot, '--json');
  if (ran.error !== undefined) throw ran.error;
  return startServer(t, { snapshot });
}

interface Audited {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `composer audit` in a project that has these versions locked. */
async function audit(
  t: TestContext,
  { port }: TestServer,
  packages: readonly KnownRecords[],
  key: string,
): Promise<Audited> {
  const folder = temporaryFolder(t);
  const home = join(folder, 'home');
  mkdirSync(home);
  const host = `127.0.0.1:${port}`;
  const write = (name: string, value: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  write('auth.json', { 'http-basic': { [host]: { username: 'vulndex', password: key } } });
  write('composer.json', {
    repositories: [{ type: 'composer', url: `http://${host}/composer` }, { 'packagist.org': false }],
    config: { 'secure-http': false },
  });
  write('composer.lock', {
    'content-hash': '',
    packages: packages.map(({ name, version }) => ({ name, version, type: 'metapackage' })),
    'packages-dev': [],
  });
  const env = { ...process.env, COMPOSER_HOME: home, COMPOSER_ALLOW_SUPERUSER: '1', no_proxy: '*' };
  const words = ['audit', '--locked', '--format=json', '--no-interaction', '--no-plugins'];
  try {
    return { status: 0, ...(await run('composer', words, { cwd: folder, env, maxBuffer: 2 ** 26 })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr };
  }
}

/** Projects with each name once, as a lockfile has it. */
function* projectsOf(known: readonly KnownRecords[]): Generator<readonly KnownRecords[]> {
  let left = known;
  while (left.length > 0) {
    const names = new Map<string, KnownRecords>();
    for (const each of left) if (!names.has(each.name)) names.set(each.name, each);
    const project = [...names.values()];
    yield project;
    left = left.filter((each) => !project.includes(each));
  }
}

test('composer audit finds for each locked version what is known of it', { skip }, async (t) => {
  const server = await realServer(t);
  let versions = 0;
  let found = 0;
  let projects = 0;
  for (const project of projectsOf(readKnownRecords('composer'))) {
    projects++;
    const { status, stdout, stderr } = await audit(t, server, project, PARTNER_KEY);
    assert.doesNotMatch(stderr, /not requested|warning from/i);
    const { advisories } = JSON.parse(stdout) as {
      advisories: Record<string, Record<string, { sources: readonly { remoteId: string }[] }>>;
    };
    for (const { name, version, ids } of project) {
      const shown = Object.values(advisories[name] ?? {}).map(({ sources }) =>
        sources.map(({ remoteId }) => remoteId),
      );
      for (const id of ids) assert.ok(shown.flat().includes(id), `${name} ${version} lacks ${id}`);
      // One advisory may be several records.
      const others = shown.filter((own) => !own.some((id) => ids.includes(id)));
      assert.deepEqual(others, [], `${name} ${version}`);
      versions++;
      found += ids.length;
    }
    assert.equal(
      status > 0,
      project.some(({ ids }) => ids.length > 0),
    );
  }
  t.diagnostic(`${versions} versions in ${projects} projects, ${found} advisories`);
});

test('a key that is not valid is an error, and not a clean project', { skip }, async (t) => {
  const server = await realServer(t);
  const [first] = readKnownRecords('composer').filter(({ ids }) => ids.length > 0);
  const { status, stdout } = await audit(t, server, [first], 'not-a-key');
  assert.ok(status > 0);
  assert.doesNotMatch(stdout, /"advisories"/);
});
