// One file of each kind that an inventory is read from, over real packages: what `lookup --from` finds is
// what the evaluation of the records says, and no entry is left out without a word. Records of Maven and
// NuGet are not among the real data, so those files have two packages each.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { lookUpAll } from '../../src/cli/lookup/inventory-lookup.ts';
import type { Generation } from '../../src/index/generation.ts';
import type { ProductType } from '../../src/index/product-type.ts';
import { readInventory } from '../../src/inventory/read-inventory.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { runCommand } from '../support/command.ts';
import { feedRecord } from '../support/feeds/advisories.ts';
import {
  REAL_ECOSYSTEMS,
  readKnownRecords,
  readOsvRecords,
  realDataOptions,
} from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { packageUrl } from '../support/package-url.ts';

interface Installed {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
  readonly isAffected: boolean;
}

const folder = temporaryFolder({ after });
let generation: Generation;

/** Facts of two real advisories, whose records are not beside the repository. */
const OTHERS: readonly Installed[] = [
  { type: 'maven', name: 'org.apache.logging.log4j:log4j-core', version: '2.14.1', isAffected: true },
  { type: 'maven', name: 'org.apache.logging.log4j:log4j-api', version: '2.14.1', isAffected: false },
  { type: 'nuget', name: 'Newtonsoft.Json', version: '12.0.1', isAffected: true },
  { type: 'nuget', name: 'Serilog', version: '2.12.0', isAffected: false },
];
const FIXES: Readonly<Record<string, string>> = {
  'org.apache.logging.log4j:log4j-core': '2.15.0',
  'Newtonsoft.Json': '13.0.1',
};

before(async () => {
  if (realDataOptions.skip !== false) return;
  const records = REAL_ECOSYSTEMS.map((type) => {
    const path = join(folder, `${type}.ndjson`);
    writeFileSync(path, readOsvRecords(type));
    return path;
  });
  const feed = join(folder, 'feed.ndjson');
  const lines = OTHERS.map(({ type, name, version, isAffected }, i) => {
    const to_version = isAffected ? FIXES[name] : version;
    const affected = [{ from_version: null, to_version, to_bound: 'exclusive', fixed_in: to_version }];
    return JSON.stringify(
      feedRecord(i + 1, { product: { id: i + 1, type, slug: name, name }, affected } as never),
    );
  });
  writeFileSync(feed, lines.join('\n'));
  const out = join(folder, 'all.vdx');
  const ran = await runCommand(
    addCompileCommand,
    'compile',
    '--osv',
    ...records,
    '--feed',
    feed,
    '--out',
    out,
  );
  if (ran.error !== undefined) throw ran.error;
  ({ generation } = loadSnapshot(out));
});

const MOST = 400;
/** Where the server says more than the evaluation: ecosystems.test.ts. */
const MORE = 'apache-iotdb';
/** Not modules, so that no file of Go requires them. */
const NOT_REQUIRED = ['stdlib', 'toolchain'];

/** Packages with the versions that a file of theirs can have, each name once. */
function installed(type: ProductType): readonly Installed[] {
  const others = OTHERS.filter((each) => each.type === type);
  if (others.length > 0) return others;
  const byName = new Map<string, Installed>();
  for (const { name, version, ids } of readKnownRecords(type)) {
    if (name === MORE || NOT_REQUIRED.includes(name) || !/^[\w.+!~-]+$/.test(version)) continue;
    if (type === 'gem' && version.includes('-')) continue; // what follows is a platform
    const isNew = !byName.has(name) && byName.size < MOST;
    if (isNew) byName.set(name, { type, name, version, isAffected: ids.length > 0 });
  }
  return [...byName.values()];
}

const toml = ({ name, version }: Installed, more = ''): string =>
  `[[package]]\nname = ${JSON.stringify(name)}\nversion = ${JSON.stringify(version)}\n${more}\n`;
const goVersion = (version: string): string => `v${version.replace(/^v/, '')}`;
const coordinate = (name: string): readonly string[] => name.split(':');
const ALL: readonly ProductType[] = [...REAL_ECOSYSTEMS, 'maven', 'nuget'];
const json = (value: object): string => JSON.stringify(value);
const purl = ({ type, name, version }: Installed): string => packageUrl(type, name, version) ?? '';
const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const spdx = (packages: readonly Installed[]): object => ({
  spdxVersion: 'SPDX-2.3',
  packages: packages.map((each) => ({
    name: each.name,
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl(each) },
    ],
  })),
});

interface Kind {
  readonly file: string;
  readonly types: readonly ProductType[];
  readonly write: (packages: readonly Installed[]) => string;
}

const KINDS: readonly Kind[] = [
  {
    file: 'composer.lock',
    types: ['composer'],
    write: (packages) =>
      json({
        'content-hash': '0',
        packages: packages.map(({ name, version }) => ({
          name,
          version,
          'notification-url': 'https://packagist.org/downloads/',
        })),
        'packages-dev': [],
      }),
  },
  {
    file: 'poetry.lock',
    types: ['pypi'],
    write: (packages) =>
      `${packages.map((each) => toml(each)).join('')}[metadata]\nlock-version = "2.1"\ncontent-hash = "0"\n`,
  },
  {
    file: 'uv.lock',
    types: ['pypi'],
    write: (packages) =>
      `version = 1\nrequires-python = ">=3.8"\n\n${packages.map((each) => toml(each, 'source = { registry = "https://pypi.org/simple" }\n')).join('')}`,
  },
  {
    file: 'requirements.txt',
    types: ['pypi'],
    write: (packages) =>
      packages.map(({ name, version }) => `${name}==${version} \\\n    --hash=sha256:0a\n`).join(''),
  },
  {
    file: 'Pipfile.lock',
    types: ['pypi'],
    write: (packages) =>
      json({
        _meta: { 'pipfile-spec': 6, sources: [{ name: 'pypi', url: 'https://pypi.org/simple' }] },
        default: Object.fromEntries(packages.map(({ name, version }) => [name, { version: `==${version}` }])),
      }),
  },
  {
    file: 'go.mod',
    types: ['golang'],
    write: (packages) =>
      `module example.com/shop\n\ngo 1.22\n\nrequire (\n${packages.map(({ name, version }) => `\t${name} ${goVersion(version)}\n`).join('')})\n`,
  },
  {
    file: 'go.sum',
    types: ['golang'],
    write: (packages) =>
      packages.map(({ name, version }) => `${name} ${goVersion(version)} h1:0a=\n`).join(''),
  },
  {
    file: 'Gemfile.lock',
    types: ['gem'],
    write: (packages) =>
      `GEM\n  remote: https://rubygems.org/\n  specs:\n${packages.map(({ name, version }) => `    ${name} (${version})\n`).join('')}\nPLATFORMS\n  ruby\n`,
  },
  {
    file: 'Cargo.lock',
    types: ['cargo'],
    write: (packages) =>
      `version = 4\n\n${packages.map((each) => toml(each, 'source = "registry+https://github.com/rust-lang/crates.io-index"\n')).join('')}`,
  },
  {
    file: 'gradle.lockfile',
    types: ['maven'],
    write: (packages) =>
      `# This is a Gradle generated file for dependency locking.\n${packages.map(({ name, version }) => `${name}:${version}=runtimeClasspath\n`).join('')}empty=\n`,
  },
  {
    file: 'pom.xml',
    types: ['maven'],
    write: (packages) => {
      const dependencies = packages.map(({ name, version }) => {
        const [group, artifact] = coordinate(name);
        return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
      });
      return `<project><artifactId>shop</artifactId><dependencies>${dependencies.join('')}</dependencies></project>`;
    },
  },
  {
    file: 'packages.lock.json',
    types: ['nuget'],
    write: (packages) =>
      json({
        version: 1,
        dependencies: {
          'net6.0': Object.fromEntries(
            packages.map(({ name, version }) => [name, { type: 'Transitive', resolved: version }]),
          ),
        },
      }),
  },
  {
    file: 'bom.json',
    types: ALL,
    write: (packages) =>
      json({
        bomFormat: 'CycloneDX',
        specVersion: '1.6',
        components: packages.map((each) => ({ type: 'library', name: each.name, purl: purl(each) })),
      }),
  },
  {
    file: 'bom.xml',
    types: ALL,
    write: (packages) =>
      `<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components>${packages
        .map((each) => `<component type="library"><name>a</name><purl>${xml(purl(each))}</purl></component>`)
        .join('')}</components></bom>`,
  },
  { file: 'spdx.json', types: ALL, write: (packages) => json(spdx(packages)) },
  {
    file: 'spdx.yaml',
    types: ALL,
    write: (packages) => `spdxVersion: SPDX-2.3\npackages: ${json(Object.values(spdx(packages))[1])}\n`,
  },
  {
    file: 'bom.spdx',
    types: ALL,
    write: (packages) =>
      `SPDXVersion: SPDX-2.3\n${packages.map((each) => `PackageName: a\nExternalRef: PACKAGE-MANAGER purl ${purl(each)}\n`).join('')}`,
  },
];

const nameOf = ({ type, name, version }: Pick<Installed, 'type' | 'name' | 'version'>): string =>
  `${type} ${name} ${version.replace(/^v/, '')}`.toLowerCase(); // as purls of NuGet are

for (const { file, types, write } of KINDS) {
  test(`${file} over real packages finds what the records say`, realDataOptions, (t) => {
    const packages = types.flatMap(installed);
    const inventory = readInventory(write(packages), basename(file));
    const findings = lookUpAll(generation, inventory);
    assert.deepEqual(
      findings.affected.map(({ pack }) => nameOf(pack)).toSorted(),
      packages
        .filter(({ isAffected }) => isAffected)
        .map(nameOf)
        .toSorted(),
    );
    // What cannot be looked up would be named.
    assert.equal(findings.lookedUp, packages.length);
    assert.deepEqual(
      findings.leftOut.filter(({ isOpen }) => isOpen),
      [],
    );
    t.diagnostic(`${inventory.format}: ${findings.affected.length} of ${packages.length} affected`);
    assert.ok(findings.affected.length > 0 && findings.affected.length < packages.length);
  });
}
