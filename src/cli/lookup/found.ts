// What a snapshot says about one version of one product, and how that reads on a terminal.

import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { describeSpan } from '../../index/items/affected-range.ts';
import { ItemView } from '../../index/items/item-view.ts';
import type { Locator } from '../../index/lookup/locate.ts';
import { ANY_VERSION, isVersionOrAny, type Lookup } from '../../index/lookup/lookup.ts';
import type { Matches } from '../../index/lookup/matches.ts';
import { printable } from '../../index/memory/text-limits.ts';
import { versionForTool } from '../../index/product-type.ts';
import { formatTable } from '../snapshot-report.ts';

/** Used by one lookup after the other. */
interface LookupMemory {
  readonly locator: Locator;
  readonly matches: Matches;
}

export function unknownProduct({ type, name }: Lookup): string {
  return `unknown product: no advisory for ${printable(`${type} ${name}`)}; check the type and the name\n`;
}

interface Match {
  readonly ordinal: number;
  /** The span that applies; undefined for `*`. */
  readonly span: number | undefined;
}

export interface Found {
  readonly matches: readonly Match[];
  /** The version to update to; null when there is none. */
  readonly update: string | null;
}

/** Undefined for an unknown product, null for a text that is no version and that nothing affects. */
export function find(
  generation: Generation,
  { type, name, version }: Lookup,
  { locator, matches }: LookupMemory,
): Found | null | undefined {
  const product = generation.findProduct(type, name);
  if (product === undefined) return isVersionOrAny({ type, version }) ? undefined : null;
  if (version === ANY_VERSION) {
    const ordinals = Array.from(generation.advisoriesOf(product));
    return { matches: ordinals.map((ordinal) => ({ ordinal, span: undefined })), update: null };
  }
  const place = generation.locate(type, name, version, locator);
  if (place.kind === 'not-a-version') return null;
  generation.collect(place, matches);
  const update = generation.findUpdate(place);
  return {
    matches: Array.from({ length: matches.count }, (_, i) => ({
      ordinal: matches.advisoryAt(i),
      span: matches.spanAt(i),
    })),
    update: update === undefined ? null : generation.versionText(update),
  };
}

export function formatFound(generation: Generation, { type, name, version }: Lookup, found: Found): string {
  const { matches, update } = found;
  if (matches.length === 0) {
    return version === ANY_VERSION
      ? `no advisories: ${printable(`${type} ${name}`)}\n`
      : `not vulnerable: ${printable(`${type} ${name} ${version}`)}\n`;
  }
  const view = new ItemView(generation);
  const table = formatTable(matches.map((match) => formatMatch(generation, view, match).map(printable)));
  return version === ANY_VERSION ? table : `${table}${formatUpdate({ type, name }, update)}\n`;
}

export function formatUpdate({ type, name }: Pick<Lookup, 'type' | 'name'>, update: string | null): string {
  return update === null
    ? 'no known version is free of advisories'
    : `update to ${printable(versionForTool(type, name, update))}, the lowest known version without an advisory`;
}

/** Id, alias, affected versions, fix and title: those of the span, or of the whole advisory. */
export function formatMatch(generation: Generation, view: ItemView, { ordinal, span }: Match): string[] {
  const { columns, items } = generation.parts;
  view.enter(ordinal);
  const cve = view.text('cve');
  const alias = cve ? `CVE-${cve}` : view.text('ghsa') || '-';
  const range = span === undefined ? (view.text('affected') ?? '') : describeSpan(columns, span);
  const fix = span === undefined ? items.lowestFix[ordinal] : columns.spanFixedIn[span];
  const fixed = fix === NONE ? 'no fix' : `fixed in ${generation.versionText(fix)}`;
  return [String(generation.idAt(ordinal)), alias, range, fixed, view.text('title') ?? ''];
}
