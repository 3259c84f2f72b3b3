// Builds, then runs the soak and fault tests. Given names (parts of paths), only the files that contain one of them.
// VULNDEX_SOAK_QUICK=1 makes them short.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { longTests, runLongTests } from './long-tests.js';

const LIMIT_MS = 300_000; // per file; the longest takes about two and a half minutes

const files = longTests(join('test', 'soak'), '.soak.ts', process.argv.slice(2));
const build = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(1);
await runLongTests(files, LIMIT_MS);
