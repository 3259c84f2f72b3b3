// One process that runs many test files, one after another: the runner names a file, node:test runs it as a
// suite of that name, and whatever the file leaves behind fails it. Results travel through lane-reporter.ts.

import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { killDescendants, killTree, removeFolder } from '../processes.ts';
import { differences, type Standing, standing } from './leftovers.ts';
import type { LaneOrder } from './messages.ts';

/** A look costs some milliseconds, so each pause is twice the one before. */
const FIRST_PAUSE_MS = 2;

const folder = process.env.VULNDEX_LANE_FOLDER as string; // set by the runner
let files = 0;
let isEnded = false;

function run({ file, sharesProcess, goneMs }: Extract<LaneOrder, { kind: 'run' }>): void {
  const temporary = join(folder, String(files++));
  mkdirSync(temporary);
  process.env.TMPDIR = temporary; // os.tmpdir() reads it at every call
  suite(file, async () => {
    const stands = (): Standing => standing(temporary, sharesProcess);
    const before = stands(); // here, where node:test has set itself up
    await import(pathToFileURL(resolve(file)).href);
    // Registered last, so it runs after the file's own hooks.
    after(async () => {
      const untilMs = performance.now() + goneMs;
      let left = differences(before, stands());
      for (let pauseMs = FIRST_PAUSE_MS; left.length > 0 && performance.now() < untilMs; pauseMs *= 2) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        left = differences(before, stands());
      }
      rmSync(temporary, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`${file} leaves behind: ${left.join('; ')}`);
    });
  });
}

process.on('message', (order: LaneOrder) => {
  if (order.kind === 'run') return run(order);
  isEnded = true;
  process.disconnect();
});

// The runner is gone: nothing that it or this process has made may outlive it.
process.on('disconnect', () => {
  if (isEnded) return;
  killDescendants(process.pid);
  removeFolder(dirname(folder));
  killTree(process.pid);
});
