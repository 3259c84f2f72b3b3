// Builds, then runs the tests with real package managers one file after another. Given names (parts of paths), only the files
// that contain one of them. With --install, installs the package managers first; without them the tests are skipped.
// VULNDEX_CLIENT_TREES is the number of projects that each of them audits.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { passes } from './own-group.js';

const FOLDER = join('test', 'clients');
const TREES = Number(process.env.VULNDEX_CLIENT_TREES ?? 0);
const LIMIT_MS = 300_000 + TREES * 20_000; // per file; a tree takes all clients about four seconds

const words = process.argv.slice(2);
const wanted = words.filter((word) => word !== '--install');
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.clients.ts'))
  .map((name) => join(FOLDER, name))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no client test below ${FOLDER}/ matches ${wanted.join(', ')}`);
  process.exit(1);
}
if (words.includes('--install')) run('--prefix', FOLDER, 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
run('run', '--silent', 'build');

const failed = [];
for (const file of files) {
  console.log(`\n== ${file}`);
  const startMs = performance.now();
  if (!(await passes(file, LIMIT_MS))) failed.push(file);
  console.log(`== ${file} took ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
}
for (const file of failed) console.error(`FAILED ${file}`);
console.log(`\n${files.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

function run(...words) {
  if (spawnSync('npm', words, { stdio: 'inherit' }).status !== 0) process.exit(1);
}
