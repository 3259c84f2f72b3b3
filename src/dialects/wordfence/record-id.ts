// The uuid under which a record is in the feed. It never changes while the advisory exists, whatever else is
// in the data.

import type { Generation } from '../../index/generation.ts';
import { formatPsid } from '../../index/lookup/alias-table.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// RFC 9562, version 8: the 48 bits of a PSID, then these. The last six bytes spell `vulndx`.
const REST = '8000-8000-76756c6e6478';

/** The source's own id if it is a uuid, else one made from the PSID of the advisory. */
export function recordId(generation: Generation, ordinal: number): string {
  const sourceId = generation.sourceIdAt(ordinal);
  if (UUID.test(sourceId)) return sourceId;
  const psid = formatPsid(generation.parts.columns.advisoryPsid[ordinal]);
  return `${psid.slice(0, 8)}-${psid.slice(8)}-${REST}`;
}
