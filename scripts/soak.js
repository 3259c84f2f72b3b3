// Builds, then runs the soak and fault tests one after another, each in its own process group, which is killed when
// the test ends. Given names (parts of paths), only the files that contain one of them. VULNDEX_SOAK_QUICK=1 makes them short.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { passes } from './own-group.js';

const LIMIT_MS = 300_000; // per file; the longest takes about two and a half minutes

const wanted = process.argv.slice(2);
const files = readdirSync(join('test', 'soak'))
  .filter((name) => name.endsWith('.soak.ts'))
  .map((name) => join('test', 'soak', name))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no soak test below test/soak/ matches ${wanted.join(', ')}`);
  process.exit(1);
}
const build = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);

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
