// The real Composer audits projects of real packages by this server, as composer.json and auth.json say: each
// locked version gets the advisories of its known answer.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { runCommand } from '../support/command.ts';
import { type FeedJson, feedRecord, span } from '../support/feeds/advisories.ts';
import {
  type KnownRecords,
  readKnownRecords,
  readOsvRecords,
  realDataOptions,
} from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PARTNER_KEY, startServer, type TestServer } from '../support/serving/server.ts';
import { type Ran, run } from './support/programs.ts';

/** Another release than the installed one, with its arguments: `php /path/to/composer.phar`. */
const [COMMAND, ...FIRST_WORDS] = (process.env.VULNDEX_COMPOSER ?? 'composer').split(' ');
const { stdout: VERSION } = spawnSync(COMMAND, [...FIRST_WORDS, '--version', '--no-interaction'], {
  env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1' },
  encoding: 'utf8',
});
const [, major = '', minor = ''] = /^Composer version (\d+)\.(\d+)/m.exec(VERSION ?? '') ?? [];
const absence = major === '' ? 'composer is not installed' : false;
const skip = realDataOptions.skip || absence;

/** What a test needs of Composer. */
function since(release: number): { readonly skip: string | false } {
  const isOlder = Number(major) < 2 || (Number(major) === 2 && Number(minor) < release);
  return { skip: absence || (isOlder ? `composer ${major}.${minor} is older than 2.${release}` : false) };
}

async function realServer(t: TestContext): Promise<TestServer> {
  const folder = temporaryFolder(t);
  const [feed, snapshot] = [join(folder, 'composer.ndjson'), join(folder, 'composer.vdx')];
  writeFileSync(feed, readOsvRecords('composer'));
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', feed, '--out', snapshot, '--json');
  if (ran.error !== undefined) throw ran.error;
  return startServer(t, { snapshot });
}

type Package = Pick<KnownRecords, 'name' | 'version'>;

/** Where this server is the only repository, apart from the packages themselves. */
class Project {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(t: TestContext, { port }: TestServer, packages: readonly Package[], key: string) {
    this.#folder = temporaryFolder(t);
    const home = join(this.#folder, 'home');
    mkdirSync(home);
    const host = `127.0.0.1:${port}`;
    const written = packages.map(({ name, version }) => ({ name, version, type: 'metapackage' }));
    this.#write('auth.json', { 'http-basic': { [host]: { username: 'vulndex', password: key } } });
    this.#write('composer.json', {
      repositories: [
        { type: 'composer', url: `http://${host}/composer` },
        { type: 'package', package: written },
        { 'packagist.org': false },
      ],
      require: Object.fromEntries(packages.map(({ name }) => [name, '*'])),
      'minimum-stability': 'dev',
      config: { 'secure-http': false },
    });
    this.#write('composer.lock', { 'content-hash': '', packages: written, 'packages-dev': [] });
    this.#env = { COMPOSER_HOME: home, COMPOSER_ALLOW_SUPERUSER: '1', no_proxy: '*' };
  }

  #write(name: string, value: object): void {
    writeFileSync(join(this.#folder, name), JSON.stringify(value));
  }

  run(...words: readonly string[]): Promise<Ran> {
    return run(
      this.#folder,
      COMMAND,
      [...FIRST_WORDS, ...words, '--no-interaction', '--no-plugins'],
      this.#env,
    );
  }

  /** From nothing locked. */
  update(): Promise<Ran> {
    rmSync(join(this.#folder, 'composer.lock'));
    return this.run('update', '--no-autoloader');
  }

  audit(): Promise<Ran> {
    return this.run('audit', '--locked', '--format=json');
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
    const { status, stdout, stderr } = await new Project(t, server, project, PARTNER_KEY).audit();
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
  const { status, stdout } = await new Project(t, server, [first], 'not-a-key').audit();
  assert.ok(status > 0);
  assert.doesNotMatch(stdout, /"advisories"/);
});

const product = (name: string, id: number): FeedJson => ({ id, type: 'composer', slug: name, name });
const INVENTED: readonly FeedJson[] = [
  feedRecord(1, {
    source_id: 'MAL-2026-7',
    kind: 'malware',
    product: product('evil/two', 2),
    affected: [span('2.0', '2.1', 'exclusive', null)],
  }),
  feedRecord(2, {
    product: product('acme/one', 1),
    affected: [span('1.0', '1.2', 'exclusive', '1.2')],
  }),
];

test('malware stops an install, and a version that is none does not', since(10), async (t) => {
  const server = await startServer(t, { records: INVENTED });
  const install = (version: string): Promise<Ran> =>
    new Project(t, server, [{ name: 'evil/two', version }], PARTNER_KEY).run('install', '--no-autoloader');
  const stopped = await install('2.0.5');
  assert.ok(stopped.status > 0, stopped.stderr);
  assert.match(stopped.stderr, /evil\/two 2\.0\.5 .* flagged as malware/);
  const clean = await install('2.1.0');
  assert.equal(clean.status, 0, clean.stderr);
});

test('an update leaves out versions with advisories', since(9), async (t) => {
  const server = await startServer(t, { records: INVENTED });
  const update = (...versions: readonly string[]): Promise<Ran> => {
    const packages = versions.map((version) => ({ name: 'acme/one', version }));
    return new Project(t, server, packages, PARTNER_KEY).update();
  };
  const blocked = await update('1.1.0');
  assert.ok(blocked.status > 0, blocked.stderr);
  assert.match(blocked.stderr, /acme\/one\[1\.1\.0\] .* affected by security advisories/);
  const other = await update('1.1.0', '1.0.0', '0.9.0');
  assert.equal(other.status, 0, other.stderr);
  assert.match(other.stderr, /Locking acme\/one \(0\.9\.0\)/);
});
