// Loads a snapshot with a build of this program, or parses the lines of a feed, in a process of its own:
//     node bench/baselines/load.js CHECKOUT SNAPSHOT
//     node bench/baselines/load.js - FEED
// Prints how many milliseconds it took, without the first times, in which the code is still compiled.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
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
  const dist = resolve(checkout, 'dist', 'loader');
  const paths = [join(dist, 'snapshot', 'load.js'), join(dist, 'load.js')]; // the latter in older builds
  const { loadSnapshot } = await import(pathToFileURL(paths.find((path) => existsSync(path))).href);
  return () => loadSnapshot(file);
}

function parse() {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return () => lines.map((line) => JSON.parse(line));
}
