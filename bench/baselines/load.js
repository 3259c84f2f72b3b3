// Loads a snapshot with a build of this program, or parses the lines of a feed, in a process of its own:
//     node bench/baselines/load.js CHECKOUT SNAPSHOT
//     node bench/baselines/load.js - FEED
// Prints how many milliseconds it took, without the first times, in which the code is still compiled.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const COLD = 2;
const TIMES = 3;

const [checkout, file] = process.argv.slice(2);
const run = checkout === '-' ? parse() : await load();
const tookMs = [];
for (let i = 0; i < COLD + TIMES; i++) {
  const startMs = performance.now();
  run();
  if (i >= COLD) tookMs.push(performance.now() - startMs);
}
console.log(tookMs.sort((a, b) => a - b)[Math.floor(TIMES / 2)]);

async function load() {
  const { loadSnapshot } = await import(pathToFileURL(resolve(checkout, 'dist', 'loader', 'load.js')).href);
  return () => loadSnapshot(file);
}

function parse() {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return () => lines.map((line) => JSON.parse(line));
}
