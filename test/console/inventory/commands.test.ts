import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandsFor } from '../../../src/console/inventory/commands.ts';
import { planUpdates } from '../../../src/console/inventory/updates.ts';
import { PRODUCT_TYPES } from '../../../src/index/product-type.ts';
import type { Package, Updater } from '../../../src/inventory/inventory.ts';
import { declarationOf, packageOf, rowOf } from '../../support/console/inventory-rows.ts';
import { words } from '../../support/words.ts';

const commands = (updater: Updater, ...wanted: (readonly [Package, string])[]) =>
  commandsFor(planUpdates(wanted.map(([pack, to]) => rowOf(pack, to, 5))), updater);

const inner = { direct: false, declarations: [] };
const unknown = { direct: null, declarations: [] };

test('direct packages are installed in one command of the right tool, aliases under their aliases', () => {
  const wanted = [
    [packageOf('a', '1.0.0'), '1.0.1'],
    [
      packageOf('@scope/b', '1.0.0', { declarations: [declarationOf('@scope/b'), declarationOf('old-b')] }),
      '2.0.0-rc.1+build',
    ],
  ] as const;
  const words = '@scope/b@2.0.0-rc.1+build old-b@npm:@scope/b@2.0.0-rc.1+build a@1.0.1';
  assert.deepEqual(commands('npm', ...wanted).lines, [`npm install ${words}`]);
  assert.deepEqual(commands('pnpm', ...wanted).lines, [`pnpm update ${words}`]);
  assert.deepEqual(commands('yarn', ...wanted).lines, [`yarn up ${words}`]);
  assert.deepEqual(commands('yarn-classic', ...wanted).lines, [`yarn upgrade ${words}`]);
});

test('plugins, themes and WordPress are updated by wp', () => {
  const { lines } = commands(
    'npm',
    [packageOf('akismet', '5.0', { type: 'plugin' }), '5.3.1'],
    [packageOf('astra', '4.0', { type: 'theme' }), '4.1'],
    [packageOf('wordpress', '6.4', { type: 'wordpress' }), '6.4.3'],
  );
  assert.deepEqual(lines, [
    'wp plugin update akismet --version=5.3.1',
    'wp theme update astra --version=4.1',
    'wp core update --version=6.4.3',
  ]);
});

/** Of a package that the inventory has once: its type, name, version, update, updater and command. */
const UPDATES: readonly (readonly [Package['type'], string, string, string, Updater, string])[] = [
  ['composer', 'a/b', '1.0.0', '1.0.1', 'npm', 'composer update --with-all-dependencies a/b:1.0.1'],
  ['pypi', 'django', '3.2', '3.2.25', 'npm', 'pip install django==3.2.25'],
  ['pypi', 'django', '3.2', '3.2.25', 'poetry', 'poetry update django'],
  ['pypi', 'django', '3.2', '4.0rc1', 'uv', 'uv lock --upgrade-package django==4.0rc1'],
  ['golang', 'example.com/A/b/v2', 'v2.0.0', '2.0.1', 'npm', 'go get example.com/A/b/v2@v2.0.1'],
  ['gem', 'rack', '2.0.0', '2.0.1', 'npm', 'bundle update --conservative rack'],
  ['cargo', 'time', '0.2.1', '0.2.23', 'npm', 'cargo update -p time@0.2.1 --precise 0.2.23'],
  ['nuget', 'A.Json', '12.0.1', '13.0.1', 'npm', 'dotnet add package A.Json --version 13.0.1'],
];

test('a package of each type is updated by the tool of its inventory, or the usual one', () => {
  for (const [type, name, version, to, updater, line] of UPDATES) {
    const { lines, overrides, leftOut } = commands(updater, [packageOf(name, version, { type }), to]);
    assert.deepEqual([lines, overrides, leftOut], [[line], undefined, []]);
  }
});

test('packages go into one command where the tool takes several, and its remark is there once', () => {
  const pack = (type: Package['type'], name: string) => packageOf(name, '1.0.0', { type });
  const { lines, remarks } = commands(
    'uv',
    [pack('gem', 'a'), '1.0.1'],
    [pack('gem', 'b'), '1.0.1'],
    [pack('pypi', 'c'), '1.0.1'],
    [pack('pypi', 'd'), '1.0.1'],
    [pack('nuget', 'e'), '1.0.1'],
    [pack('nuget', 'f'), '1.0.1'],
  );
  assert.deepEqual(lines, [
    'bundle update --conservative a b',
    'uv lock --upgrade-package c==1.0.1 --upgrade-package d==1.0.1',
    'dotnet add package e --version 1.0.1',
    'dotnet add package f --version 1.0.1',
  ]);
  assert.equal(remarks.length, 1);
  assert.match(remarks[0], /^Bundler/);
});

test('a crate is updated in each of its versions, unless ^ does not allow it', () => {
  const crate = (version: string) => packageOf('time', version, { type: 'cargo' });
  const within = commands('npm', [crate('0.1.1'), '0.1.9'], [crate('0.2.1'), '0.2.23']);
  assert.deepEqual(within.lines, [
    'cargo update -p time@0.1.1 --precise 0.1.9',
    'cargo update -p time@0.2.1 --precise 0.2.23',
  ]);
  const beyond = commands('npm', [crate('0.1.1'), '0.2.23']);
  assert.deepEqual([beyond.lines, beyond.leftOut], [[], ['Cargo time: update to 0.2.23']]);
});

/** What no command does well: its type, name and update, the updater, and what is listed. */
const BY_HAND: readonly (readonly [Package['type'], string, string, Updater, string])[] = [
  ['maven', 'org.a:b', '1.0.1', 'npm', 'Maven org.a:b: update to 1.0.1'],
  ['pypi', 'django', '3.2.25', 'pipenv', 'PyPI django: update to 3.2.25'],
  ['golang', 'stdlib', '1.22.3', 'npm', 'Go stdlib: update to 1.22.3'],
];

test('what no command does well is left to the person', () => {
  for (const [type, name, to, updater, text] of BY_HAND) {
    const { lines, leftOut } = commands(updater, [packageOf(name, '1.0.0', { type }), to]);
    assert.deepEqual([lines, leftOut], [[], [text]]);
  }
});

test('a command that would change another installed version, too, is not given', () => {
  for (const [type, name] of UPDATES) {
    if (type === 'cargo') continue; // its command names the version
    const pack = (version: string) => packageOf(name, version, { type });
    const two = commands('npm', [pack('1.0.0'), '1.0.1'], [pack('2.0.0'), '2.0.1']);
    assert.deepEqual(two.lines, [], type);
    assert.match(two.leftOut.join(), /: update to v?1\.0\.1 or v?2\.0\.1$/);
    const plan = planUpdates([rowOf(pack('1.0.0'), '1.0.1', 5), rowOf(pack('2.0.0'), null)]);
    assert.deepEqual(commandsFor(plan, 'npm').lines, [], type);
  }
});

test('packages that others bring in become overrides of their versions, in the form of each tool', () => {
  const wanted = [
    [packageOf('a', '1.0.0', { ...inner, ranges: ['npm:^1.0.0', 'npm:1'] }), '1.0.1'],
    [packageOf('b', '1.0.0', unknown), '1.0.1'],
    [packageOf('b', '1.0.5', unknown), '1.0.1'],
    [packageOf('d', '1.0.0'), '2.0.0'],
    [packageOf('d', '1.5.0', inner), '2.0.0'],
  ] as const;
  const byVersion = { 'a@1.0.0': '1.0.1', 'b@1.0.0': '1.0.1', 'b@1.0.5': '1.0.1', 'd@1.5.0': '2.0.0' };
  for (const updater of ['npm', 'bun'] as const) {
    const { overrides } = commands(updater, ...wanted);
    assert.equal(overrides?.file, 'package.json');
    assert.deepEqual(JSON.parse(`{${overrides.text}}`), { overrides: byVersion });
  }
  const pnpm = commands('pnpm', ...wanted).overrides;
  assert.equal(pnpm?.file, 'pnpm-workspace.yaml');
  assert.match(pnpm.text, /^overrides:\n {2}"a@1.0.0": "1.0.1"\n/);
  const yarn = commands('yarn', ...wanted).overrides;
  assert.deepEqual(JSON.parse(`{${yarn?.text}}`), {
    resolutions: { 'a@npm:^1.0.0': '1.0.1', 'a@npm:1': '1.0.1' },
  });
  const classic = commands('yarn-classic', ...wanted).overrides;
  assert.deepEqual(JSON.parse(`{${classic?.text}}`), { resolutions: { a: '1.0.1', b: '1.0.1' } });
});

test('what no override of a tool can name is left to the person', () => {
  const inTwo = [
    [packageOf('a', '1.0.0', inner), '1.0.1'],
    [packageOf('a', '2.0.0', inner), '2.0.1'],
  ] as const;
  const two = commands('yarn-classic', ...inTwo);
  assert.equal(two.overrides, undefined);
  assert.deepEqual(two.leftOut, [
    'a: it is installed in several versions; update the packages that bring it in',
  ]);
  for (const range of ['*', 'npm:real@^1.0.0', 'patch:a@npm%3A^1.0.0#~/a.patch']) {
    const odd = commands('yarn', [
      packageOf('a', '1.0.0', { ...inner, ranges: ['npm:^1.0.0', range] }),
      '1.0.1',
    ]);
    assert.equal(odd.overrides, undefined);
    assert.deepEqual(odd.leftOut, ['a: no override can name it; update the packages that bring it in']);
  }
  const locked = commands('deno', ...inTwo);
  assert.equal(locked.overrides, undefined);
  assert.deepEqual(locked.leftOut, [
    'a: no override changes what deno.lock has; update the packages that bring it in',
  ]);
});

/** Of an inner copy that has to go, beside one that is not affected. */
const beside = (updater: Updater, affected: string, healthy: string, ...ranges: string[]) =>
  commandsFor(
    planUpdates([
      rowOf(packageOf('semver', affected, { ...inner, ranges: [`npm:^${affected}`] }), '5.7.2', 5),
      rowOf(packageOf('semver', healthy, { ...inner, ranges }), null),
    ]),
    updater,
  );

test('an override leaves a copy that is not affected alone', () => {
  for (const updater of ['npm', 'pnpm', 'bun'] as const) {
    assert.match(
      beside(updater, '5.7.1', '7.8.6', '^7.3.5').overrides?.text ?? '',
      /"semver@5.7.1": "5.7.2"/,
    );
  }
  assert.match(beside('yarn', '5.7.1', '7.8.6').overrides?.text ?? '', /"semver@npm:\^5.7.1": "5.7.2"/);
  assert.equal(beside('yarn-classic', '5.7.1', '7.8.6').overrides, undefined);
});

test('there is no override where a range of such a copy takes the affected version too', () => {
  for (const range of ['*', '>=5', '^5 || ^7', 'latest', '5 - 7']) {
    const { overrides, leftOut } = beside('npm', '5.7.1', '7.8.6', '^7.0.0', range);
    assert.equal(overrides, undefined, range);
    assert.deepEqual(leftOut, [
      'semver: an override of 5.7.1 would also change 7.8.6; update the packages that bring it in',
    ]);
  }
});

test('a package is updated in the workspace that declares it', () => {
  const inWorkspaces = [
    [
      packageOf('a', '1.0.0', { declarations: [declarationOf('a'), declarationOf('a', 'apps/web')] }),
      '1.0.1',
    ],
    [packageOf('a', '2.0.0', { declarations: [declarationOf('a', 'apps/shop')] }), '2.0.1'],
    [packageOf('b', '1.0.0', { declarations: [declarationOf('b', 'apps/web')] }), '1.0.1'],
  ] as const;
  assert.deepEqual(commands('npm', ...inWorkspaces).lines, [
    'npm install a@1.0.1',
    'npm install -w apps/web a@1.0.1 b@1.0.1',
    'npm install -w apps/shop a@2.0.1',
  ]);
  assert.deepEqual(commands('bun', ...inWorkspaces).lines, [
    'bun add a@1.0.1',
    'bun add --cwd apps/web a@1.0.1 b@1.0.1',
    'bun add --cwd apps/shop a@2.0.1',
  ]);
});

test('a command that would change all workspaces is not given where they declare several versions', () => {
  for (const updater of ['yarn', 'deno'] as const) {
    const several = commandsFor(
      planUpdates([rowOf(packageOf('a', '1.0.0'), '1.0.1', 5), rowOf(packageOf('a', '2.0.0'), null)]),
      updater,
    );
    assert.deepEqual(several.lines, []);
    assert.deepEqual(several.leftOut, [
      'a: it is declared in several versions; update each where it is declared',
    ]);
  }
});

test('a package that a linked folder declares is left to the person, with the folder', () => {
  const { lines, leftOut } = commands('npm', [
    packageOf('a', '1.0.0', { declarations: [declarationOf('a', '../kit', true)] }),
    '1.0.1',
  ]);
  assert.deepEqual(lines, []);
  assert.deepEqual(leftOut, ['a: it is declared in ../kit, a linked folder; update it to 1.0.1 there']);
});

test('many packages become several lines', () => {
  const wanted = Array.from(
    { length: 400 },
    (_, i) => [packageOf(`package-number-${i}`, '1.0.0'), '1.0.1'] as const,
  );
  const { lines } = commands('npm', ...wanted);
  assert.ok(lines.length > 3);
  assert.ok(lines.every((line) => line.startsWith('npm install ') && line.length <= 2_100));
});

test('names and versions that a shell or a tool could take for more are refused', () => {
  const bad = [
    'a;id',
    'a b',
    '$(id)',
    '`id`',
    ...words(`
      a'b a"b a&b a|b -g --force ~x ../a a/b @a/../b a\u202eb <img> !a a*
    `),
    '',
  ];
  for (const name of bad) {
    const wanted = PRODUCT_TYPES.map((type) => [packageOf(name, '1.0.0', { type }), '2.0.0'] as const);
    // Go takes a path, and Composer and Maven a pair.
    const { lines, overrides, leftOut } = commands('npm', ...wanted.filter(() => name !== 'a/b'));
    assert.deepEqual([lines, overrides], [[], undefined], name);
    assert.equal(leftOut.length, name === 'a/b' ? 0 : PRODUCT_TYPES.length);
  }
  for (const type of ['npm', 'plugin'] as const)
    assert.deepEqual(commands('npm', [packageOf('a/b', '1.0.0', { type }), '2.0.0']).lines, []);
  for (const type of PRODUCT_TYPES) {
    for (const to of ['1.0;id', '$(id)', '1 2', '-1', ''])
      assert.deepEqual(commands('npm', [packageOf('a', '1.0.0', { type }), to]).lines, [], to);
  }
  const alias = commands('npm', [
    packageOf('a', '1.0.0', { declarations: [declarationOf('$(id)')] }),
    '2.0.0',
  ]);
  assert.deepEqual([alias.lines, alias.leftOut.length], [[], 1]);
  const proto = commands('npm', [packageOf('__proto__', '1.0.0', inner), '2.0.0']);
  assert.match(proto.overrides?.text ?? '', /"__proto__@1.0.0": "2.0.0"/);
});

test('a shell sees in every command the words that are written', () => {
  const text = fc.string({ maxLength: 12 });
  const packs = fc.sample(fc.record({ name: text, version: text, to: text, alias: text }), {
    numRuns: 500,
    seed: 7,
  });
  const plain = [...'aB1._-@/+~= '];
  const close = fc.sample(
    fc.array(fc.constantFrom(...plain), { minLength: 1, maxLength: 6 }).map((chars) => chars.join('')),
    { numRuns: 500, seed: 8 },
  );
  const typeAt = (i: number) => PRODUCT_TYPES[i % PRODUCT_TYPES.length];
  const wanted = [
    ...packs.map(
      ({ name, version, to, alias }, i) =>
        [packageOf(name, version, { type: typeAt(i), declarations: [declarationOf(alias)] }), to] as const,
    ),
    ...close.map((name, i) => [packageOf(name, `${i}`, { type: typeAt(i) }), '1.0.0'] as const),
  ];
  const { lines } = commands('npm', ...wanted);
  assert.ok(lines.length > 10);
  const script = lines.map((line) => `printf '%s\\n' ${line}`).join('\n');
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8', cwd: '/' });
  assert.equal(stderr, '');
  assert.deepEqual(
    stdout.trimEnd().split('\n'),
    lines.flatMap((line) => line.split(' ')),
  );
});
