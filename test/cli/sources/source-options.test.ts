import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Command } from 'commander';
import {
  addSourceOptions,
  type SourceOptions,
  type SourceSelection,
} from '../../../src/cli/sources/source-options.ts';
import { nameSources } from '../../../src/cli/sources/sources.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { words } from '../../support/words.ts';

const VARIABLE = 'VULNDEX_MIRROR_KEY';

function select(...words: readonly string[]): SourceSelection {
  const command = new Command().exitOverride().configureOutput({ writeErr() {} });
  const read = addSourceOptions(command);
  let selection: SourceSelection | undefined;
  command.action((options: SourceOptions) => {
    selection = read(options);
  });
  command.parse(words, { from: 'user' });
  return selection ?? assert.fail('the action did not run');
}

function locations(...words: readonly string[]): string[] {
  return select(...words).sources.map(({ kind, location, key = '' }) =>
    `${kind.name} ${location} ${key}`.trimEnd(),
  );
}

test('sources are in the order in which they are given, across options', () => {
  const words = ['--feed', 'a', 'b', '--osv', 'c', '--wordfence', 'd', '--osv', 'e'];
  assert.deepEqual(locations(...words), ['feed a', 'feed b', 'osv c', 'wordfence d', 'osv e']);
});

test('sources are named by their kind, and by a number from the second on', () => {
  assert.deepEqual(
    nameSources(select('--osv', 'a', 'b', '--feed', 'c', '--osv', 'd').sources),
    words('osv osv-2 feed osv-3'),
  );
});

test('sources must be at least one', () => {
  assert.throws(() => select(), { name: 'UsageError', message: /name at least one source/ });
});

test('the limits of a mirror have a default, and come from an option or a variable', (t) => {
  const limitsOf = (...words: readonly string[]) => select('--mirror', 'u', ...words).sources[0].limits;
  assert.deepEqual(limitsOf(), { maxBytes: 2 ** 32, maxMs: 2 * 3_600_000 });
  const own = { maxBytes: 1000, maxMs: 90_000 };
  assert.deepEqual(limitsOf('--mirror-max-bytes', '1000', '--mirror-max-time', '90s'), own);
  t.after(() => {
    delete process.env.VULNDEX_MIRROR_MAX_BYTES;
    delete process.env.VULNDEX_MIRROR_MAX_TIME;
  });
  process.env.VULNDEX_MIRROR_MAX_BYTES = '1000';
  process.env.VULNDEX_MIRROR_MAX_TIME = '90s';
  assert.deepEqual(limitsOf(), own);
  assert.throws(() => limitsOf('--mirror-max-bytes', '0'), { code: 'commander.invalidArgument' });
  assert.throws(() => limitsOf('--mirror-max-time', '90'), { code: 'commander.invalidArgument' });
});

test('the key of a mirror follows its mirror, or stands anywhere with a single one', () => {
  assert.deepEqual(locations('--mirror', 'u', '--key', 'k'), ['mirror u k']);
  assert.deepEqual(locations('--key', 'k', '--osv', 'a', '--mirror', 'u'), ['osv a', 'mirror u k']);
  const two = ['--mirror', 'u', '--key', 'k', '--mirror', 'v', '--key', 'l'];
  assert.deepEqual(locations(...two), ['mirror u k', 'mirror v l']);
  assert.deepEqual(locations('--mirror', 'u', '--mirror', 'v', '--key', 'l'), ['mirror u', 'mirror v l']);
});

test('the key of a mirror is the first line of a file, or for a single mirror the environment variable', (t) => {
  const file = join(temporaryFolder(t), 'key');
  writeFileSync(file, 'secret\r\nrest\n');
  assert.deepEqual(locations('--mirror', 'u', '--key-file', file), ['mirror u secret']);
  withVariable(t, 'from-environment');
  assert.deepEqual(locations('--mirror', 'u'), ['mirror u from-environment']);
  assert.deepEqual(locations('--mirror', 'u', '--key', 'k'), ['mirror u k']);
  assert.deepEqual(locations('--mirror', 'u', 'v'), ['mirror u', 'mirror v']);
  assert.deepEqual(locations('--osv', 'a'), ['osv a']);
});

test('the key of a mirror is refused where it is not clear whose it is, and never shown', (t) => {
  const empty = join(temporaryFolder(t), 'key');
  writeFileSync(empty, '\n');
  const cases: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [['--osv', 'a', '--key', 'SECRET'], /--key: there is no --mirror/],
    [['--key', 'SECRET', '--mirror', 'u', 'v'], /--key: put it after its --mirror/],
    [['--mirror', 'u', '--key', 'SECRET', '--key', 'SECRET'], /--key: u already has a key/],
    [['--mirror', 'u', '--key-file', 'none'], /--key-file none: cannot be read \(ENOENT\)/],
    [['--mirror', 'u', '--key-file', empty], /its first line is empty/],
  ];
  for (const [words, message] of cases) {
    assert.throws(
      () => select(...words),
      (error: Error) => {
        assert.equal(error.name, 'UsageError');
        assert.match(error.message, message);
        assert.ok(!error.message.includes('SECRET'));
        return true;
      },
    );
  }
});

test('the rule for malware reports of withdrawn advisories is part of the preference', () => {
  assert.equal(select('--osv', 'a').preference.malware, 'origins');
  assert.equal(select('--osv', 'a', '--malware-of-withdrawn', 'stays').preference.malware, 'stays');
});

test('a preference names sources of this run', () => {
  const { preference } = select('--osv', 'a', '--feed', 'b', '--prefer', 'feed', 'cvss=osv');
  assert.deepEqual(preference.order, [1, 0]);
  assert.deepEqual(preference.fields.get('cvss'), [0, 1]);
  assert.throws(() => select('--osv', 'a', '--prefer', 'feed'), {
    name: 'UsageError',
    message: /^--prefer feed: "feed" is not a source of this run; they are osv$/,
  });
});

test('a share of rejects is a percentage, with or without decimals', () => {
  assert.doesNotThrow(() => select('--osv', 'a', '--max-reject=0.5'));
  for (const percent of ['-1', '101', '100.5', '1%', '']) {
    assert.throws(
      () => select('--osv', 'a', `--max-reject=${percent}`),
      { message: /from 0 to 100/ },
      percent,
    );
  }
});

function withVariable(t: TestContext, value: string): void {
  const before = process.env[VARIABLE];
  process.env[VARIABLE] = value;
  t.after(() => {
    if (before === undefined) delete process.env[VARIABLE];
    else process.env[VARIABLE] = before;
  });
}

test('the certificates and the folder for answers are for all mirrors, and for mirrors alone', () => {
  const words = ['--mirror', 'u', '--osv', 'a', '--ca', 'ca.pem', '--mirror-cache', 'kept'];
  const connections = select(...words).sources.map(({ kind, caFile, cache }) => [kind.name, caFile, cache]);
  assert.deepEqual(connections, [
    ['mirror', 'ca.pem', 'kept'],
    ['osv', undefined, undefined],
  ]);
  for (const words of [
    ['--ca', 'x'],
    ['--mirror-cache', 'x'],
  ]) {
    assert.throws(() => select('--osv', 'a', ...words), {
      name: 'UsageError',
      message: `${words[0]}: it has no effect without --mirror`,
    });
  }
});
