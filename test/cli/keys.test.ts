import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Command } from 'commander';
import { hashKey, readKeysFile } from '../../src/access/keys-file.ts';
import { addDemoCommand } from '../../src/cli/demo.ts';
import { addKeysCommand } from '../../src/cli/keys.ts';
import { addServeCommand } from '../../src/cli/serve.ts';
import { ENDPOINTS } from '../../src/dialects/dialects.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { pluck } from '../support/pluck.ts';

async function run(...args: readonly string[]): Promise<Omit<Ran, 'error'>> {
  const add = (program: Command): void => addKeysCommand(program, ENDPOINTS);
  const { error, ...printed } = await runCommand(add, 'keys', ...args);
  if (error !== undefined) throw error;
  return printed;
}

async function newPath(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'vulndex-cli-keys-'));
  t.after(() => rm(dir, { recursive: true }));
  return join(dir, 'keys.json');
}

function add(path: string, ...more: readonly string[]): ReturnType<typeof run> {
  return run('add', '--keys', path, '--tier', 'standard', '--name', 'me', ...more);
}

test('add makes the file with the shipped tiers and prints the key alone on stdout', async (t) => {
  const path = await newPath(t);
  const { out, err } = await add(path);
  assert.match(out, /^vdx_[A-Za-z0-9_-]{32}\n$/);
  const text = await readFile(path, 'utf8');
  assert.ok(!text.includes(out.trim()) && !err.includes(out.trim()));
  const { tiers, keys } = await readKeysFile(path, ENDPOINTS);
  assert.deepEqual(Object.keys(tiers), ['standard', 'extended', 'partner', 'operator']);
  assert.equal(keys.length, 1);
  assert.equal(keys[0]?.sha256, hashKey(out.trim()));
  assert.match(keys[0]?.id ?? '', /^k_[0-9a-f]{8}$/);
  assert.ok(err.includes(`added key ${keys[0]?.id} (standard) to ${path}; it is not shown again`));
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('add takes a key from a file, prints nothing on stdout, and refuses one that is there or can be guessed', async (t) => {
  const path = await newPath(t);
  const keyFile = join(path, '..', 'licence');
  const key = 'abcdef0123456789abcdef0123456789';
  await writeFile(keyFile, `${key}\nnot the key\n`);
  const { out, err } = await add(path, '--key-file', keyFile);
  assert.equal(out, '');
  assert.ok(!err.includes(key));
  const { keys } = await readKeysFile(path, ENDPOINTS);
  assert.deepEqual(pluck(keys, 'sha256'), [hashKey(key)]);
  const wrong: Record<string, RegExp> = {
    [key]: /--key-file .*licence: this key is in .*keys\.json already/,
    short: /--key-file .*: a key has 20 to 512 characters of ASCII without blanks, got 5/,
    'abcdef0123456789 abcdef0123456789': /ASCII without blanks, got 33/,
    '': /its first line is empty/,
  };
  for (const [text, message] of Object.entries(wrong)) {
    await writeFile(keyFile, text);
    await assert.rejects(add(path, '--key-file', keyFile), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(text === '' || !error.message.includes(text));
      return true;
    });
  }
  await assert.rejects(add(path, '--key-file', join(path, '..', 'nowhere')), /cannot be read \(ENOENT\)/);
  assert.equal((await readKeysFile(path, ENDPOINTS)).keys.length, 1);
});

test('keys added at the same time are all kept, and no lock file remains', async (t) => {
  const path = await newPath(t);
  const ran = await Promise.all(Array.from({ length: 6 }, () => add(path)));
  const hashes = (await readKeysFile(path, ENDPOINTS)).keys.map((key) => key.sha256);
  assert.deepEqual(hashes.sort(), ran.map(({ out }) => hashKey(out.trim())).sort());
  assert.deepEqual(await readdir(join(path, '..')), ['keys.json']);
});

test('add keeps unknown members of the file', async (t) => {
  const path = await newPath(t);
  const mine = {
    note: 'x',
    tiers: { standard: { endpoints: ['all'], rate: null, colour: 'red' } },
    keys: [],
  };
  await writeFile(path, JSON.stringify(mine));
  await add(path, '--expires-at', '2999-01-01T00:00:00Z');
  const { keys, ...rest } = JSON.parse(await readFile(path, 'utf8'));
  assert.deepEqual({ ...rest, keys: [] }, mine);
  assert.equal(keys[0].expires_at, '2999-01-01T00:00:00Z');
});

test('add names the wrong option and the valid values, and writes nothing', async (t) => {
  const path = await newPath(t);
  const base = ['add', '--keys', path];
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['--tier', 'gold', '--name', 'n'],
      /^--tier "gold" is not in the file; use one of standard, extended, partner, operator$/,
    ],
    [['--tier', 'constructor', '--name', 'n'], /^--tier "constructor" is not in the file/],
    [['--tier', 'partner', '--name', ''], /^--name must be a string of 1 to 256/],
    [['--tier', 'partner', '--name', 'n', '--expires-at', 'soon'], /^--expires-at "soon" is not an RFC 3339/],
    [['--tier', 'partner', '--name', 'n', '--expires-at', '2020-01-01T00:00:00Z'], /is not in the future$/],
  ];
  for (const [args, message] of wrong) {
    await assert.rejects(run(...base, ...args), { name: 'UsageError', message });
  }
  assert.deepEqual(await readdir(join(path, '..')), []);
});

test('a bad file is refused by every command and left as it is', async (t) => {
  const path = await newPath(t);
  await writeFile(path, '{"tiers": {}}');
  const refused = { name: 'CommandError', message: `${path}: keys: must be an array of keys` };
  await assert.rejects(add(path), refused);
  await assert.rejects(run('list', '--keys', path), refused);
  await assert.rejects(run('revoke', '--keys', path, 'k_1'), refused);
  assert.equal(await readFile(path, 'utf8'), '{"tiers": {}}');
});

test('a missing file or folder is reported in plain words', async (t) => {
  const path = await newPath(t);
  await assert.rejects(run('list', '--keys', path), {
    name: 'CommandError',
    message: `${path}: does not exist`,
  });
  await assert.rejects(run('revoke', '--keys', path, 'k_1'), {
    name: 'CommandError',
    message: /does not exist/,
  });
  await assert.rejects(add(join(path, '..', 'no', 'keys.json')), {
    name: 'CommandError',
    message: /its folder does not exist$/,
  });
});

test('a lock that another command holds is waited for, and then named', async (t) => {
  const path = await newPath(t);
  await writeFile(`${path}.lock`, `17 ${hostname()}\n`);
  let nowMs = 0;
  t.mock.method(performance, 'now', () => (nowMs += 5000));
  await assert.rejects(add(path), {
    name: 'CommandError',
    message: /keys\.json\.lock is held by process 17 on /,
  });
});

test('list shows the state of every key, as a table and as JSON', async (t) => {
  const path = await newPath(t);
  const key = (id: string, fields: object) => ({
    id,
    name: 'n',
    sha256: hashKey(id),
    tier: 'partner',
    ...fields,
  });
  const keys = [
    key('k_1', { name: 'a longer name' }),
    key('k_2', { expires_at: '2020-01-01T00:00:00Z' }),
    key('k_3', { expires_at: '2020-01-01T00:00:00Z', disabled: true }),
  ];
  await writeFile(path, JSON.stringify({ tiers: { partner: { endpoints: [], rate: null } }, keys }));
  const { out } = await run('list', '--keys', path);
  assert.equal(
    out,
    [
      'ID   NAME           TIER     STATE     EXPIRES',
      'k_1  a longer name  partner  active    never',
      'k_2  n              partner  expired   2020-01-01T00:00:00Z',
      'k_3  n              partner  disabled  2020-01-01T00:00:00Z',
      '',
    ].join('\n'),
  );
  const json = JSON.parse((await run('list', '--keys', path, '--json')).out);
  assert.deepEqual(json[0], {
    id: 'k_1',
    name: 'a longer name',
    tier: 'partner',
    state: 'active',
    expires_at: null,
  });
  assert.deepEqual(pluck(json, 'state'), ['active', 'expired', 'disabled']);
});

test('a file without keys lists as nothing, or as an empty array', async (t) => {
  const path = await newPath(t);
  await writeFile(path, '{"tiers": {}, "keys": []}');
  assert.deepEqual(await run('list', '--keys', path), { out: '', err: `no keys in ${path}\n` });
  assert.equal((await run('list', '--keys', path, '--json')).out, '[]\n');
});

test('revoke disables one key; repeating it changes nothing', async (t) => {
  const path = await newPath(t);
  await add(path);
  await add(path);
  const [first, second] = (await readKeysFile(path, ENDPOINTS)).keys;
  const id = first?.id ?? '';
  assert.match((await run('revoke', '--keys', path, id)).err, /is now disabled/);
  assert.deepEqual((await readKeysFile(path, ENDPOINTS)).keys, [{ ...first, disabled: true }, second]);
  const before = await stat(path);
  assert.match((await run('revoke', '--keys', path, id)).err, /was already disabled/);
  assert.equal((await stat(path)).ino, before.ino);
});

test('revoking an unknown id lists the known ids', async (t) => {
  const path = await newPath(t);
  await add(path);
  const id = (await readKeysFile(path, ENDPOINTS)).keys[0]?.id;
  await assert.rejects(run('revoke', '--keys', path, 'k_0'), {
    name: 'CommandError',
    message: `${path} has no key "k_0"; its keys are ${id} (me)`,
  });
});

test('the file can be set by the environment, and must be set', async (t) => {
  const path = await newPath(t);
  const before = process.env.VULNDEX_KEYS;
  t.after(() => {
    if (before === undefined) delete process.env.VULNDEX_KEYS;
    else process.env.VULNDEX_KEYS = before;
  });
  process.env.VULNDEX_KEYS = path;
  await run('add', '--tier', 'partner', '--name', 'env');
  assert.equal((await readKeysFile(path, ENDPOINTS)).keys[0]?.name, 'env');
  process.env.VULNDEX_KEYS = '';
  await assert.rejects(run('list'), { code: 'commander.invalidArgument' });
  delete process.env.VULNDEX_KEYS;
  await assert.rejects(run('list'), { code: 'commander.missingMandatoryOptionValue' });
});

test('serve and keys share one option and one variable for the keys file', () => {
  const program = new Command();
  addKeysCommand(program, ENDPOINTS);
  addServeCommand(program, async () => {});
  addDemoCommand(
    program,
    async () => {},
    async () => undefined,
  );
  const commands = program.commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands : [command],
  );
  assert.equal(commands.length, 5);
  for (const command of commands) {
    const forKeys = command.options.filter(({ envVar }) => envVar === 'VULNDEX_KEYS');
    assert.deepEqual(
      forKeys.map(({ flags }) => flags),
      ['--keys <file>'],
      command.name(),
    );
  }
});

test('the former name of the option still works', async (t) => {
  const path = await newPath(t);
  await run('add', '--file', path, '--tier', 'partner', '--name', 'old script');
  assert.equal((await readKeysFile(path, ENDPOINTS)).keys[0]?.name, 'old script');
});

test('a keys file is replaced by a rename, so it cannot be standard input', async () => {
  for (const words of [['list'], ['revoke', 'k_1'], ['add', '--tier', 'partner', '--name', 'n']]) {
    await assert.rejects(run(...words, '--keys', '-'), { message: /Name a file; standard input/ });
  }
});
