// The files in deploy/ that refresh the data on one machine, against the program: their options and
// configurations are accepted, and where they let it write is where it writes. No unit is started.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { EXIT_UNCHANGED } from '../../src/cli/command-error.ts';
import { type RefreshConfig, readRefreshConfig } from '../../src/cli/refresh/refresh-config.ts';
import { addRefreshCommand } from '../../src/cli/refresh.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

function linesOf(file: string): string[] {
  return readFileSync(join(DEPLOY, file), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const unit = linesOf('vulndex-refresh.service');

function settingOf(lines: readonly string[], key: string): string {
  const line = lines.find((candidate) => candidate.startsWith(`${key}=`));
  assert.ok(line !== undefined, `there is no ${key}`);
  return line.slice(key.length + 1);
}

/** Throws for an option that `refresh` does not have. */
function requireOptions(words: readonly string[]): void {
  const program = new Command().exitOverride();
  addRefreshCommand(program, '');
  const [refresh] = program.commands;
  assert.equal(words[0], 'refresh');
  const { unknown, operands } = refresh.parseOptions(words.slice(1));
  assert.deepEqual([...unknown, ...operands], []);
  assert.ok(refresh.opts().config);
}

const writtenBy = ({ snapshots, ids, cache }: RefreshConfig): string[] => [snapshots, dirname(ids), cache];

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

test('the unit calls refresh with options that it has', () => {
  requireOptions(settingOf(unit, 'ExecStart').split(' ').slice(2));
});

test('that nothing is new is no failure', () => {
  assert.equal(settingOf(unit, 'SuccessExitStatus'), String(EXIT_UNCHANGED));
});

test('the example configuration is accepted, and the unit lets it write where it must', () => {
  const config = readRefreshConfig(join(DEPLOY, 'refresh.json'));
  const writable = settingOf(unit, 'ReadWritePaths').split(' ');
  for (const path of writtenBy(config)) assert.ok(isBelow(path, writable), path);
  const server = linesOf('vulndex.service');
  assert.equal(settingOf(server, 'Environment=VULNDEX_SNAPSHOTS'), config.snapshots);
});

test('the unit is hardened as the server is', () => {
  const hardening = (lines: readonly string[]): string[] =>
    lines.filter((line) =>
      /^(Protect|Private|Restrict|SystemCall|NoNew|Capab|Ambient|Remove|Lock)/.test(line),
    );
  // The server lowers the priority of a thread by a call that is not allowed here.
  const expected = hardening(linesOf('vulndex.service')).filter(
    (line) => line !== 'SystemCallFilter=setpriority',
  );
  assert.ok(expected.length > 15);
  assert.deepEqual(hardening(unit), expected);
});

test('systemd finds nothing wrong with the unit and its timer', (t) => {
  const { error, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', 'deploy/vulndex-refresh.service', 'deploy/vulndex-refresh.timer'],
    { encoding: 'utf8', cwd: join(DEPLOY, '..') },
  );
  if (error !== undefined) return t.skip('systemd-analyze is not installed');
  // Missing here: the program's folder and its user, so only complaints about the files themselves count.
  assert.deepEqual(
    stderr
      .split('\n')
      .filter((line) => line.includes('vulndex-refresh') && !line.includes('is not executable')),
    [],
  );
  const timer = linesOf('vulndex-refresh.timer');
  assert.equal(settingOf(timer, 'OnCalendar'), 'hourly');
  assert.equal(settingOf(timer, 'Persistent'), 'true');
});
