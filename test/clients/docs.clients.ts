// docs/clients.md as printed: its feed compiles, its server starts, and each tool prints what the page shows.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FeedJson } from '../support/advisories.ts';
import { CLIENTS, NODE } from '../support/clients/clients.ts';
import type { Packages } from '../support/clients/packages.ts';
import { FakeRegistry } from '../support/clients/registry.ts';
import { runClient, writeProject } from '../support/clients/runs.ts';
import { whyNoClients } from '../support/clients/scene.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compileRecords } from '../support/snapshots.ts';
import { writeAccess } from '../support/soak/access.ts';
import { ServerProcess } from '../support/soak/server-process.ts';

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

function block(section: string, language: string): Block {
  const found = blocks.find((candidate) => candidate.section === section && candidate.language === language);
  return found ?? assert.fail(`docs/clients.md has no ${language} block below "${section}"`);
}

/** The program behind each word of the page: the newest release of it. */
const PROGRAMS = { npm: 'npm-12', pnpm: 'pnpm-12', yarn: 'yarn', bun: 'bun', deno: 'deno' } as const;

test('the commands of docs/clients.md print what the page shows', {
  skip: whyNoClients(),
  concurrency: 2,
}, async (t) => {
  const record = JSON.parse(block('A server to try', 'json').text.split('\n')[0]) as FeedJson;
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  renameSync(await compileRecords(folder, [record]), join(snapshots, 'test.vdx'));
  const registry = await FakeRegistry.start(t, MINIMIST);
  const { file: keys, free: key } = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots,
    keys,
    workers: 1,
    options: { 'npm-upstream': registry.base, anonymous: 'npm-audit' },
  });
  const manifest = blocks.findLast(({ language }) => language === 'json')?.text ?? '';
  const bin = join(folder, 'bin');
  writeShims(bin);
  const runs = Object.keys(PROGRAMS).map((tool) =>
    t.test(tool, async () => {
      const project = join(folder, tool);
      const settings = blocks.find(
        ({ section, language }) => section === tool && ['ini', 'yaml'].includes(language),
      );
      const here = (text: string): string =>
        text.replaceAll(ADDRESS, `127.0.0.1:${server.port}`).replaceAll(KEY, key);
      writeProject(project, {
        'package.json': manifest,
        [tool === 'yarn' ? '.yarnrc.yml' : '.npmrc']: here(settings?.text ?? block(tool, 'ini').text),
      });
      let printed = '';
      let status: unknown;
      for (const words of block(tool, 'sh').text.trim().split('\n')) {
        const run = await runClient(
          { program: ['/bin/sh', '-c'] },
          {
            project,
            home: join(folder, `home-${tool}`),
            words: [here(words)],
            env: { PATH: `${bin}:/usr/bin:/bin` },
          },
        );
        printed = run.stdout + run.stderr;
        status = run.status;
      }
      assert.equal(visible(printed), visible(block(tool, 'text').text));
      assert.equal(status, 1, 'audits that find something end with 1');
    }),
  );
  await Promise.all(runs);
});

/** Without spaces at the ends of lines and blank lines at the ends, which Markdown does not show. */
function visible(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, '').trim();
}

const MINIMIST: Packages = new Map([
  [
    'minimist',
    ['1.2.5', '1.2.6', '1.2.8'].map((version) => ({ name: 'minimist', version, dependencies: [] })),
  ],
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
