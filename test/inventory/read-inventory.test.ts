import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_CHARS, readInventory } from '../../src/inventory/read-inventory.ts';
import { packagesOf } from '../support/console/inventory-summary.ts';
import { finishes } from '../support/finishes.ts';
import { volume } from '../support/volume.ts';
import { words } from '../support/words.ts';

/** Of the large file; the full size of a browser's limit is 50. */
const MEGABYTES = Number(process.env.VULNDEX_TEST_LOCKFILE_MB ?? 2);

const PURL = { referenceType: 'purl', referenceLocator: 'pkg:npm/a@1.0.0' };

test('formats are recognised by their content', () => {
  const texts: readonly (readonly [string, string])[] = [
    [
      '{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0"}}}',
      'package-lock.json, version 3',
    ],
    ['{"lockfileVersion":1,"dependencies":{"a":{"version":"1.0.0"}}}', 'package-lock.json, version 1'],
    ['{"name":"x","dependencies":{"a":{"version":"1.0.0"}}}', 'npm ls --json'],
    ['[{"name":"x","path":"/x","dependencies":{"a":{"from":"a","version":"1.0.0"}}}]', 'pnpm ls --json'],
    ["\ufefflockfileVersion: '9.0'\npackages:\n  a@1.0.0: {}\n", 'pnpm-lock.yaml, version 9.0'],
    ['# yarn lockfile v1\n\na@^1:\n  version "1.0.0"\n', 'yarn.lock of yarn 1'],
    ['a@^1:\r\n  version "1.0.0"\r\n', 'yarn.lock of yarn 1'],
    [
      '__metadata:\n  version: 8\n"a@npm:^1":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n',
      'yarn.lock, version 8',
    ],
    [
      '{"lockfileVersion": 1,"configVersion":1,"workspaces":{"": {"name": "x",},},"packages":{"a": ["a@1.0.0", "", {}, "",],},}',
      'bun.lock, version 1',
    ],
    ['{"version":"5","specifiers":{},"npm":{"a@1.0.0":{}}}', 'deno.lock, version 5'],
    ['name,version\na,1.0.0\n', 'wp plugin list, CSV'],
    ['[{"name":"a","version":"1.0.0"}]', 'wp plugin list, JSON'],
    [
      '{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"purl":"pkg:npm/a@1.0.0"}]}',
      'CycloneDX 1.6',
    ],
    [JSON.stringify({ spdxVersion: 'SPDX-2.3', packages: [{ externalRefs: [PURL] }] }), 'SPDX 2.3, JSON'],
    [
      JSON.stringify({ sbom: { spdxVersion: 'SPDX-2.3', packages: [{ externalRefs: [PURL] }] } }),
      'SPDX 2.3, JSON',
    ],
    [
      'SPDXVersion: SPDX-2.3\nPackageName: a\nExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1.0.0\n',
      'SPDX 2.3, tag-value',
    ],
    [
      'spdxVersion: SPDX-2.3\npackages:\n- externalRefs:\n  - referenceType: purl\n    referenceLocator: pkg:npm/a@1.0.0\n',
      'SPDX 2.3, YAML',
    ],
    [
      '{"packages":[{"name":"v/a","version":"1.0.0","notification-url":"https://packagist.org/"}],"content-hash":"0"}',
      'composer.lock',
    ],
    ['{"_meta":{"pipfile-spec":6},"default":{"a":{"version":"==1.0.0"}}}', 'Pipfile.lock'],
    [
      '{"version":2,"dependencies":{"net6.0":{"a":{"type":"Direct","resolved":"1.0.0"}}}}',
      'packages.lock.json, version 2',
    ],
    [
      '[[package]]\nname = "a"\nversion = "1.0.0"\n[metadata]\nlock-version = "2.0"\ncontent-hash = "0"\n',
      'poetry.lock, version 2.0',
    ],
    [
      'version = 1\nrequires-python = ">=3.11"\n\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = { registry = "https://pypi.org/simple" }\n',
      'uv.lock, version 1',
    ],
    [
      '# by cargo\nversion = 3\n\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
      'Cargo.lock, version 3',
    ],
    ['module x\n\ngo 1.20\n\nrequire a v1.0.0\n', 'go.mod'],
    ['a v1.0.0 h1:x=\na v1.0.0/go.mod h1:y=\n', 'go.sum'],
    ['GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0.0)\n', 'Gemfile.lock'],
    [
      '# This is a Gradle generated file for dependency locking.\ng:a:1.0.0=runtimeClasspath\n',
      'gradle.lockfile',
    ],
    ['# pinned\na==1.0.0\n', 'requirements.txt'],
    [
      '<project><artifactId>x</artifactId><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1.0.0</version></dependency></dependencies></project>',
      'pom.xml',
    ],
    [
      '<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.5"><components><component><purl>pkg:npm/a@1.0.0</purl></component></components></bom>',
      'CycloneDX 1.5',
    ],
    [
      '{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":[{"type":"software_Package","software_packageUrl":"pkg:npm/a@1.0.0"}]}',
      'SPDX 3, JSON-LD',
    ],
  ];
  for (const [text, format] of texts) {
    const inventory = readInventory(text);
    assert.equal(inventory.format, format);
    assert.match(packagesOf(inventory).join(), /^(?:\w+ )?(?:v\/|g:)?a@v?1\.0\.0[*?]?$/, format);
  }
});

test('a file name with "theme" makes a list one of themes', () => {
  assert.deepEqual(packagesOf(readInventory('name,version\na,1.0\n', 'themes.csv')), ['theme a@1.0*']);
});

test('formats without a package are recognised too', () => {
  for (const text of [
    '{"lockfileVersion":3,"packages":{}}',
    '{"name":"x","version":"1.0.0"}',
    '# yarn lockfile v1\n',
    "lockfileVersion: '9.0'\n",
    '[]',
  ]) {
    assert.deepEqual(readInventory(text).packages, [], text);
  }
});

test('what is not read is refused with what it looks like and what to do', () => {
  const texts: readonly (readonly [string, RegExp])[] = [
    ['', /There is no text/],
    [' \n\t', /There is no text/],
    ['hello <img src=x onerror=alert(1)>', /not one of the accepted formats; it begins "hello <img/],
    ['{"a": 1,}', /not JSON: unexpected "}" at line 1, column 9/],
    ['{"lockfileVersion": 3, "packages": {', /JSON ends too early, at line 1, column 37/],
    ['{"lockfileVersion": 1, "workspaces": {"": {"name": "x",},},}', /looks like a bun.lock/],
    ['{"lockfileVersion": 1, "workspaces": {"": {"name": "x",', /unexpected end of the stream/],
    [
      '<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.5">',
      /Missing end tag for element bom at line 1/,
    ],
    ['<settings><a/></settings>', /XML, but neither a pom.xml nor CycloneDX; its element is "settings"/],
    ['[project]\nname = "shop"\ndependencies = ["a>=1"]\n', /a project, with ranges/],
    ['[package]\nname = "shop"\n[dependencies]\na = "1"\n', /a project, with ranges/],
    ['[[package]]\nname = "a"\nversion = "1"\n[metadata]\nlock_version = "4.5.0"\n', /TOML, but neither/],
    ['lock-version = "1.0"\n[[packages]]\nname = "a"\n', /TOML, but neither/],
    ['[[package]]\nname = "a\n', /looks like TOML, but is not read: .* at line 2/],
    ['module a\ngo 1.22\nrequire (\n', /go.mod ends too early/],
    ['a.example/b v1.0.0 h1:x=\nexample.com/a v1.0.0/go.mod h1:\n', /looks like a go.sum, but line 2/],
    ['<rdf:RDF xmlns:spdx="http://spdx.org/rdf/terms#">', /SPDX in RDF/],
    ['<!doctype html>', /This is HTML/],
    ['{"name":"x","dependencies":{"a":"^1.0.0"}}', /looks like a package.json: it has ranges/],
    ['{"name":"x","devDependencies":{"a":"^1.0.0"}}', /looks like a package.json/],
    ['{"auditReportVersion":2,"vulnerabilities":{}}', /report of `npm audit`/],
    ['{"version":"2.1.0","runs":[]}', /SARIF/],
    ['{"x":1,"__proto__":2}', /none of the accepted formats; it has the members "x", "__proto__"/],
    ['{}', /it is empty/],
    ['[1]', /JSON array, but neither/],
    ['[[]]', /JSON array, but neither/],
    ['{"lockfileVersion":4,"graph":{}}', /package-lock.json of version 4/],
    ["lockfileVersion: '3.0'\npackages:\n  /a/1.0.0: {}\n", /pnpm-lock.yaml of version 3.0/],
    ['lockfileVersion: [\n', /looks like YAML, but is not read: .* at line 2/],
    ['# yarn lockfile v1\n<<<<<<< HEAD\na@1:\n', /merge conflicts, the first at line 2, column 1/],
    ['{\n<<<<<<< HEAD\n"a":1\n', /merge conflicts/],
  ];
  for (const [text, message] of texts) {
    assert.throws(() => readInventory(text), { name: 'Refusal', message }, text);
  }
  assert.throws(() => readInventory('x'.repeat(MAX_CHARS + 1)), {
    name: 'Refusal',
    message: /has 50.0 MB; at most 50 MB/,
  });
});

test('nesting of 100,000 levels overflows nothing, wherever it is', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const texts = [
    deep,
    `{"@context":${deep}}`,
    `{"lockfileVersion":${deep},"packages":{}}`,
    `{"lockfileVersion":3,"packages":{"node_modules/a":${deep}}}`,
    `{"name":"a","dependencies":{},"problems":${deep}}`,
    `{"bomFormat":"CycloneDX","specVersion":"1.6","components":${deep}}`,
    `{"spdxVersion":"SPDX-2.3","packages":${deep}}`,
    `[{"name":"a","version":${deep}}]`,
    `lockfileVersion: '9.0'\npackages: ${deep}`,
  ];
  for (const text of texts) {
    try {
      readInventory(text);
    } catch (error) {
      assert.equal((error as Error).name, 'Refusal', `${text.slice(0, 60)}: ${error}`);
    }
  }
});

test('no pattern takes forever on long lines', () => {
  const size = 400_000;
  const lines = [
    '@',
    'a@',
    '"',
    '"@',
    'a',
    ' ',
    '\t',
    '+',
    '|',
    '-',
    ':',
    'a: ',
    '{',
    '[a,',
    '#',
    ',',
    "'",
    'https://x.git',
    '/-/',
    'name,version,',
  ];
  const texts = lines.flatMap((piece) => {
    const line = piece.repeat(Math.ceil(size / piece.length));
    return [
      line,
      `# yarn lockfile v1\n${line}:\n  version "1"\n  resolved "${line}"\n`,
      `lockfileVersion: '9.0'\npackages: ${line}`,
      `lockfileVersion: '9.0'\npackages:\n  ${line}: {}\n  a@${line}: {version: 1}\n`,
      `name,version\n${line},1\n`,
      `name|version\n${line}|1\n`,
      `a==1 ${line}\n`,
      `${line}==1\n`,
      `module ${line}\nrequire ${line}\n`,
      `a v1.0.0 h1:${line}\n${line}`,
      `GEM\n  remote: ${line}\n    ${line} (1)\n`,
      `# This is a Gradle generated file\n${line}`,
      `[[package]]\nname = '''${line}'''\nsource = '''${line}'''\n`,
      `<project><artifactId>a</artifactId><!--${line}--></project>`,
      `<${line}`,
      JSON.stringify({
        lockfileVersion: 3,
        packages: { [line]: { resolved: line }, [`node_modules/${line}`]: {} },
      }),
      JSON.stringify({ dependencies: { [line]: { version: line, resolved: line } } }),
      JSON.stringify({ bomFormat: 'CycloneDX', components: [{ purl: `pkg:npm/${line}` }, { purl: line }] }),
    ];
  });
  for (const text of texts) {
    finishes(() => {
      try {
        readInventory(text);
      } catch (error) {
        assert.equal((error as Error).name, 'Refusal', String(error));
      }
    });
  }
});

test('no text and no JSON throws anything but a refusal', () => {
  const seeds = words(`
    lockfileVersion packages dependencies version name components purl pkg:npm/a@1 spdxVersion SPDX-2.3
    bomFormat CycloneDX @graph @context https://spdx.org/rdf/3.0.1 externalRefs relationships importers
    node_modules/a resolution __proto__ constructor sbom path content-hash packages-dev notification-url dist source
    _meta pipfile-spec default type Direct resolved
  `);
  const leaf = fc.oneof(fc.constantFrom(...seeds, 1, 3, 9, null, true), fc.string({ maxLength: 8 }));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree'), { maxLength: 4 }), tie('members')),
    members: fc.dictionary(fc.oneof(fc.constantFrom(...seeds), fc.string({ maxLength: 4 })), tie('tree'), {
      maxKeys: 5,
    }),
  }));
  const lines = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ...[
            'lockfileVersion: 9',
            'packages:',
            '  a@1.0.0:',
            '__metadata:',
            '  version: 8',
            '# yarn lockfile v1',
          ],
          ...[
            'a@^1:',
            '  version "1"',
            'name,version',
            'a==1 \\',
            '-r x',
            'module a',
            'require (',
            'a v1.0.0 h1:x=',
            'GEM',
            '  remote: https://rubygems.org/',
            '    a (1.0)',
            'g:a:1=x',
            '[[package]]',
            'name = "a"',
            'source = { git = "x" }',
            '<project><artifactId>',
            '</artifactId></project>',
            'a,"1',
            'SPDXVersion: SPDX-2.3',
            'PackageName: a',
            '- x',
            '"',
            '|',
          ],
        ),
        fc.string({ maxLength: 12 }),
      ),
      { maxLength: 8 },
    )
    .map((all) => all.join('\n'));
  const text = fc.oneof(
    fc.string(),
    lines,
    tree.map((value) => JSON.stringify(value)),
    // As YAML too: JSON is YAML, behind a member that makes a lockfile of it.
    tree.map((value) => `lockfileVersion: '9.0'\npackages: ${JSON.stringify(value)}\n`),
    tree.map((value) => `__metadata: {version: 8}\nx@npm:1: ${JSON.stringify(value)}\n`),
    tree.map((value) => `spdxVersion: SPDX-2.3\npackages: ${JSON.stringify(value)}\n`),
  );
  fc.assert(
    fc.property(text, (pasted) => {
      try {
        const { packages } = readInventory(pasted);
        for (const { name, version } of packages) assert.ok(name !== '' && version !== '');
      } catch (error) {
        assert.equal((error as Error).name, 'Refusal', String(error));
      }
    }),
    { numRuns: volume(2_000) },
  );
});

/** A lockfile with so many packages. */
function lockfile(count: number): string {
  const packages: Record<string, object> = { '': { name: 'shop', dependencies: { 'pkg-1': '^1.0.0' } } };
  for (let i = 0; i < count; i++) {
    packages[`node_modules/pkg-${i}`] = {
      version: `1.${i % 100}.0`,
      resolved: `https://registry.example/pkg-${i}/-/pkg-${i}-1.${i % 100}.0.tgz`,
      integrity: `sha512-${'x'.repeat(86)}==`,
      engines: { node: '>=18' },
    };
  }
  return JSON.stringify({ name: 'shop', lockfileVersion: 3, packages }, undefined, 2);
}

test('a large lockfile is read whole, in a time that does not grow with the square of its size', (t) => {
  const bytesEach = lockfile(1_001).length - lockfile(1_000).length;
  const count = Math.floor((MEGABYTES * 1024 * 1024) / bytesEach);
  const large = lockfile(count);
  const startMs = performance.now();
  const { packages } = finishes(() => readInventory(large));
  const tookMs = performance.now() - startMs;
  t.diagnostic(`${count} packages, ${(large.length / 1e6).toFixed(1)} MB: ${tookMs.toFixed(0)} ms`);
  assert.equal(packages.length, count);
});

test('a file of two formats is refused', () => {
  const two = { bomFormat: 'CycloneDX', specVersion: '1.5', components: [], spdxVersion: 'SPDX-2.3' };
  assert.throws(() => readInventory(JSON.stringify(two)), /looks like CycloneDX and SPDX 2 at once/);
  const texts = 'GEM\n  remote: https://rubygems.org/\na v1.0.0 h1:x=\n';
  assert.throws(() => readInventory(texts), /looks like go.sum and Gemfile.lock at once/);
});
