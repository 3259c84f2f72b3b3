// A keys file with one unrestricted key and, on request, limited ones.

import { writeFileSync } from 'node:fs';
import { hashKey, type KeysFile, makeKey, type RateRecord } from '../../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../../src/dialects/dialects.ts';

export interface Access {
  readonly file: string;
  /** Has a tier without a limit. */
  readonly free: string;
  /** By tier name. */
  readonly limited: Readonly<Record<string, string>>;
}

export function writeAccess(file: string, rates: Readonly<Record<string, RateRecord>> = {}): Access {
  const free = makeKey();
  const limited = Object.fromEntries(Object.keys(rates).map((name) => [name, makeKey()]));
  const tiers = [['free', null] as const, ...Object.entries(rates)];
  const keys = { free, ...limited };
  const content: KeysFile = {
    tiers: Object.fromEntries(tiers.map(([name, rate]) => [name, { endpoints: ENDPOINTS, rate }])),
    keys: Object.entries(keys).map(([name, key]) => ({
      id: `k_${name}`,
      name,
      sha256: hashKey(key),
      tier: name,
    })),
  };
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  return { file, free, limited };
}
