import assert from 'node:assert/strict';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import {
  emptyKeysFile,
  findKeysFile,
  hashKey,
  keyState,
  makeKey,
  parseKeysFile,
  readKeysFile,
  writeKeysFile,
} from '../../src/access/keys-file.ts';
import { KeysFileError } from '../../src/access/read-keys.ts';
import { ENDPOINTS } from '../../src/dialects/dialects.ts';

const HASH = hashKey('one');

type Json = Record<string, unknown>;

function keyJson(fields: Json = {}): Json {
  return { id: 'k_1', name: 'one', sha256: HASH, tier: 'standard', ...fields };
}

const fileText = (fields: Json = {}): string => JSON.stringify({ ...emptyKeysFile(ENDPOINTS), ...fields });

const tierText = (tier: unknown): string => fileText({ tiers: { t: tier } });

const rateText = (rate: unknown): string => tierText({ endpoints: [], rate });

function problemsOf(text: string): readonly string[] {
  try {
    parseKeysFile(text, 'keys.json', ENDPOINTS);
  } catch (error) {
    assert.ok(error instanceof KeysFileError);
    assert.equal(error.file, 'keys.json');
    return error.problems;
  }
  return [];
}

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'vulndex-keys-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

test('a good file is read whole, and its hashes come out in lower case', () => {
  const key = keyJson({
    sha256: HASH.toUpperCase(),
    expires_at: '2027-01-01T00:00:00+02:00',
    disabled: true,
  });
  const file = parseKeysFile(`\uFEFF${fileText({ keys: [key] })}`, 'keys.json', ENDPOINTS);
  assert.deepEqual(file.tiers, emptyKeysFile(ENDPOINTS).tiers);
  assert.deepEqual(file.keys, [{ ...key, sha256: HASH }]);
});

test('unknown fields are ignored and kept', () => {
  const file = parseKeysFile(
    fileText({ keys: [keyJson({ owner: 'ops' })], note: 'mine' }),
    'keys.json',
    ENDPOINTS,
  );
  assert.deepEqual(JSON.parse(JSON.stringify(file)), {
    ...emptyKeysFile(ENDPOINTS),
    keys: [keyJson({ owner: 'ops' })],
    note: 'mine',
  });
});

test('the message names the file, the place and what is expected', () => {
  const keys = [keyJson(), keyJson({ id: 'k_2', sha256: hashKey('two'), tier: 'gold' })];
  assert.throws(() => parseKeysFile(fileText({ keys }), 'keys.json', ENDPOINTS), {
    name: 'KeysFileError',
    message:
      'keys.json: keys[1].tier: "gold" is not one of the file\'s tiers standard, extended, partner, operator',
  });
});

const BAD: readonly (readonly [title: string, text: string, problem: RegExp])[] = [
  ['no JSON', '{"tiers": {', /^is not JSON: /],
  ['an empty file', '', /^is not JSON: /],
  ['an array', '[]', /^must be an object with "tiers" and "keys"$/],
  ['null', 'null', /^must be an object/],
  ['no tiers', '{"keys": []}', /^tiers: must be an object/],
  ['no keys', '{"tiers": {}}', /^keys: must be an array/],
  [
    'a tier name a header cannot hold',
    fileText({ tiers: { 'a"b': null } }),
    /^tiers: "a\\"b" is not a valid tier name/,
  ],
  ['a tier that is no object', tierText(3), /^tiers\.t: must be an object/],
  [
    'endpoints that are no array',
    tierText({ endpoints: 'all', rate: null }),
    /^tiers\.t\.endpoints: must be/,
  ],
  [
    'an unknown endpoint',
    tierText({ endpoints: ['al'], rate: null }),
    /^tiers\.t\.endpoints\[0\]: "al" is not one of .*batch/,
  ],
  [
    'an endpoint twice',
    tierText({ endpoints: ['all', 'all'], rate: null }),
    /^tiers\.t\.endpoints\[1\]: "all" is listed twice/,
  ],
  ['a forgotten rate', tierText({ endpoints: [] }), /^tiers\.t\.rate: must be .* or null for no limit/],
  ['a limit of 0', rateText({ limit: 0, window_seconds: 1 }), /^tiers\.t\.rate\.limit: .* at least 1, not 0/],
  [
    'a limit that is a text',
    rateText({ limit: '5', window_seconds: 1 }),
    /^tiers\.t\.rate\.limit: .* not "5"/,
  ],
  ['a broken limit', rateText({ limit: 1.5, window_seconds: 1 }), /^tiers\.t\.rate\.limit: .* not 1\.5/],
  [
    'a limit the limiter cannot keep',
    rateText({ limit: 10_001, window_seconds: 1 }),
    /^tiers\.t\.rate\.limit: is more than 10000 per second/,
  ],
  ['no window', rateText({ limit: 1 }), /^tiers\.t\.rate\.window_seconds: .* not absent/],
  [
    'a window of years',
    rateText({ limit: 1, window_seconds: 1e9 }),
    /^tiers\.t\.rate\.window_seconds: .* from 1 to /,
  ],
  [
    'a burst of 0',
    rateText({ limit: 1, window_seconds: 1, burst: 0 }),
    /^tiers\.t\.rate\.burst: .* at least 1/,
  ],
  [
    'a burst above the limit',
    rateText({ limit: 5, window_seconds: 1, burst: 6 }),
    /^tiers\.t\.rate\.burst: 6 is more than the limit 5/,
  ],
  [
    'a batch cost that is none',
    tierText({ endpoints: ['batch'], rate: null, batch_cost: 2 }),
    /^tiers\.t\.batch_cost: must be "request" or "item", not 2/,
  ],
  [
    'a batch cost that no full batch could pay',
    tierText({
      endpoints: ['batch'],
      rate: { limit: 100, window_seconds: 1, burst: 49 },
      batch_cost: 'item',
    }),
    /^tiers\.t\.batch_cost: .* a burst of at least 50$/,
  ],
  ['a key that is no object', fileText({ keys: ['k'] }), /^keys\[0\]: must be an object/],
  [
    'a key without an id',
    fileText({ keys: [keyJson({ id: undefined })] }),
    /^keys\[0\]\.id: must be a string/,
  ],
  [
    'a name that moves the cursor',
    fileText({ keys: [keyJson({ name: '\u001b[2J' })] }),
    /^keys\[0\]\.name: .*control/,
  ],
  [
    'a hash that is too short',
    fileText({ keys: [keyJson({ sha256: 'abc' })] }),
    /^keys\[0\]\.sha256: must be the 64 hex/,
  ],
  [
    'a tier that is a number',
    fileText({ keys: [keyJson({ tier: 1 })] }),
    /^keys\[0\]\.tier: must be the name/,
  ],
  [
    'a tier every object has',
    fileText({ keys: [keyJson({ tier: 'constructor' })] }),
    /^keys\[0\]\.tier: "constructor" is not/,
  ],
  ['a tier where there are none', fileText({ tiers: {}, keys: [keyJson()] }), /tiers: it has none$/],
  [
    'a date without a time',
    fileText({ keys: [keyJson({ expires_at: '2027-01-01' })] }),
    /^keys\[0\]\.expires_at: "2027-01-01" is not an RFC 3339/,
  ],
  [
    'disabled as a text',
    fileText({ keys: [keyJson({ disabled: 'no' })] }),
    /^keys\[0\]\.disabled: must be true or false, not "no"/,
  ],
  [
    'an id twice',
    fileText({ keys: [keyJson(), keyJson({ sha256: hashKey('two') })] }),
    /^keys\[1\]\.id: "k_1" is also the id of keys\[0\]/,
  ],
  [
    'a hash twice, in another case',
    fileText({ keys: [keyJson(), keyJson({ id: 'k_2', sha256: HASH.toUpperCase() })] }),
    /^keys\[1\]\.sha256: is the same as in keys\[0\]/,
  ],
];

for (const [title, text, problem] of BAD) {
  test(`refused with one clear problem: ${title}`, () => {
    const problems = problemsOf(text);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0] ?? '', problem);
  });
}

test('all problems are collected, and a long list is cut only in the message', () => {
  const keys = Array.from({ length: 13 }, (_, i) => keyJson({ id: `k_${i}`, sha256: i }));
  assert.equal(problemsOf(fileText({ keys })).length, 13);
  assert.throws(() => parseKeysFile(fileText({ keys }), 'keys.json', ENDPOINTS), {
    message: /keys\[9\].*; and 3 more$/,
  });
});

test('no message repeats a key pasted in the clear', () => {
  const secret = makeKey();
  for (const text of [
    fileText({ keys: [keyJson({ sha256: secret })] }),
    `{"sha256": "${secret}" x`,
    secret,
  ]) {
    assert.ok(!problemsOf(text).join().includes(secret.slice(4, 12)));
  }
});

test('new keys are safe in a header and a URL, and all different', () => {
  assert.match(makeKey(), /^vdx_[A-Za-z0-9_-]{32}$/);
  assert.notEqual(makeKey(), makeKey());
  assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a key expires at its exact instant, and disabled takes precedence over expired', () => {
  const key = { id: 'k', name: 'k', sha256: HASH, tier: 't', expires_at: '2026-01-01T00:00:00Z' };
  const at = Date.UTC(2026, 0, 1);
  assert.equal(keyState(key, at - 1), 'active');
  assert.equal(keyState(key, at), 'expired');
  assert.equal(keyState({ ...key, disabled: true }, at), 'disabled');
});

test('a missing file is undefined for find and an error for read', async (t) => {
  const path = join(await folder(t), 'keys.json');
  assert.equal(await findKeysFile(path, ENDPOINTS), undefined);
  await assert.rejects(readKeysFile(path, ENDPOINTS), {
    name: 'KeysFileError',
    message: `${path}: does not exist`,
  });
});

test('a folder in place of the file is refused as a folder', async (t) => {
  const path = await folder(t);
  await assert.rejects(readKeysFile(path, ENDPOINTS), {
    message: `${path}: is a folder; the keys must be in a regular file`,
  });
});

test('a written file reads back the same, is private to its owner and leaves no other file behind', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'keys.json');
  await writeKeysFile(path, emptyKeysFile(ENDPOINTS), ENDPOINTS);
  assert.deepEqual(await readKeysFile(path, ENDPOINTS), emptyKeysFile(ENDPOINTS));
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dir), ['keys.json']);
});

test('a rewrite keeps the mode of the file, and a symbolic link stays one', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'keys.json');
  const link = join(dir, 'link.json');
  await writeKeysFile(path, emptyKeysFile(ENDPOINTS), ENDPOINTS);
  await chmod(path, 0o640);
  await symlink(path, link);
  await writeKeysFile(link, { tiers: {}, keys: [] }, ENDPOINTS);
  assert.ok((await lstat(link)).isSymbolicLink());
  assert.equal((await stat(path)).mode & 0o777, 0o640);
  assert.deepEqual(await readKeysFile(path, ENDPOINTS), { tiers: {}, keys: [] });
});

test('a file that the server would refuse is not written', async (t) => {
  const dir = await folder(t);
  const path = join(dir, 'keys.json');
  await writeFile(path, 'old');
  const bad = { tiers: {}, keys: [{ id: '', name: 'n', sha256: HASH, tier: 't' }] };
  await assert.rejects(writeKeysFile(path, bad, ENDPOINTS), { name: 'KeysFileError' });
  assert.equal(await readFile(path, 'utf8'), 'old');
  assert.deepEqual(await readdir(dir), ['keys.json']);
});
