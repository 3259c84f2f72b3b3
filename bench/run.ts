// `npm run bench -- [--only NAME...] [--advisories N] [--time MS] [--rounds N] [--task TEXT] [--json FILE]`. Compiled
// first: the loader that runs TypeScript directly wraps every named inner function, which costs more than some of
// what is measured here.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BENCH_NAMES, runSuite, USUAL_NAMES } from './suite.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true, // more names after the one that --only takes
  options: {
    only: { type: 'string', multiple: true, default: [] },
    advisories: { type: 'string', default: '100000' },
    time: { type: 'string', default: '600' },
    rounds: { type: 'string', default: '5' },
    task: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const named = [...values.only, ...positionals];
for (const name of named) {
  if (!BENCH_NAMES.includes(name)) fail(`no bench is called ${name}; choose from ${BENCH_NAMES.join(', ')}`);
}
const report = await runSuite({
  advisories: positive('advisories', values.advisories),
  timeMs: positive('time', values.time),
  rounds: positive('rounds', values.rounds),
  names: named.length === 0 ? USUAL_NAMES : named,
  task: values.task,
  command: commandLine(),
  say: (line) => console.log(line),
});
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);

/** Without `--json`, because a local path means nothing to others. */
function commandLine(): string {
  const { advisories, time, rounds, task } = values;
  const only = named.length === 0 ? '' : ` --only ${named.join(' ')}`;
  const narrowed = task === '' ? '' : ` --task ${JSON.stringify(task)}`;
  return `npm run bench -- --advisories ${advisories} --time ${time} --rounds ${rounds}${only}${narrowed}`;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    fail(`--${option} takes a whole number of at least 1, not ${text}`);
  return value;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
