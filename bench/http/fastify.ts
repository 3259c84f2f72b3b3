// Fastify with better-sqlite3 over the data of the same snapshot. Its replies are compared with ours as JSON before it
// is measured, so that it does not win by answering less.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announced, start } from './child.ts';
import type { Place, Target } from './target.ts';

const FOLDER = join('bench', 'baselines');
const ADDON = join(FOLDER, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');

/** The command to install this baseline, or undefined if it can run. */
export function fastifyMissing(): string | undefined {
  if (existsSync(ADDON)) return undefined;
  return `npm --prefix ${FOLDER} ci --ignore-scripts && npm --prefix ${FOLDER} run build:sqlite`;
}

/** Starts it over the rows of `rows.ts`; resolves when the database is filled. */
export async function fastify(rows: string, key: string, etag: string, place: Place): Promise<Target> {
  const running = await start({
    command: process.execPath,
    words: [join(FOLDER, 'fastify.js'), rows, key, etag],
    cores: place.cores,
    ready: announced,
  });
  return {
    name: 'fastify',
    prepare: async ({ requests }) => ({ running, requests }),
    stop: () => running.stop(),
  };
}
