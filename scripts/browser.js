// Builds, then runs the tests of the console in a real Chromium. Given names (parts of paths), only the files that contain
// one of them. VULNDEX_CHROMIUM is the browser's program; VULNDEX_SCREENSHOTS the folder for pictures of each view.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { longTests, runLongTests } from './long-tests.js';

const LIMIT_MS = 180_000; // per file; the longest takes about half a minute
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const chromium = process.env.VULNDEX_CHROMIUM || programOnPath();
if (chromium === undefined) {
  console.error(
    `no browser: none of ${NAMES.join(', ')} is on the PATH. Install Chromium (Debian: apt-get install chromium) or set VULNDEX_CHROMIUM to its program.`,
  );
  process.exit(1);
}
if (!isProgram(chromium)) {
  console.error(`no browser: VULNDEX_CHROMIUM is ${chromium}, which is not a program`);
  process.exit(1);
}
const files = longTests(join('test', 'browser'), '.browser.ts', process.argv.slice(2));
if (spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' }).status !== 0) process.exit(1);

const screenshots = resolve(process.env.VULNDEX_SCREENSHOTS || 'screenshots');
mkdirSync(screenshots, { recursive: true });
process.env.VULNDEX_CHROMIUM = chromium;
process.env.VULNDEX_SCREENSHOTS = screenshots;
console.log(`browser: ${chromium}; screenshots in ${screenshots}`);
await runLongTests(files, LIMIT_MS);

function programOnPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
