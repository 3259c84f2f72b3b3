// Finds and runs test files that `npm test` leaves out, one after another, each in a process group of its own, which is killed
// when the test ends.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { passes } from './own-group.js';

/** The files of a folder with this ending; given parts of paths, only those that contain one. Ends the process if there is none. */
export function longTests(folder, ending, wanted) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
    .sort();
  if (files.length > 0) return files;
  console.error(`no test below ${folder}/ matches ${wanted.join(', ')}`);
  process.exit(1);
}

/** Runs them, says how long each took and which failed, and ends the process. The limit is for each file. */
export async function runLongTests(files, limitMs) {
  const failed = [];
  for (const file of files) {
    console.log(`\n== ${file}`);
    const startMs = performance.now();
    if (!(await passes(file, limitMs))) failed.push(file);
    console.log(`== ${file} took ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  }
  for (const file of failed) console.error(`FAILED ${file}`);
  console.log(`\n${files.length - failed.length} passed, ${failed.length} failed`);
  process.exit(failed.length === 0 ? 0 : 1);
}
