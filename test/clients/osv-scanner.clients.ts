// osv-scanner with the archives of this server as its local database, over a lockfile of each language with
// real packages in the versions of the real look-ups: each affected package is found with the ids that the
// evaluation of the records gives, and no other package.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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
import { PARTNER_KEY, startServer } from '../support/serving/server.ts';
import { foundProgram, run } from './support/programs.ts';

/** `npm run test:clients -- --install` puts it there. */
const OWN = fileURLToPath(new URL('.go/osv-scanner', import.meta.url));
const OSV_SCANNER = foundProgram(OWN, 'osv-scanner');
const skip = OSV_SCANNER === undefined ? 'osv-scanner is not installed' : realDataOptions.skip;

type Platform = Parameters<typeof readKnownRecords>[0];
type Write = (packages: readonly KnownRecords[]) => string;

interface Language {
  readonly ecosystem: string;
  readonly file: string;
  /** Of the look-ups, those that the file can have: by `name@version`. */
  readonly lookUp: RegExp;
  readonly write: Write;
}

const lines = (packages: readonly KnownRecords[], line: (each: KnownRecords) => string): string =>
  packages.map(line).join('');

const LANGUAGES: Readonly<Partial<Record<Platform, Language>>> = {
  pypi: {
    ecosystem: 'PyPI',
    file: 'requirements.txt',
    lookUp: /@\d[\w.]*$/,
    write: (packages) => lines(packages, ({ name, version }) => `${name}==${version}\n`),
  },
  golang: {
    ecosystem: 'Go',
    file: 'go.mod',
    // The path of a module ends in the major version, from 2 on.
    lookUp: /(?:\/v(\d+)@\1|(?<!\/v\d+)(?<!gopkg\.in\/.*)@[01])\.\d+\.\d+(?:-[\w.-]+)?$/,
    write: (packages) =>
      `module example.com/shop\n\ngo 1.20\n\nrequire (\n${lines(packages, ({ name, version }) => `\t${name} v${version}\n`)})\n`,
  },
  gem: {
    ecosystem: 'RubyGems',
    file: 'Gemfile.lock',
    lookUp: /@\d[\w.]*$/,
    write: (packages) =>
      `GEM\n  remote: https://rubygems.org/\n  specs:\n${lines(packages, ({ name, version }) => `    ${name} (${version})\n`)}\nPLATFORMS\n  ruby\n`,
  },
  cargo: {
    ecosystem: 'crates.io',
    file: 'Cargo.lock',
    lookUp: /@\d+\.\d+\.\d+(?:-[\w.]+)?$/,
    write: (packages) =>
      `version = 3\n${lines(packages, ({ name, version }) => `\n[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n`)}`,
  },
  composer: {
    ecosystem: 'Packagist',
    file: 'composer.lock',
    // The client takes a fourth number, even a 0, for a higher version, where Composer does not.
    lookUp: /@v?\d+(?:\.\d+){0,2}$/,
    write: (packages) =>
      JSON.stringify({
        packages: packages.map(({ name, version }) => ({ name, version })),
        'packages-dev': [],
      }),
  },
};

interface Scan {
  readonly results: readonly {
    readonly packages: readonly {
      readonly package: { readonly name: string };
      readonly vulnerabilities: readonly { readonly id: string; readonly aliases?: readonly string[] }[];
    }[];
  }[];
}

for (const [platform, language] of Object.entries(LANGUAGES)) {
  const { ecosystem, file, lookUp, write } = language;
  test(`osv-scanner finds in ${file} what the records say`, { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const [records, out] = [join(folder, 'records.ndjson'), join(folder, 'records.vdx')];
    writeFileSync(records, readOsvRecords(platform as Platform));
    const ran = await runCommand(addCompileCommand, 'compile', '--osv', records, '--out', out, '--json');
    if (ran.error !== undefined) throw ran.error;
    const server = await startServer(t, { snapshot: out });
    const archive = await fetch(`${server.address}/osv/${ecosystem}/all.zip`, {
      headers: { PSKey: PARTNER_KEY },
    });
    assert.equal(archive.status, 200);
    const database = join(folder, 'osv-scanner', ecosystem);
    mkdirSync(database, { recursive: true });
    writeFileSync(join(database, 'all.zip'), Buffer.from(await archive.arrayBuffer()));

    const byName = new Map<string, KnownRecords>();
    for (const each of readKnownRecords(platform as Platform)) {
      const isUsable = lookUp.test(`${each.name}@${each.version}`);
      if (isUsable && !byName.has(each.name)) byName.set(each.name, each);
    }
    const packages = [...byName.values()];
    writeFileSync(join(folder, file), write(packages));
    const words = ['scan', 'source', '--offline-vulnerabilities', '--no-resolve', '--all-vulns'];
    const { stdout, stderr, status } = await run(
      folder,
      OSV_SCANNER!, // not skipped
      [...words, '--format', 'json', '--lockfile', file],
      { OSV_SCANNER_LOCAL_DB_CACHE_DIRECTORY: folder },
    );
    assert.equal(status, 1, stderr);
    const { results } = JSON.parse(stdout) as Scan;
    const found = new Map(
      results
        .flatMap((result) => result.packages)
        .map(({ package: { name }, vulnerabilities }) => [
          name,
          new Set(vulnerabilities.flatMap(({ id, aliases = [] }) => [id, ...aliases])),
        ]),
    );
    const affected = packages.filter(({ ids }) => ids.length > 0);
    const missing = affected.flatMap(({ name, version, ids }) =>
      ids.filter((id) => !found.get(name)?.has(id)).map((id) => `${name} ${version} lacks ${id}`),
    );
    assert.deepEqual(missing, []);
    assert.deepEqual([...found.keys()].sort(), affected.map(({ name }) => name).sort());
    t.diagnostic(`${affected.length} of ${packages.length} packages affected`);
  });
}
