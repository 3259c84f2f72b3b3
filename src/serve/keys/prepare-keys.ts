// Prepares a keys file for requests: checks it, assigns each key its row in the limiter, and lays
// the keys out as a table in shared memory. This takes seconds for hundreds of thousands of keys, so
// once requests are served it runs in a thread of its own (keys-thread.ts). All it must know about
// earlier files is in the active table.

import { createHash } from 'node:crypto';
import { buildKeyTable, KeyTableView } from '../../access/key-table.ts';
import { decodeKeysFile, parseKeysFile } from '../../access/keys-file.ts';
import type { Prepared } from '../../access/watch-keys.ts';
import { ENDPOINTS } from '../../dialects/dialects.ts';
import { RateLimiterTable } from '../../http/callers/rate-limit.ts';
import type { PostedKeys } from '../messages.ts';

export interface KeysToPrepare {
  readonly bytes: Uint8Array;
  /** For messages. */
  readonly fileName: string;
  /** The memory of a RateLimiterTable. */
  readonly limiter: SharedArrayBuffer;
  /** Of the limiter's rows, where a fleet shares the quotas. */
  readonly leases?: SharedArrayBuffer | undefined;
  /** The active table. */
  readonly previous?: PostedKeys | undefined;
  /**
   * Whether a worker may still count for keys that the previous change removed: their rows then stay taken.
   */
  readonly keepsRetired: boolean;
}

export interface PreparedKeys extends Prepared {
  readonly table: PostedKeys;
  readonly keyCount: number;
}

/** Throws KeysFileError when the file is bad, RateLimiterFullError when its keys do not fit. */
export function prepareKeys({
  bytes,
  fileName,
  limiter: memory,
  leases,
  previous,
  keepsRetired,
}: KeysToPrepare): PreparedKeys {
  const file = parseKeysFile(decodeKeysFile(bytes), fileName, ENDPOINTS);
  const taken = previous === undefined ? new Map() : new KeyTableView(previous).takenSlots(keepsRetired);
  const slots = new RateLimiterTable(undefined, { memory, taken, leases }).slotsOf(file);
  const retired = new Map([...taken].filter(([id]) => !slots.has(id)));
  return {
    table: buildKeyTable(file, slots, retired),
    keyCount: file.keys.length,
    content: createHash('sha256').update(JSON.stringify(file)).digest('hex'),
  };
}
