// Runs the soak and fault tests. Given names (parts of paths), only the files that contain one of them.
// VULNDEX_SOAK_QUICK=1 makes them short.

import { longTests, runLongTests } from './long-tests.ts';

const LIMIT_MS = 600_000; // for a test

await runLongTests(longTests('soak', process.argv.slice(2)), LIMIT_MS);
