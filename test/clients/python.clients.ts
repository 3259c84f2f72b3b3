// pip-audit and uv against the OSV mount, with real packages of PyPI in the versions of the real look-ups:
// each finds the packages that are affected by the evaluation of the records, and no others.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { runCommand } from '../support/command.ts';
import {
  type KnownRecords,
  readKnownRecords,
  readOsvRecords,
  realDataOptions,
} from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { foundProgram, run } from './support/programs.ts';

/** `npm run test:clients -- --install` puts them there. */
const OWN = fileURLToPath(new URL('.venv/bin/', import.meta.url));
const PIP_AUDIT = foundProgram(join(OWN, 'pip-audit'), 'pip-audit');
const UV = foundProgram(join(OWN, 'uv'), 'uv');
const PACKAGES = 300;
/** Where the server says more than the evaluation: test/e2e/ecosystems.test.ts. */
const MORE = 'apache-iotdb';

function whyNot(program: string | undefined, name: string): string | false {
  return program === undefined ? `${name} is not installed` : realDataOptions.skip;
}

interface Scene {
  readonly folder: string;
  readonly packages: readonly KnownRecords[];
  /** The address of the mount, with a key in it. */
  readonly mount: string;
  readonly withWrongKey: string;
}

async function start(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  const records = join(folder, 'pypi.ndjson');
  writeFileSync(records, readOsvRecords('pypi'));
  const out = join(snapshots, 'pypi.vdx');
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', records, '--out', out, '--json');
  if (ran.error !== undefined) throw ran.error;
  const access = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers: 1,
    options: { mounts: ['patchstack', 'osv'] },
  });
  const byName = new Map<string, KnownRecords>();
  for (const each of readKnownRecords('pypi')) {
    const isPlain = /^\d[\w.]*$/.test(each.version) && each.name !== MORE;
    if (isPlain && byName.size < PACKAGES && !byName.has(each.name)) byName.set(each.name, each);
  }
  const addressWith = (key: string): string => `http://ci:${key}@127.0.0.1:${server.port}/osv`;
  const packages = [...byName.values()];
  return { folder, packages, mount: addressWith(access.free), withWrongKey: addressWith('wrong') };
}

/** By name, the ids that a package has at least; none is said of others. */
function assertFound(
  t: TestContext,
  packages: readonly KnownRecords[],
  found: ReadonlyMap<string, Set<string>>,
): void {
  const affected = packages.filter(({ ids }) => ids.length > 0);
  assert.deepEqual([...found.keys()].sort(), affected.map(({ name }) => name).sort());
  for (const { name, ids } of affected) {
    const missing = ids.filter((id) => !found.get(name)?.has(id));
    assert.deepEqual(missing, [], name);
  }
  t.diagnostic(`${affected.length} of ${packages.length} packages affected`);
}

interface PipAudit {
  readonly dependencies: readonly {
    readonly name: string;
    readonly vulns: readonly { readonly id: string; readonly aliases: readonly string[] }[];
  }[];
}

test('pip-audit finds what the records say', { skip: whyNot(PIP_AUDIT, 'pip-audit') }, async (t) => {
  const { folder, packages, mount, withWrongKey } = await start(t);
  writeFileSync(
    join(folder, 'requirements.txt'),
    packages.map(({ name, version }) => `${name}==${version}\n`).join(''),
  );
  const words = (address: string): readonly string[] => [
    ...['--vulnerability-service', 'osv', '--osv-url', `${address}/v1/query`],
    ...['--requirement', 'requirements.txt', '--no-deps', '--disable-pip'],
    ...['--format', 'json', '--progress-spinner', 'off'],
  ];
  const { status, stdout, stderr } = await run(folder, PIP_AUDIT!, words(mount)); // not skipped
  assert.equal(status, 1, stderr);
  const { dependencies } = JSON.parse(stdout) as PipAudit;
  assert.equal(dependencies.length, packages.length);
  const found = new Map(
    dependencies
      .filter(({ vulns }) => vulns.length > 0)
      .map(({ name, vulns }) => [name, new Set(vulns.flatMap(({ id, aliases }) => [id, ...aliases]))]),
  );
  assertFound(t, packages, found);
  const refused = await run(folder, PIP_AUDIT!, words(withWrongKey)); // not skipped
  assert.notEqual(refused.status, 0);
  assert.doesNotMatch(refused.stdout, /"vulns": \[\]/);
});

interface UvAudit {
  readonly vulnerabilities: readonly {
    readonly dependency: { readonly name: string };
    readonly id: string;
    readonly aliases: readonly string[];
  }[];
}

test('uv audit finds what the records say', { skip: whyNot(UV, 'uv') }, async (t) => {
  const { folder, packages, mount, withWrongKey } = await start(t);
  const pins = packages.map(({ name, version }) => JSON.stringify(`${name}==${version}`));
  const project = `name = "shop"\nversion = "0.1.0"\n`;
  writeFileSync(
    join(folder, 'pyproject.toml'),
    `[project]\n${project}requires-python = ">=3.8"\ndependencies = [${pins.join(', ')}]\n`,
  );
  const source = 'source = { registry = "https://pypi.org/simple" }';
  const entries = packages.map(
    ({ name, version }) => `[[package]]\nname = "${name}"\nversion = "${version}"\n${source}\n\n`,
  );
  const needs = packages.map(({ name }) => `    { name = "${name}" },\n`).join('');
  writeFileSync(
    join(folder, 'uv.lock'),
    `version = 1\nrequires-python = ">=3.8"\n\n${entries.join('')}[[package]]\n${project}source = { virtual = "." }\ndependencies = [\n${needs}]\n`,
  );
  // The address has to end in a slash: its last part is replaced otherwise.
  const words = (address: string): readonly string[] => [
    ...['audit', '--frozen', '--preview-features', 'audit-command', '--preview-features', 'json-output'],
    ...['--output-format', 'json', '--service-url', `${address}/`],
  ];
  const { status, stdout, stderr } = await run(folder, UV!, words(mount)); // not skipped
  assert.equal(status, 1, stderr);
  const found = new Map<string, Set<string>>();
  for (const { dependency, id, aliases } of (JSON.parse(stdout) as UvAudit).vulnerabilities) {
    const ids = found.get(dependency.name) ?? new Set();
    for (const each of [id, ...aliases]) ids.add(each);
    found.set(dependency.name, ids);
  }
  assertFound(t, packages, found);
  const refused = await run(folder, UV!, words(withWrongKey)); // not skipped
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /401/);
});
