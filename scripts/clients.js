// Builds, then runs the tests with real package managers. Given names (parts of paths), only the files
// that contain one of them. With --install, installs the package managers first; without them the tests are skipped.
// VULNDEX_CLIENT_TREES is the number of projects that each of them audits.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { longTests, runLongTests } from './long-tests.js';

const FOLDER = join('test', 'clients');
const TREES = Number(process.env.VULNDEX_CLIENT_TREES ?? 0);
const LIMIT_MS = 300_000 + TREES * 20_000; // per file; a tree takes all clients about four seconds

const words = process.argv.slice(2);
const wanted = words.filter((word) => word !== '--install');
const files = longTests(FOLDER, '.clients.ts', wanted);
if (words.includes('--install')) run('--prefix', FOLDER, 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
run('run', '--silent', 'build');

await runLongTests(files, LIMIT_MS);

function run(...words) {
  if (spawnSync('npm', words, { stdio: 'inherit' }).status !== 0) process.exit(1);
}
