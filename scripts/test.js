// Runs every test file below test/ with node:test through tsx. Given names (parts of paths), only the files
// that contain one of them. Given a folder, Node 20 runs nothing and exits 0, so the files are
// listed here, and finding none is a failure.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const wanted = process.argv.slice(2);
const files = readdirSync('test', { recursive: true })
  .map((name) => join('test', String(name)))
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(
    `no test file below test/ ${wanted.length > 0 ? `matches ${wanted.join(', ')}` : 'was found'}`,
  );
  process.exit(1);
}
// One file for each core. Node's default leaves a core free, which on two cores doubles the time; no test needs it, because tests
// wait for events.
const concurrency = `--test-concurrency=${availableParallelism()}`;
const words = ['--import', 'tsx', '--test', '--test-reporter=spec', concurrency, ...files];
const run = spawnSync(process.execPath, words, { stdio: 'inherit' });
process.exit(run.status ?? 1);
