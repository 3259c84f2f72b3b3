import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Command } from 'commander';
import { completionPoints } from '../../src/cli/completion/completion-points.ts';
import { completionScript, SHELLS, type Shell } from '../../src/cli/completion/scripts.ts';
import { addCompletionCommand } from '../../src/cli/completion.ts';
import { allCommands } from '../support/all-commands.ts';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runProgram } from '../support/process/program.ts';
import { phrases } from '../support/words.ts';

const folder = temporaryFolder({ after });
const PLACES = completionPoints(allCommands());

function scriptFile(shell: Shell): string {
  const file = join(folder, `completion.${shell}`);
  writeFileSync(file, completionScript(shell, PLACES));
  return file;
}

function installed(shell: Shell): { readonly skip: string | false } {
  const { error } = spawnSync(shell, ['--version']);
  return { skip: error === undefined ? false : `${shell} is not installed` };
}

/** Runs `code` after the script was sourced twice; what it prints, line by line. */
function run(shell: Shell, options: readonly string[], code: string): string[] {
  const source = `source ${scriptFile(shell)}\n`;
  const { stdout, stderr } = spawnSync(shell, [...options, '-c', `${source}${source}${code}`], {
    encoding: 'utf8',
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'], // bash reads its rc file if its input is a socket, as Node's pipes are
  });
  assert.equal(stderr, '');
  return stdout.trimEnd().split('\n');
}

test('bash completes commands, options and their values', installed('bash'), () => {
  const ask = (...words: string[]): string =>
    `COMP_WORDS=(vulndex ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _vulndex; echo "\${COMPREPLY[@]-}"\n`;
  const code = [
    ...[ask('co'), ask('keys', ''), ask('keys', 'add', '--k'), ask('verify', '--')],
    ...[ask('compile', '--malware-of-withdrawn', ''), ask('compile', '--osv', ''), ask('completion', '')],
  ];
  assert.deepEqual(run('bash', ['--norc', '-u'], code.join('')), [
    'compile completion',
    'add list revoke',
    '--keys --key-file',
    '--quiet --json --help',
    'origins stays falls',
    '', // bash then completes file names
    'bash zsh fish',
  ]);
});

test('zsh completes commands, options and their values', installed('zsh'), () => {
  // In point of the functions of its completion system, which need a terminal.
  const stubs = `_describe() { print -r -- \${\${(P)@[-1]}%%:*}; }
compadd() { print -r -- $*; }
_files() { print files; }
ask() { words=(vulndex "$@"); CURRENT=$#words; _vulndex; }
`;
  const code = `${stubs}ask keys ''
ask keys add --
ask compile --malware-of-withdrawn ''
ask compile --osv ''
ask verify ''
ask completion ''
`;
  assert.deepEqual(
    run('zsh', ['-f', '-u'], code),
    phrases(`
      add list revoke | --keys --tier --name --expires-at --key-file --help | -- origins stays falls | files |
      files | bash zsh fish
    `),
  );
});

test('fish completes commands, options and their values', installed('fish'), () => {
  const ask = (line: string): string =>
    `echo (complete -C '${line}' | string replace -r '\\t.*' '' | sort)\n`;
  const code =
    ask('vulndex keys ') + ask('vulndex verify --') + ask('vulndex compile --malware-of-withdrawn ');
  assert.deepEqual(run('fish', ['--no-config'], code), [
    'add list revoke',
    '--help --json --quiet',
    'falls origins stays',
  ]);
});

test('a script has every command and option, and quotes descriptions', () => {
  const program = new Command('x');
  program.command('one').description("it's $(here)").option('--two <file>', '`three`').option('--hidden');
  program.commands[0].options[1].hideHelp();
  const points = completionPoints(program);
  assert.deepEqual(
    points.map(({ words, options }) => [words, options.map(({ name }) => name)]),
    [
      ['', ['--help']],
      ['one', ['--two', '--help']],
    ],
  );
  assert.match(completionScript('zsh', points), /next=\('one:it'\\''s \$\(here\)'\)/);
  assert.match(completionScript('fish', points), /-a one -d 'it'\\''s \$\(here\)'\n/);
  for (const { name } of PLACES.flatMap(({ next, options }) => [...next, ...options]))
    assert.match(name, /^[\w-]+$/); // so that no shell needs quotes for it
});

test('the program prints the script for a shell that it knows', async () => {
  for (const shell of SHELLS) {
    const { out } = await runCommand(addCompletionCommand, 'completion', shell);
    assert.match(out, /completion/);
  }
  const { stdout } = await runProgram(['completion', 'bash']);
  assert.match(stdout.toString(), /'keys add'\).*--tier/);
  assert.match(stdout.toString(), /'refresh'\).*--check-config/);
  const { status, stderr } = await runProgram(['completion', 'tcsh']);
  assert.equal(status, 2);
  assert.match(stderr, /Allowed choices are bash, zsh, fish/);
});
