// Runs the tests with real package managers. Given names (parts of paths), only the files that contain one of
// them. With --install, installs the package managers first; without them the tests are skipped.
// VULNDEX_CLIENT_TREES is the number of projects that each of them audits.

import { longTests, runLongTests } from './long-tests.ts';
import { fail, npm } from './processes.ts';

const INSTALL = ['--prefix', 'test/clients', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
const TREES = Number(process.env.VULNDEX_CLIENT_TREES ?? 0);
const LIMIT_MS = 300_000 + TREES * 20_000; // per file; a tree takes all clients about four seconds

const words = process.argv.slice(2);
const files = longTests(
  'clients',
  words.filter((word) => word !== '--install'),
);
if (words.includes('--install')) await npm(INSTALL).catch((error: Error) => fail(error.message));
await runLongTests(files, LIMIT_MS);
