// Runs the tests of the console in a real Chromium. Given names (parts of paths), only the files that contain
// one of them. VULNDEX_CHROMIUM is the browser's program; VULNDEX_SCREENSHOTS the folder for pictures of each
// view; VULNDEX_BROWSER_LOAD=1 has the server answer a background load meanwhile, of which no request may
// fail.

import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { longTests, runLongTests, skipLongTests } from './long-tests.ts';
import { fail } from './processes.ts';

const LIMIT_MS = 180_000; // for a test; the longest file takes about half a minute
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const files = longTests('browser', process.argv.slice(2));
const chromium = process.env.VULNDEX_CHROMIUM || programOnPath();
if (chromium === undefined)
  skipLongTests(
    files,
    `no browser: none of ${NAMES.join(', ')} is on the PATH. Install Chromium (Debian: apt-get install chromium) or set VULNDEX_CHROMIUM to its program.`,
  );
if (!isProgram(chromium)) fail(`no browser: VULNDEX_CHROMIUM is ${chromium}, which is not a program`);

const screenshots = resolve(process.env.VULNDEX_SCREENSHOTS || 'screenshots');
mkdirSync(screenshots, { recursive: true });
process.env.VULNDEX_CHROMIUM = chromium;
process.env.VULNDEX_SCREENSHOTS = screenshots;
console.log(`browser: ${chromium}; screenshots in ${screenshots}`);
await runLongTests(files, LIMIT_MS);

function programOnPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
