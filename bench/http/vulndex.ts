// Our server as built, started as a user would, with one key without a limit.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey, shippedTiers } from '../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../src/dialects/dialects.ts';
import { announced, type Running, start } from './child.ts';
import type { Place, Target } from './target.ts';

const ENTRY = join('dist', 'cli.js');

/** Starts the built server on the snapshot folder. Requires: the working folder is the repository. */
export async function startVulndex(
  snapshots: string,
  key: string,
  place: Place,
  { nodeOptions = [], port = 0 }: { readonly nodeOptions?: readonly string[]; readonly port?: number } = {},
): Promise<Running> {
  const keys = join(place.folder, 'keys.json');
  const file = {
    tiers: shippedTiers(ENDPOINTS),
    keys: [{ id: 'bench', name: 'bench', sha256: hashKey(key), tier: 'partner' }],
  };
  writeFileSync(keys, JSON.stringify(file));
  const options = {
    '--snapshots': snapshots,
    '--keys': keys,
    '--port': String(port),
    '--ops-port': '0',
    '--workers': String(place.workers),
    '--drain-seconds': '0',
  };
  return start({
    command: process.execPath,
    words: [...nodeOptions, ENTRY, 'serve', ...Object.entries(options).flat()],
    cores: place.cores,
    ready: announced,
  });
}

export function vulndexTarget(running: Running): Target {
  return {
    name: 'vulndex',
    prepare: async ({ requests }) => ({ running, requests }),
    stop: () => running.stop(),
  };
}
