// The entry point: exit statuses, the form of errors, the version. test/cli/ covers the commands.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from './support/folder.ts';
import { builtProgram } from './support/process/built-program.ts';
import { runProgram } from './support/process/program.ts';
import { words } from './support/words.ts';

/** Wrong command lines, and the messages they get. */
const WRONG_USE: readonly (readonly [words: readonly string[], says: RegExp])[] = [
  [['--nonsense'], /^vulndex: unknown option '--nonsense'\n/],
  [['complie'], /^vulndex: unknown command 'complie'\n\(Did you mean compile\?\)\n/],
  [['compile', '--feed', 'x'], /^vulndex: required option '--out /],
  [['inspect'], /^vulndex: missing required argument 'snapshot'\n/],
  [['serve', '--port', 'many'], /^vulndex: option '--port <port>' argument 'many' is invalid\. Got "many"/],
  [['serve', '--host', '0.0.0.0'], /^vulndex: without a keys file only loopback can be served/],
  [['serve', '--snapshots', 'src', '--mounts', 'bad'], /^vulndex: --mounts: there is no dialect "bad"/],
  [['lookup', 'x.vdx', 'gadget', 'a', '1'], /^vulndex: unknown type "gadget"/],
  [['compile', '--feed', 'src/cli.ts', '--out', 'nowhere'], /^vulndex: --out nowhere: /],
  [['keys', 'list', '--keys', '-'], /^vulndex: .*standard input/],
];

test('a usage error exits with 2 and the same prefix, wherever it is found', async () => {
  const ran = await Promise.all(WRONG_USE.map(([words]) => runProgram(words)));
  ran.forEach(({ status, stdout, stderr }, i) => {
    const [words, says] = WRONG_USE[i];
    assert.match(stderr, says);
    assert.equal(status, 2, words.join(' '));
    assert.equal(stdout.length, 0);
  });
});

test('without a command the program prints its help and exits with 2', async () => {
  const { status, stderr } = await runProgram([]);
  assert.match(stderr, /^Usage: vulndex /);
  assert.equal(status, 2);
});

test('a failure exits with 1 and the same prefix', async (t) => {
  const missing = join(temporaryFolder(t), 'nothing');
  const cases = [
    ['verify', missing],
    ['compile', '--feed', missing, '--out', `${missing}.vdx`],
    ['keys', 'list', '--keys', missing],
    ['serve', '--keys', missing, '--port', '0', '--ops-port', '0'],
  ];
  const ran = await Promise.all(cases.map((words) => runProgram(words)));
  ran.forEach(({ status, stdout, stderr }, i) => {
    assert.match(stderr, /^vulndex: \S+nothing: [^\n]+\n$/);
    assert.equal(status, 1, cases[i].join(' '));
    assert.equal(stdout.length, 0);
  });
});

test('--version prints the version of package.json, --help prints the help; both exit with 0', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [asked, helped] = await Promise.all([runProgram(['--version']), runProgram(['help', 'verify'])]);
  assert.equal(asked.stdout.toString(), `${version}\n`);
  assert.equal(asked.status, 0);
  assert.match(helped.stdout.toString(), /^Usage: vulndex verify /);
  assert.equal(helped.status, 0);
});

test('help ends silently when the reader of its output has gone', async () => {
  const { status, stderr } = await runProgram(['serve', '--help'], {
    started: (child) => child.stdout?.destroy(),
  });
  assert.deepEqual([status, stderr], [1, '']);
});

/** The modules of ours that the program loads, without the files that its build put into one. */
async function modulesFor(
  t: TestContext,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const folder = temporaryFolder(t);
  await runProgram(words, { env: { ...env, NODE_V8_COVERAGE: folder } });
  const dist = pathToFileURL(`${dirname(builtProgram())}/`).href;
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      readonly result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => url);
  });
  return urls.filter((url) => url.startsWith(dist)).map((url) => url.slice(dist.length));
}

// Such a start takes a third longer than that of Node itself. Each module adds about a hundredth.
test('--version and --help load the names of the commands, and no command', async (t) => {
  for (const word of ['--version', '--help']) {
    assert.deepEqual(
      (await modulesFor(t, [word])).toSorted(),
      words(`
        cli.js cli/command-error.js cli/commands.js cli/help.js cli/interruption.js cli/node-release.js
        cli/standard-streams.js main.js
      `),
    );
  }
});

test('a release of Node that is too old is refused before the program is loaded', async (t) => {
  const pretence = join(temporaryFolder(t), 'old-node.cjs');
  writeFileSync(pretence, "Object.defineProperty(process, 'version', { value: 'v18.20.8' });");
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(pretence)}` };
  const { status, stdout, stderr } = await runProgram(['--version'], { env });
  assert.match(stderr, /^vulndex: Node [\d.]+ or newer is needed, and this is Node 18\.20\.8 \([^\n]+\n$/);
  assert.deepEqual([status, stdout.length], [1, 0]);
  assert.deepEqual(await modulesFor(t, ['--version'], env), ['cli.js', 'cli/node-release.js']);
});

test('the help of serve loads no dialect', async (t) => {
  const modules = await modulesFor(t, ['serve', '--help']);
  assert.ok(modules.includes('cli/serve.js'));
  assert.deepEqual(
    modules.filter((module) => /^(?:dialects|http|loader|serve)\//.test(module)),
    [],
  );
});

test('the server and its threads are a file each', () => {
  const dist = dirname(builtProgram());
  const started = ['run', 'keys/keys-thread', 'snapshots/loader-thread', 'snapshots/preparer-thread'];
  for (const name of [...started.map((each) => `serve/${each}`), 'serve/workers/worker-thread']) {
    const text = readFileSync(join(dist, `${name}.js`), 'utf8');
    const beside = text.match(/^(?:import|export) .*?["']\.{1,2}\/.*$/gm);
    assert.equal(beside, null, name);
  }
});
