// docs/clients.md as printed: its feed compiles, its server starts, and each tool prints what the page shows.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Command } from 'commander';
import { addServeOptions } from '../../src/cli/serve.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { CLIENTS, NODE } from './support/clients.ts';
import type { Packages } from './support/packages.ts';
import { FakeRegistry } from './support/registry.ts';
import { type Run, runClient, writeProject } from './support/runs.ts';
import { whyNoClients } from './support/scene.ts';

/** The address on the page, and the stand-in for a key. */
const ADDRESS = '127.0.0.1:8080';
const KEY = 'KEY';

interface Block {
  /** The heading above it. */
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

const blocks = readBlocks(readFileSync('docs/clients.md', 'utf8'));

function readBlocks(page: string): Block[] {
  return page.split(/^## /m).flatMap((part) =>
    [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
      section: part.slice(0, part.indexOf('\n')),
      language,
      text,
    })),
  );
}

function blocksOf(section: string, language: string): Block[] {
  return blocks.filter((candidate) => candidate.section === section && candidate.language === language);
}

function block(section: string, language: string): Block {
  const [found] = blocksOf(section, language);
  return found ?? assert.fail(`docs/clients.md has no ${language} block below "${section}"`);
}

/** The program behind each word of the page: the newest release of it. */
const PROGRAMS = { npm: 'npm-12', pnpm: 'pnpm-12', yarn: 'yarn', bun: 'bun', deno: 'deno' } as const;

test('the commands of docs/clients.md print what the page shows', {
  skip: whyNoClients(),
  concurrency: 2,
}, async (t) => {
  const folder = temporaryFolder(t);
  const [compile, serve] = block('A server to try', 'sh').text.trim().split('\n');
  writeFileSync(join(folder, 'feed.ndjson'), block('A server to try', 'json').text);
  const made = await inShell(compile.replace('dist/cli.js', resolve('dist/cli.js')), folder);
  assert.equal(made.status, 0, made.stdout + made.stderr);
  const options = addServeOptions(new Command()).parse(serve.split(' ').slice(3), { from: 'user' }).opts();
  assert.deepEqual(options.anonymous, ['npm-audit']);
  assert.equal(options.npmUpstream, 'https://registry.npmjs.org');
  const registry = await FakeRegistry.start(t, MINIMIST);
  const { file: keys, free: key } = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots: join(folder, options.snapshots),
    keys,
    workers: 1,
    options: { 'npm-upstream': registry.base, anonymous: 'npm-audit' },
  });
  const manifest = blocksOf('A server to try', 'json').at(-1)?.text ?? '';
  const bin = join(folder, 'bin');
  writeShims(bin);
  const here = (text: string): string =>
    text.replaceAll(ADDRESS, `127.0.0.1:${server.port}`).replaceAll(KEY, key);
  const runs = Object.keys(PROGRAMS).map((tool) =>
    t.test(tool, async () => {
      const project = join(folder, tool);
      writeProject(project, {
        'package.json': manifest,
        ...(tool === 'yarn'
          ? { '.yarnrc.yml': `${here(block('yarn', 'yaml').text)}npmRegistryServer: "${registry.base}"\n` }
          : { '.npmrc': here(block('npm', 'ini').text) }),
      });
      // The registry that yarn has without being told is the fake one. Tarballs of npm's own registry are
      // asked for here without being told.
      const env = { PATH: `${bin}:/usr/bin:/bin`, npm_config_replace_registry_host: 'always' };
      for (const [number, { text }] of blocksOf(tool, 'sh').entries()) {
        if (number > 0) rmSync(join(project, '.npmrc')); // the page says so
        const lines = text.trim().split('\n');
        for (const [at, line] of lines.entries()) {
          const home = join(folder, `home-${tool}`);
          const { status, stdout, stderr } = await runClient(SHELL, {
            project,
            home,
            words: [here(line)],
            env,
          });
          const isAudit = at === lines.length - 1;
          assert.equal(status, isAudit ? 1 : 0, `${line}\n${stdout}${stderr}`);
          if (isAudit) assert.equal(visible(stdout + stderr), visible(block(tool, 'text').text), line);
        }
      }
    }),
  );
  await Promise.all(runs);
});

const SHELL = { program: ['/bin/sh', '-c'] };

function inShell(line: string, folder: string): Promise<Run> {
  return runClient(SHELL, { project: folder, home: join(folder, 'home'), words: [line] });
}

/** Without spaces at the ends of lines and blank lines at the ends, which Markdown does not show. */
const visible = (text: string): string => text.replaceAll(/[ \t]+$/gm, '').trim();

/** As published: npm names the affected ones by their neighbours. */
const VERSIONS =
  '0.0.0 0.0.1 0.0.2 0.0.3 0.0.4 0.0.5 0.0.6 0.0.7 0.0.8 0.0.9 0.0.10 0.1.0 0.2.0 0.2.1 0.2.2 0.2.3 0.2.4 1.0.0 1.1.0 1.1.1 1.1.2 1.1.3 1.2.0 1.2.1 1.2.2 1.2.3 1.2.4 1.2.5 1.2.6 1.2.7 1.2.8';

const MINIMIST: Packages = new Map([
  ['minimist', VERSIONS.split(' ').map((version) => ({ name: 'minimist', version, dependencies: [] }))],
]);

/** Makes the names on the page run the installed releases. */
function writeShims(folder: string): void {
  mkdirSync(folder);
  for (const [word, name] of Object.entries(PROGRAMS)) {
    const program = CLIENTS.find((client) => client.name === name)?.program ?? [];
    const quoted = program.map((part) => `'${part}'`).join(' ');
    writeFileSync(join(folder, word), `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
  }
  symlinkSync(NODE, join(folder, 'node'));
}
