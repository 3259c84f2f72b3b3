// The options of `serve`: defaults, environment variables, validation. Not what serving does with them.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UsageError } from '../../src/cli/command-error.ts';
import { addServeCommand, type ServeOptions } from '../../src/cli/serve.ts';
import { DEFAULT_MOUNTS } from '../../src/dialects/mounts.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { phrases, words } from '../support/words.ts';

/** Runs `serve` with a stand-in that only records its options. */
async function serve(...words: readonly string[]): Promise<Ran & { readonly options?: ServeOptions }> {
  let options: ServeOptions | undefined;
  const ran = await runCommand(
    (program) =>
      addServeCommand(program, async (given) => {
        options = given;
      }),
    'serve',
    ...words,
  );
  return options === undefined ? ran : { ...ran, options };
}

async function optionsOf(...words: readonly string[]): Promise<ServeOptions> {
  const { options, err, error } = await serve(...words);
  assert.ok(options !== undefined, err || error?.message);
  return options;
}

function setVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value;
    t.after(() => {
      delete process.env[name];
    });
  }
}

test('without options it serves loopback, with workers and transport chosen at start and everything optional off', async () => {
  assert.deepEqual(await optionsOf(), {
    snapshots: 'snapshots',
    host: '127.0.0.1',
    port: 8080,
    latestAnchor: 'clock',
    drainSeconds: 5,
    transport: 'auto',
    opsHost: '127.0.0.1',
    opsPort: 8081,
    maxShrink: 20,
    maxVerdictChange: 100,
    maxSnapshotBytes: 2 ** 31,
    keepGenerations: 1,
    stale: 'serve',
    ready: 'data',
    maxConnections: 20_000,
    maxHeldBytes: 2 ** 30,
    accessLog: 0,
    corsOrigin: [],
    anonymous: [],
    trustedProxies: [],
    console: true,
    sourceInterval: 60,
    sourceKey: [],
    sourcePlainHttp: false,
  });
});

const VARIABLES: Readonly<Record<string, string>> = {
  VULNDEX_SNAPSHOTS: 'data',
  VULNDEX_KEYS: 'keys.json',
  VULNDEX_HOST: '0.0.0.0',
  VULNDEX_PORT: '9000',
  VULNDEX_LATEST_ANCHOR: 'snapshot',
  VULNDEX_DRAIN_SECONDS: '7',
  VULNDEX_MAX_SNAPSHOT_AGE: '2h',
  VULNDEX_STALE: 'unready',
  VULNDEX_READY: 'files',
  VULNDEX_MAX_SNAPSHOT_BYTES: '1000000000',
  VULNDEX_KEEP_GENERATIONS: '3',
  VULNDEX_WORKERS: '3',
  VULNDEX_TRANSPORT: 'node',
  VULNDEX_OPS_HOST: '10.0.0.1',
  VULNDEX_OPS_PORT: '0',
  VULNDEX_MAX_SHRINK: '100',
  VULNDEX_MAX_VERDICT_CHANGE: '5',
  VULNDEX_MAX_CONNECTIONS: '50',
  VULNDEX_MAX_HELD_BYTES: '100000000',
  VULNDEX_ACCESS_LOG: '0.01',
  VULNDEX_CORS_ORIGIN: 'https://a.example, http://localhost:3000',
  VULNDEX_MOUNTS: 'patchstack=/v1,npm-audit',
  VULNDEX_ANONYMOUS: 'npm-audit, patchstack',
  VULNDEX_TRUSTED_PROXIES: '10.0.0.0/8,::1',
  VULNDEX_NPM_UPSTREAM: 'https://registry.example/npm/',
  VULNDEX_PUBLIC_URL: 'https://vulndex.example/security/',
  VULNDEX_CONSOLE: 'false',
  VULNDEX_SOURCE: 's3://bucket/vulndex',
  VULNDEX_SOURCE_INTERVAL: '5',
  VULNDEX_SOURCE_KEY: 'a.pub, b.pub',
  VULNDEX_SOURCE_PLAIN_HTTP: 'true',
  VULNDEX_SOURCE_CA: 'ca.pem',
};

test('every option can be set by an environment variable', async (t) => {
  setVariables(t, VARIABLES);
  assert.deepEqual(await optionsOf(), {
    snapshots: 'data',
    keys: 'keys.json',
    host: '0.0.0.0',
    port: 9000,
    latestAnchor: 'snapshot',
    drainSeconds: 7,
    maxSnapshotAge: 7_200_000,
    stale: 'unready',
    ready: 'files',
    maxSnapshotBytes: 1_000_000_000,
    keepGenerations: 3,
    workers: 3,
    transport: 'node',
    opsHost: '10.0.0.1',
    opsPort: 0,
    maxShrink: 100,
    maxVerdictChange: 5,
    maxConnections: 50,
    maxHeldBytes: 100_000_000,
    accessLog: 0.01,
    corsOrigin: ['https://a.example', 'http://localhost:3000'],
    mounts: ['patchstack=/v1', 'npm-audit'],
    anonymous: ['npm-audit', 'patchstack'],
    trustedProxies: ['10.0.0.0/8', '::1'],
    npmUpstream: 'https://registry.example/npm',
    publicUrl: 'https://vulndex.example/security',
    console: false,
    source: 's3://bucket/vulndex',
    sourceInterval: 5,
    sourceKey: ['a.pub', 'b.pub'],
    sourcePlainHttp: true,
    sourceCa: 'ca.pem',
  });
});

test('an option overrides its variable', async (t) => {
  setVariables(t, { VULNDEX_WORKERS: '3', VULNDEX_CORS_ORIGIN: 'https://a.example' });
  const options = await optionsOf('--workers', '2', '--cors-origin', 'https://b.example');
  assert.equal(options.workers, 2);
  assert.deepEqual(options.corsOrigin, ['https://b.example']);
});

test('help names every option’s variable', async () => {
  const { out } = await serve('--help');
  for (const name of Object.keys(VARIABLES)) assert.ok(out.includes(name), `${name} is not in the help`);
});

test('a bad value is refused with what was given and what is expected', async () => {
  const wholeFrom = (min: number, max: number): RegExp => new RegExp(`a whole number from ${min} to ${max}`);
  for (const [option, value, wanted] of [
    ['--workers', '0', wholeFrom(1, 256)],
    ['--workers', '257', wholeFrom(1, 256)],
    ['--workers', 'all', wholeFrom(1, 256)],
    ['--ops-port', '65536', wholeFrom(0, 65_535)],
    ['--keep-generations', '-1', wholeFrom(0, 16)],
    ['--keep-generations', '17', wholeFrom(0, 16)],
    ['--max-shrink', '101', wholeFrom(0, 100)],
    ['--max-shrink', '20%', wholeFrom(0, 100)],
    ['--max-snapshot-bytes', '2GB', wholeFrom(1, Number.MAX_SAFE_INTEGER)],
    ['--transport', 'http2', /Allowed choices are auto, uws, node/],
    ['--stale', 'refuse', /Allowed choices are serve, unready/],
    ['--max-connections', '0', wholeFrom(1, 1_000_000)],
    ['--max-held-bytes', '1MB', wholeFrom(2 ** 26, Number.MAX_SAFE_INTEGER)],
    ['--access-log', '1.5', /a number from 0 \(none\) to 1 \(all\)/],
    ['--access-log', '-0.1', /a number from 0/],
    ['--access-log', '1e-3', /a number from 0/],
    ['--access-log', '', /a number from 0/],
    ['--cors-origin', 'shop.example', /scheme:\/\/host/],
    ['--latest-anchor', 'now', /Allowed choices are clock, snapshot/],
  ] as const) {
    const { err, options } = await serve(option, value);
    assert.equal(options, undefined, `${option} ${value}`);
    assert.match(err, wanted);
    assert.ok(err.includes(option), err);
    assert.ok(err.includes(value), err);
  }
});

test('an empty variable is refused, as it must not open the process to the network', async (t) => {
  for (const name of ['VULNDEX_HOST', 'VULNDEX_OPS_HOST', 'VULNDEX_SNAPSHOTS', 'VULNDEX_KEYS']) {
    for (const value of ['', ' ']) {
      process.env[name] = value;
      t.after(() => {
        delete process.env[name];
      });
      const { err, options } = await serve();
      delete process.env[name];
      assert.equal(options, undefined, name);
      assert.ok(err.includes(name), err);
      assert.match(err, /Got " ?", expected (an address, such as 127\.0\.0\.1|a folder|a file)/);
    }
  }
});

test('a bad value of a variable is refused with the name of the variable', async (t) => {
  setVariables(t, { VULNDEX_WORKERS: 'many' });
  const { err, options } = await serve();
  assert.equal(options, undefined);
  assert.match(err, /VULNDEX_WORKERS/);
  assert.match(err, /a whole number from 1 to 256/);
});

test('the access log share is a plain decimal number', async () => {
  for (const [text, value] of [
    ['0', 0],
    ['1', 1],
    ['0.5', 0.5],
    ['.25', 0.25],
    ['1.0', 1],
    ['0.001', 0.001],
  ] as const) {
    assert.equal((await optionsOf('--access-log', text)).accessLog, value, text);
  }
});

test('origins can be repeated, listed or comma-separated, and are kept as browsers write them', async () => {
  const options = await optionsOf(
    ...['--cors-origin', 'https://Shop.Example:443', 'http://localhost:3000'],
    ...['--cors-origin', 'https://a.example,https://b.example', '--cors-origin', 'https://[::1]:8443'],
    ...['--cors-origin', 'capacitor://localhost', '--cors-origin', 'http://münchen.example'],
  );
  assert.deepEqual(
    options.corsOrigin,
    words(`
      https://shop.example http://localhost:3000 https://a.example https://b.example https://[::1]:8443
      capacitor://localhost http://xn--mnchen-3ya.example
    `),
  );
});

test('* for every origin must stand alone', async () => {
  assert.deepEqual((await optionsOf('--cors-origin', '*')).corsOrigin, ['*']);
  for (const words of [
    ['*', 'https://a.example'],
    ['https://a.example', '*'],
    ['*', '*'],
  ]) {
    const { err, options } = await serve('--cors-origin', ...words);
    assert.equal(options, undefined);
    assert.match(err, /"\*" already means every origin/);
  }
});

test('anything but an origin is refused', async () => {
  for (const text of [
    ...phrases(`
      https://a.example/ | https://a.example/path | https://a.example?x | https://a.example#x |
      https://user@a.example | https://*.a.example | https:// | https://a.example:port | //a.example | null |
      file:///x | a b://c | https://a.example,
    `),
    '',
  ]) {
    const { err, options } = await serve('--cors-origin', text);
    assert.equal(options, undefined, text);
    assert.match(err, /expected \* or an origin, scheme:\/\/host\[:port\] without a path/);
  }
});

test('without a keys file both listeners are limited to loopback', async () => {
  for (const option of ['--host', '--ops-host']) {
    const { error, options } = await serve(option, '0.0.0.0');
    assert.ok(error instanceof UsageError);
    assert.equal(options, undefined);
    assert.match(error.message, new RegExp(`without a keys file .* ${option} is 0\\.0\\.0\\.0: .*--keys`));
    assert.ok((await serve(option, '0.0.0.0', '--keys', 'keys.json')).options !== undefined);
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) await optionsOf(option, address);
  }
});

test('--stale unready is refused without --max-snapshot-age', async () => {
  const { error } = await serve('--stale', 'unready');
  assert.ok(error instanceof UsageError);
  assert.match(error.message, /--stale unready has no effect without --max-snapshot-age/);
  assert.equal((await optionsOf('--stale', 'unready', '--max-snapshot-age', '2d')).stale, 'unready');
});

test('a file in place of the snapshots folder is refused with the folder that holds it, and a missing folder is not', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'demo.vdx');
  writeFileSync(file, '');
  const { error } = await serve('--snapshots', file);
  assert.ok(error instanceof UsageError);
  assert.equal(
    error.message,
    `--snapshots ${file} is a file, and a folder is expected: give the folder that holds it, --snapshots ${folder}`,
  );
  assert.equal((await optionsOf('--snapshots', folder)).snapshots, folder);
  const missing = join(folder, 'missing');
  assert.equal((await optionsOf('--snapshots', missing)).snapshots, missing);
});

test('the two listeners need different ports, except 0, which picks two free ones', async () => {
  const { error } = await serve('--port', '8081');
  assert.ok(error instanceof UsageError);
  assert.match(error.message, /--port and --ops-port are both 8081/);
  assert.equal((await optionsOf('--port', '0', '--ops-port', '0')).opsPort, 0);
});

test('the help names the default mounts', async () => {
  const { out } = await serve('--help');
  assert.ok(out.replace(/\s+/g, ' ').includes(`(default: ${DEFAULT_MOUNTS.join(' ')})`), out);
});

test('mounts, anonymous mounts and trusted proxies can be repeated, listed or comma-separated', async () => {
  const options = await optionsOf(
    ...['--mounts', 'patchstack', 'npm-audit=/a,npm-audit=/b', '--mounts', 'npm-audit=/c'],
    ...['--anonymous', 'patchstack', '--anonymous', 'npm-audit'],
    ...['--trusted-proxies', '10.0.0.1', 'fd00::/8, ::1'],
  );
  assert.deepEqual(options.mounts, ['patchstack', 'npm-audit=/a', 'npm-audit=/b', 'npm-audit=/c']);
  assert.deepEqual(options.anonymous, ['patchstack', 'npm-audit']);
  assert.deepEqual(options.trustedProxies, ['10.0.0.1', 'fd00::/8', '::1']);
  for (const option of ['--mounts', '--anonymous', '--trusted-proxies']) {
    const { err } = await serve(option, 'patchstack,');
    assert.match(
      err,
      /Got "patchstack,", expected (the name of a mount|an IP address or a CIDR block), such as/,
    );
  }
});

test('the address for clients is an http or https URL with an optional path, and nothing else', async () => {
  for (const [text, kept] of [
    ['https://vulndex.example', 'https://vulndex.example'],
    ['HTTP://Vulndex.Example:8080/a/b//', 'http://vulndex.example:8080/a/b'],
  ]) {
    assert.equal((await optionsOf('--public-url', text)).publicUrl, kept);
  }
  for (const text of [...words('vulndex.example ftp://a.example /x https://'), '', 'https://a.example/?x']) {
    const { err, options } = await serve('--public-url', text);
    assert.equal(options, undefined, text);
    assert.match(err, /expected the http or https URL of this server, such as https:\/\/vulndex\.example/);
  }
  const { err, error, options } = await serve('--public-url', 'https://user:s3cret@a.example/?x');
  assert.equal(options, undefined);
  assert.match(String(error), /--public-url has credentials/);
  assert.ok(!`${error} ${err}`.includes('s3cret'));
});

test('the registry behind npm is an http or https URL, kept without a slash at its end', async () => {
  for (const [text, kept] of [
    ['https://registry.npmjs.org', 'https://registry.npmjs.org'],
    ['https://registry.npmjs.org/', 'https://registry.npmjs.org'],
    ['HTTP://Registry.Example:4873/npm//', 'http://registry.example:4873/npm'],
  ]) {
    assert.equal((await optionsOf('--npm-upstream', text)).npmUpstream, kept);
  }
  for (const text of [
    ...words('registry.npmjs.org ftp://a.example https:// /npm'),
    '',
    'https://a.example/?x',
    'https://a.example#x',
  ]) {
    const { err, options } = await serve('--npm-upstream', text);
    assert.equal(options, undefined, text);
    assert.match(err, /expected the http or https URL of a registry, such as https:\/\/registry\.npmjs\.org/);
  }
  for (const text of ['https://user:s3cret@a.example/', 'https://s3cret@a.example/?x']) {
    const { err, error, options } = await serve('--npm-upstream', text);
    assert.equal(options, undefined);
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /--npm-upstream has credentials/);
    assert.ok(!`${error.message} ${err}`.includes('s3cret'));
  }
});

test('the console is on unless an option or its variable says otherwise, and the option wins', async (t) => {
  assert.equal((await optionsOf('--no-console')).console, false);
  for (const [text, isOn] of [
    ['true', true],
    ['false', false],
  ] as const) {
    setVariables(t, { VULNDEX_CONSOLE: text });
    assert.equal((await optionsOf()).console, isOn);
    assert.equal((await optionsOf('--no-console')).console, false);
  }
  for (const text of ['', '0', 'no', 'FALSE']) {
    setVariables(t, { VULNDEX_CONSOLE: text });
    const { err, options } = await serve();
    assert.equal(options, undefined, text);
    assert.match(err, /VULNDEX_CONSOLE.*Got ".*", expected true or false\./);
  }
});

test('an engine of the quotas is named by its URL, which no refusal repeats', async () => {
  const { limits, limitsPasswordFile } = await optionsOf(
    ...['--keys', 'keys.json', '--limits', 'valkeys://app:hidden@cache.example/2'],
    ...['--limits-password-file', 'secret.txt'],
  );
  assert.deepEqual([limits?.shown, limits?.password], ['valkeys://cache.example:6379/2', 'hidden']);
  assert.equal(limitsPasswordFile, 'secret.txt');
  for (const [words, message] of [
    [
      ['--keys', 'k', '--limits', 'http://:hidden@cache.example'],
      /--limits \(VULNDEX_LIMITS\): .*another scheme/,
    ],
    [['--limits', 'valkey://:hidden@cache.example'], /no effect without --keys/],
    [['--limits-password-file', 'secret.txt'], /no effect without --limits/],
  ] as const) {
    const { error, err } = await serve(...words);
    assert.ok(error instanceof UsageError);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message + err, /hidden/);
  }
});
