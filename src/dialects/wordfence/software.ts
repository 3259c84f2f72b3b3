// What a record says of one product: the affected versions as labelled ranges, and the versions that fix it.

import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import type { ItemView } from '../../index/items/item-view.ts';
import { holdsUpperBound, type Span } from '../../index/lookup/interval.ts';
import { PRODUCT_TYPE_TABLE, type ProductType } from '../../index/product-type.ts';
import { endOfSpans, firstSpan } from '../../index/span-list.ts';

/** An open end. */
const ANY = '*';

/** The words of the feed. */
const TYPES: Readonly<Partial<Record<ProductType, string>>> = {
  plugin: 'plugin',
  theme: 'theme',
  wordpress: 'core',
};

interface AffectedRange {
  readonly from_version: string;
  readonly from_inclusive: boolean;
  readonly to_version: string;
  readonly to_inclusive: boolean;
}

interface Software {
  readonly type: string;
  readonly name: string;
  readonly slug: string;
  readonly affected_versions: Readonly<Record<string, AffectedRange>>;
  readonly patched: boolean;
  readonly patched_versions: readonly string[];
  /** Undefined in the scanner's variant. */
  readonly remediation: string | undefined;
}

/** The entry for an advisory's product. Requires: a WordPress product; the view is on the advisory. */
export function softwareOf(
  generation: Generation,
  view: ItemView,
  ordinal: number,
  isFull: boolean,
): Software {
  const { columns } = generation.parts;
  const type = PRODUCT_TYPE_TABLE[columns.productType[columns.advisoryProduct[ordinal]]].name;
  const slug = view.text('productSlug') ?? '';
  const patched = patchedVersions(generation, ordinal);
  return {
    type: TYPES[type] ?? type,
    name: view.text('productName') ?? slug,
    slug,
    affected_versions: affectedVersions(view.spans()),
    patched: patched.length > 0,
    patched_versions: patched,
    remediation: isFull ? remediation(patched) : undefined,
  };
}

/** Each span under a label of its own. */
export function affectedVersions(spans: readonly Span[]): Record<string, AffectedRange> {
  const ranges = new Map<string, AffectedRange>();
  for (const span of spans) {
    const range = rangeOf(span);
    let label = labelOf(range);
    // Versions may contain what stands between them in a label, so two ranges can have one.
    for (let count = 2; ranges.has(label) && !isEqual(ranges.get(label), range); count++) {
      label = `${labelOf(range)} (${count})`;
    }
    ranges.set(label, range);
  }
  return Object.fromEntries(ranges);
}

function rangeOf({ from, to, toBound }: Span): AffectedRange {
  return {
    from_version: from ?? ANY,
    from_inclusive: true,
    to_version: to ?? ANY,
    to_inclusive: to === null || holdsUpperBound(toBound),
  };
}

/** `* - 1.2.3` with both ends inside, `[1.0, 1.2.3)` without the last. */
function labelOf({ from_version: from, to_version: to, to_inclusive: holdsTo }: AffectedRange): string {
  return holdsTo ? `${from} - ${to}` : `[${from}, ${to})`;
}

function isEqual(a: AffectedRange | undefined, b: AffectedRange): boolean {
  return (
    a?.from_version === b.from_version && a.to_version === b.to_version && a.to_inclusive === b.to_inclusive
  );
}

/** Each once, ascending: rows of versions ascend within a scheme. */
function patchedVersions(generation: Generation, ordinal: number): string[] {
  const { columns } = generation.parts;
  const fixes = columns.spanFixedIn.slice(firstSpan(columns, ordinal), endOfSpans(columns, ordinal)).sort();
  return [...new Set(fixes)].filter((row) => row !== NONE).map((row) => generation.versionText(row));
}

function remediation(patched: readonly string[]): string {
  if (patched.length === 0) {
    return 'No fix is known. Remove the software, or limit what it exposes until there is one.';
  }
  return patched.length === 1
    ? `Update to version ${patched[0]} or a later one.`
    : `Update to one of these versions or a later one: ${patched.join(', ')}.`;
}
