// Builds the web pages that a server serves: dist/console, the console, and dist/docs, the page of the API.
// Runs after tsc, which leaves src/console alone. With the path of a folder, builds into that instead of
// dist.
//
// Every file but an index.html, licenses.txt and favicon has a hash of its content in its name, so that
// browsers may keep it forever, and lies beside its gzip (.gz) and brotli (.br) forms where they are smaller.
// Fails if the console exceeds its budget.

import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeConsole } from './console/bundle.ts';
import { type CompressedFile, compressFiles } from './console/compress.ts';
import { writeDocs } from './console/docs.ts';

/** Of what a browser loads for the console's first view, compressed by gzip. */
const MAX_FIRST_VIEW_BYTES = 60_000;
const LICENSES = 'licenses.txt';
/** `npm run --silent build`, as `npm start` does it: a newcomer has no use for the sizes. */
const isSilent = process.env.npm_config_loglevel === 'silent';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(root, 'dist');
mkdirSync(target, { recursive: true });
const scratch = mkdtempSync(join(target, '.pages-'));
try {
  const [pages, docs] = [join(scratch, 'console'), join(scratch, 'docs')];
  const [firstView] = await Promise.all([
    writeConsole(root, pages, LICENSES),
    writeDocs(root, docs, LICENSES),
  ]);
  const [consoleSizes, docsSizes] = await Promise.all([compressFiles(pages), compressFiles(docs)]);
  const firstBytes = sum(consoleSizes.filter(({ name }) => firstView.includes(name)));
  const consoleBytes = sum(consoleSizes.filter(({ name }) => name !== LICENSES));
  const docsBytes = sum(docsSizes.filter(({ name }) => name !== LICENSES));
  if (!isSilent)
    console.log(
      `console: ${firstBytes} of ${MAX_FIRST_VIEW_BYTES} bytes at first, ${consoleBytes} in all; docs: ${docsBytes} bytes (gzip)`,
    );
  if (firstBytes > MAX_FIRST_VIEW_BYTES) {
    const table = consoleSizes.map(({ name, bytes }) => `${String(bytes).padStart(8)} ${name}`).join('\n');
    throw new Error(
      `the console's first view has ${firstBytes} bytes compressed by gzip, ${firstBytes - MAX_FIRST_VIEW_BYTES} more ` +
        `than its budget of ${MAX_FIRST_VIEW_BYTES}: load parts of it later\n${table}`,
    );
  }
  for (const page of [pages, docs]) publish(page);
} catch (error) {
  console.error(`build-console: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function sum(sizes: readonly CompressedFile[]): number {
  return sizes.reduce((total, { bytes }) => total + bytes, 0);
}

/** By renaming: a folder in the target is never incomplete. */
function publish(folder: string): void {
  const name = basename(folder);
  const place = join(target, name);
  try {
    renameSync(place, join(scratch, `previous-${name}`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  renameSync(folder, place);
}
