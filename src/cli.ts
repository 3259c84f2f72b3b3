#!/usr/bin/env node
// The entry point: refuses a release of Node that is too old. The program, in main.ts, is imported only
// after that, as its modules may neither parse nor link there. So what is imported here keeps to what
// Node 14.8 knows, the first release with `await` at the top level.

import { readFileSync } from 'node:fs';
import { nodeProblem } from './cli/node-release.ts';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const problem = nodeProblem(engines.node, process.version, process.execPath);
if (problem === undefined) {
  await import('./main.ts');
} else {
  console.error(`vulndex: ${problem}`);
  process.exitCode = 1;
}
