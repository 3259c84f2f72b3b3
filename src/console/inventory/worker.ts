// The Web Worker that reads an inventory, so that the page stays usable meanwhile. It lives for one text.

import { decodeText } from '../../inventory/decode.ts';
import { MAX_CHARS, readInventory, tooLarge } from '../../inventory/read-inventory.ts';
import { Refusal } from '../../inventory/refusal.ts';
import type { Outcome, Task } from './task.ts';

addEventListener('message', async ({ data }: MessageEvent<Task>) => {
  postMessage(await outcomeOf(data));
});

async function outcomeOf({ source, fileName }: Task): Promise<Outcome> {
  try {
    return { kind: 'read', inventory: readInventory(await textIn(source), fileName) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', why: error.message };
    return {
      kind: 'refused',
      why: `This could not be read: ${error instanceof Error ? error.message : error}`,
    };
  }
}

async function textIn(source: Blob | string): Promise<string> {
  if (typeof source === 'string') return source;
  // In UTF-16, a character has two bytes.
  if (source.size > 2 * MAX_CHARS) throw new Refusal(tooLarge(source.size));
  return decodeText(new Uint8Array(await source.arrayBuffer()));
}
