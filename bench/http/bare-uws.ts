// Bare uWebSockets.js: a constant reply of the mean length, with as many headers as ours, for every request. The
// difference to it is our cost.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { announced, type Running, start } from './child.ts';
import type { Place, Target } from './target.ts';

const ENTRY = join('bench', 'baselines', 'bare-uws.js');

/** One process per scenario: the constant is read once, at its start. */
export function bareUws(place: Place): Target {
  let running: Running | undefined;
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  return {
    name: 'uws',
    prepare: async ({ requests, typical }) => {
      await stop();
      const reply = { status: typical.status, headers: typical.headers, body: typical.body.toString() };
      const file = join(place.folder, 'reply.json');
      writeFileSync(file, JSON.stringify(reply));
      running = await start({
        command: process.execPath,
        words: [ENTRY, file, String(place.workers)],
        cores: place.cores,
        ready: announced,
      });
      return { running, requests };
    },
    stop,
  };
}
