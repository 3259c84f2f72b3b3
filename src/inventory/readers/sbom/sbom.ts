// What the SBOM formats share: components with package URLs, some of which the product itself names as its
// dependencies.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { readPurl } from '../../purl.ts';

export interface Component {
  readonly label: string;
  /** '' if it has none. */
  readonly purl: string;
  /** For purls without one. */
  readonly version: string | undefined;
  /** Undefined if the SBOM does not say. */
  readonly direct: boolean | undefined;
  readonly place: string | undefined;
}

export function inventoryOf(
  components: Iterable<Component>,
  format: string,
  remarks: readonly string[],
): Inventory {
  const builder = new InventoryBuilder();
  for (const remark of remarks) builder.remark(remark);
  for (const { label, purl, version, direct, place } of components) {
    if (purl === '') {
      builder.leaveOut('no package URL', label);
      continue;
    }
    const read = readPurl(purl);
    if (read.kind === 'left-out') {
      builder.leaveOut(read.reason, label);
      continue;
    }
    builder.add({
      type: read.type,
      name: read.name,
      version: read.version === '' ? version : read.version,
      ...(direct === undefined ? {} : { direct }),
      ...(place === undefined ? {} : { place }),
    });
  }
  return builder.inventory(format);
}
