// What the console prints for packages that others bring in, pasted into projects: each tool installs it, the
// project runs, the affected copies are gone, and every other copy is as it was.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Commands, commandsFor } from '../../src/console/inventory/commands.ts';
import { answeredRow } from '../../src/console/inventory/findings.ts';
import { planUpdates } from '../../src/console/inventory/updates.ts';
import type { Inventory } from '../../src/inventory/inventory.ts';
import { readInventory } from '../../src/inventory/read-inventory.ts';
import { advisoryOf } from '../support/console/inventory-rows.ts';
import { temporaryFolder } from '../support/folder.ts';
import { CLIENTS, type Client, NODE } from './support/clients.ts';
import type { InventedPackage } from './support/packages.ts';
import { FakeRegistry } from './support/registry.ts';
import { type Run, runClient, writeProject } from './support/runs.ts';
import { whyNoClients } from './support/scene.ts';

interface Sample {
  readonly title: string;
  /** Of the project. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** `name@version`, with the ranges of what it loads. */
  readonly published: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The affected copies with what clears them, which is published after the project was locked. */
  readonly updates: Readonly<Record<string, string>>;
}

const SAMPLES: readonly Sample[] = [
  {
    title: 'an affected copy below a healthy one of another major version',
    dependencies: { 'semver-diff': '2.1.0', 'normalize-package-data': '6.0.0' },
    published: {
      'semver-diff@2.1.0': { semver: '^5.0.3' },
      'normalize-package-data@6.0.0': { semver: '^7.3.5' },
      'semver@5.7.1': {},
      'semver@7.8.6': {},
    },
    updates: { 'semver@5.7.1': '5.7.2' },
  },
  {
    title: 'many copies, in the same major version too',
    dependencies: { build: '1.0.0', request: '2.88.2', express: '4.21.0', minimist: '^1.2.5' },
    published: {
      'build@1.0.0': { '@tool/spawn': '^6.0.0', browserslist: '4.14.2', mkdirp: '0.5.1', preset: '7.0.0' },
      'preset@7.0.0': { browserslist: '>=4.21.0', '@tool/spawn': '^7.0.3' },
      'request@2.88.2': { qs: '~6.5.2' },
      'express@4.21.0': { qs: '6.14.0', mkdirp: '^1.0.0' },
      'mkdirp@0.5.1': { minimist: '0.0.8' },
      'mkdirp@1.0.4': {},
      'minimist@0.0.8': {},
      'minimist@1.2.8': {},
      'qs@6.5.2': {},
      'qs@6.14.0': {},
      'browserslist@4.14.2': {},
      'browserslist@4.24.0': {},
      '@tool/spawn@6.0.5': {},
      '@tool/spawn@7.0.6': {},
    },
    updates: {
      'minimist@0.0.8': '0.2.4',
      'qs@6.5.2': '6.5.3',
      'browserslist@4.14.2': '4.16.5',
      '@tool/spawn@6.0.5': '6.0.6',
    },
  },
];

/** deno applies no override to what is locked, so there are none for it. */
const TOOLS = CLIENTS.filter(({ name }) => name !== 'deno');
const INSTALL: Readonly<Record<string, readonly string[]>> = {
  npm: ['install', '--no-audit', '--no-fund'],
  pnpm: ['install', '--no-frozen-lockfile'],
  yarn: ['install', '--no-immutable'],
  bun: ['install'],
};

test('overrides that the console prints change the affected copies alone', {
  skip: whyNoClients(),
  concurrency: 2,
}, async (t) => {
  const folder = temporaryFolder(t);
  const runs = SAMPLES.flatMap((sample, i) =>
    TOOLS.map((client) =>
      t.test(`${client.name}: ${sample.title}`, async (t) => {
        const published = new Map<string, InventedPackage[]>();
        for (const [key, ranges] of Object.entries(sample.published)) publish(published, key, ranges);
        const registry = await FakeRegistry.start(t, published);
        const project = join(folder, `${client.name}-${i}`);
        const home = join(project, 'home');
        const install = async (words = INSTALL[client.name.replace(/-\d+$/, '')]): Promise<void> => {
          assertDone(await runClient(client, { project, home, words }));
        };
        const manifest = {
          name: 'project',
          version: '1.0.0',
          private: true,
          dependencies: sample.dependencies,
        };
        writeProject(project, {
          'package.json': JSON.stringify(manifest),
          'index.js': Object.keys(sample.dependencies)
            .map((name) => `require(${JSON.stringify(name)});\n`)
            .join(''),
          ...(client.name === 'yarn' ? { 'yarn.lock': '' } : {}),
          ...client.settings({ registry: registry.base, key: 'unused' }),
        });
        await install();
        const before = inventoryOf(client, project);
        assert.deepEqual(keysOf(before), Object.keys(sample.published).sort());
        for (const [key, to] of Object.entries(sample.updates)) {
          publish(published, `${key.slice(0, key.lastIndexOf('@'))}@${to}`, {});
        }
        paste(project, manifest, printed(before, sample));
        // npm 10 leaves what is locked at the top of node_modules, whatever an override says.
        await install(client.name === 'npm-10' ? ['update', '--no-audit', '--no-fund'] : undefined);
        const expected = Object.keys(sample.published).map((key) => {
          const to = sample.updates[key];
          return to === undefined ? key : `${key.slice(0, key.lastIndexOf('@'))}@${to}`;
        });
        assert.deepEqual(keysOf(inventoryOf(client, project)), expected.sort());
        assertDone(await runClient({ program: [NODE] }, { project, home, words: ['index.js'] }));
      }),
    ),
  );
  await Promise.all(runs);
});

/** Adds a package that fails where it finds another major version of a dependency than it was written for. */
function publish(
  published: Map<string, InventedPackage[]>,
  key: string,
  ranges: Readonly<Record<string, string>>,
): void {
  const name = key.slice(0, key.lastIndexOf('@'));
  const version = key.slice(name.length + 1);
  const checks = Object.entries(ranges).map(([needed, range]) => {
    const major = /\d+/.exec(range)?.[0];
    const wrong = JSON.stringify(`${key} needs ${needed}@${major}`);
    return `if (parseInt(require('${needed}/package.json').version) !== ${major}) throw new Error(${wrong});\nrequire('${needed}');\n`;
  });
  const list = published.get(name) ?? [];
  published.set(name, list);
  list.push({ name, version, dependencies: [], ranges, index: checks.join('') });
  list.sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));
}

function inventoryOf({ lockfile }: Client, project: string): Inventory {
  return readInventory(readFileSync(join(project, lockfile), 'utf8'), lockfile);
}

function keysOf({ packages }: Inventory): string[] {
  return packages.map(({ name, version }) => `${name}@${version}`).sort();
}

/** What the page prints once the server has answered. */
function printed({ packages, updater }: Inventory, { updates }: Sample): Commands {
  const rows = packages.map((pack, position) => {
    const to = updates[`${pack.name}@${pack.version}`];
    const vulnerabilities = to === undefined ? [] : [advisoryOf(1, 7)];
    return answeredRow(pack, position, { vulnerabilities, update_to: to ?? null });
  });
  const commands = commandsFor(planUpdates(rows), updater);
  assert.deepEqual([commands.lines, commands.leftOut], [[], []]);
  return commands;
}

function paste(project: string, manifest: object, { overrides }: Commands): void {
  assert.ok(overrides !== undefined);
  const { file, text } = overrides;
  const content =
    file === 'package.json' ? JSON.stringify({ ...manifest, ...JSON.parse(`{${text}}`) }) : `${text}\n`;
  writeFileSync(join(project, file), content);
}

function assertDone({ status, stdout, stderr }: Run): void {
  assert.equal(status, 0, stdout + stderr);
}
