// The smallest set of updates: for each affected version the lowest one that clears it, by the server's word,
// because versions are never compared here. What cannot be cleared is listed with the reason.

import type { ProductType } from '../../index/product-type.ts';
import type { Package } from '../../inventory/inventory.ts';
import { compareSeverity, type Severity } from '../parts/severity-scale.ts';
import { type AffectedRow, compareText, isMalware, type Row } from './findings.ts';

export interface Update {
  readonly type: ProductType;
  readonly name: string;
  /** One for each installed version, as in the inventory. */
  readonly steps: readonly { readonly pack: Package; readonly to: string }[];
  /** Its other installed versions, which stay. */
  readonly others: readonly Package[];
  /** The worst that it removes. */
  readonly severity: Severity;
  /** How many different advisories it removes. */
  readonly advisoryCount: number;
}

export interface Stuck {
  readonly pack: Package;
  readonly severity: Severity;
  readonly reason: string;
}

export interface Plan {
  /** The worst removed first. */
  readonly updates: readonly Update[];
  readonly stuck: readonly Stuck[];
}

export function planUpdates(rows: readonly Row[]): Plan {
  const products = new Map<string, { readonly cleared: AffectedRow[]; readonly others: Package[] }>();
  const stuck: Stuck[] = [];
  for (const row of rows) {
    const key = `${row.pack.type}\n${row.pack.name}`;
    let product = products.get(key);
    if (product === undefined) {
      product = { cleared: [], others: [] };
      products.set(key, product);
    }
    if (row.kind === 'affected' && row.updateTo !== null) product.cleared.push(row);
    else product.others.push(row.pack);
    if (row.kind === 'affected' && row.updateTo === null)
      stuck.push({ pack: row.pack, severity: row.severity, reason: reasonOf(row) });
  }
  const updates = [...products.values()].flatMap(({ cleared, others }) =>
    cleared.length === 0 ? [] : updateOf(cleared, others),
  );
  updates.sort(
    (a, b) =>
      compareSeverity(a.severity, b.severity) ||
      b.advisoryCount - a.advisoryCount ||
      compareText(a.name, b.name),
  );
  stuck.sort((a, b) => compareSeverity(a.severity, b.severity) || compareText(a.pack.name, b.pack.name));
  return { updates, stuck };
}

/** Requires: rows of one product, at least one, each with a version to update to. */
function updateOf(rows: readonly AffectedRow[], others: readonly Package[]): Update {
  const { type, name } = rows[0].pack;
  const steps = rows.map(({ pack, updateTo }) => ({ pack, to: updateTo ?? '' }));
  const severity = rows.map((row) => row.severity).reduce((a, b) => (compareSeverity(a, b) <= 0 ? a : b));
  const ids = new Set(rows.flatMap((row) => row.advisories.map(({ id }) => id)));
  return { type, name, steps, others, severity, advisoryCount: ids.size };
}

function reasonOf({ advisories }: AffectedRow): string {
  if (advisories.some(isMalware)) return 'malware: remove it';
  const open = advisories.filter(({ version_info }) => !version_info?.fixed).length;
  if (open === 0) return 'each version that fixes one advisory is affected by another';
  if (open === advisories.length)
    return open === 1 ? 'no fixed version is known' : 'no fixed version is known for any of them';
  return `no fixed version is known for ${open} of ${advisories.length} advisories`;
}
