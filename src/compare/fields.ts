// Which fields of an advisory differ between two generations, by the names of the feed's members. Values are
// compared as they are stored, so a feed that states a default, or a time in another offset, has not changed.

import { isEqualText, versionText } from '../index/column-texts.ts';
import {
  type BlockSection,
  type IndexColumns,
  isExploited,
  NONE,
  numberOf,
  patchPriority,
  type TraitColumn,
} from '../index/columns.ts';
import type { ItemField } from '../index/items/item-layout.ts';
import { epssOf, kevDayOf, kindOf, modifiedAt } from '../index/items/rare-facts.ts';
import { upperBoundOf } from '../index/lookup/interval.ts';
import { isEqualSourceId } from '../index/lookup/source-id.ts';
import { compareBytes } from '../index/memory/bytes.ts';
import { endOfSpans, firstSpan } from '../index/span-list.ts';
import type { AdvisoryReader } from './reader.ts';

/** What two advisories have in the same bytes: what is read from it is the same, too. */
export interface SamePacked {
  /** With the prefix of a title, so of a product of the same type. */
  readonly texts: boolean;
  readonly details: boolean;
  readonly bodies: boolean;
  /** With the details, which list the versions that are no spans of their own. */
  readonly spans: boolean;
}

export const NOTHING_SAME: SamePacked = { texts: false, details: false, bodies: false, spans: false };

type Differs = (a: AdvisoryReader, b: AdvisoryReader, same: SamePacked) => boolean;

/** Columns of values that mean the same in every generation. */
type ValueColumn = 'advisoryPsid' | 'advisoryScheme';

/**
 * In the order of docs/feed-format.md. `affected[].fixed_in` only differs if the affected versions are the
 * same.
 */
const FIELDS = {
  psid: value('advisoryPsid'),
  title: item('title'),
  description: detail(0),
  details: (a, b, same) => !same.bodies && a.body() !== b.body(),
  disclosed_at: (a, b) => a.generation.disclosedAt(a.ordinal) !== b.generation.disclosedAt(b.ordinal),
  created_at: (a, b) => a.generation.createdAt(a.ordinal) !== b.generation.createdAt(b.ordinal),
  modified_at: (a, b) => modifiedAt(columnsOf(a), a.ordinal) !== modifiedAt(columnsOf(b), b.ordinal),
  withdrawn_at: detail(7),
  kind: (a, b) => kindOf(columnsOf(a), a.ordinal) !== kindOf(columnsOf(b), b.ordinal),
  source_id: (a, b) => !isEqualSourceId(columnsOf(a), a.ordinal, columnsOf(b), b.ordinal),
  sources: trait('traitsSources'),
  url: item('url'),
  url_slug: detail(3),
  vuln_type: trait('traitsVulnType'),
  cves: detail(1),
  ghsa: item('ghsa'),
  aliases: detail(8),
  severity: trait('traitsSeverity'),
  epss: (a, b) => differ(epssOf(columnsOf(a), a.ordinal), epssOf(columnsOf(b), b.ordinal)),
  kev_date: (a, b) => kevDayOf(columnsOf(a), a.ordinal) !== kevDayOf(columnsOf(b), b.ordinal),
  is_exploited: flag(isExploited),
  patch_priority: flag(patchPriority),
  product: (a, b) => !hasEqualProduct(a, b),
  cvss: trait('traitsCvss'),
  cwe: trait('traitsCwe'),
  capec: trait('traitsCapec'),
  owasp: trait('traitsOwasp'),
  references: (a, b, same) =>
    (!same.texts && differsInItem('references', a, b)) ||
    (!same.details && differ(a.detail()[2], b.detail()[2])),
  affected: (a, b, same) => !same.spans && !hasEqualSpans(a, b, BOUNDS),
  'affected[].fixed_in': (a, b, same) =>
    !same.spans && hasEqualSpans(a, b, BOUNDS) && !hasEqualSpans(a, b, ['spanFixedIn']),
  affected_versions: detail(6),
  version_scheme: value('advisoryScheme'),
  credit: detail(4),
  submitter: detail(5),
  ecosystem_specific: detail(9),
} as const satisfies Readonly<Record<string, Differs>>;

export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[]; // exactly the literal's keys

const SPAN_VERSIONS = ['spanFrom', 'spanTo', 'spanFixedIn'] as const;
type SpanVersion = (typeof SPAN_VERSIONS)[number];
const BOUNDS = ['spanFrom', 'spanTo'] as const satisfies readonly SpanVersion[];

/**
 * The fields that differ, in the order of FIELD_NAMES. Requires: both readers have entered their advisory.
 * Most advisories stay as they are, and decoding them takes five times as long as comparing packed rows.
 */
export function differingFields(
  a: AdvisoryReader,
  b: AdvisoryReader,
  same: SamePacked = samePacked(a, b),
): FieldName[] {
  return FIELD_NAMES.filter((name) => FIELDS[name](a, b, same));
}

function samePacked(a: AdvisoryReader, b: AdvisoryReader): SamePacked {
  const isSame = (section: BlockSection): boolean => {
    const [one, other] = [a.packed(section), b.packed(section)];
    return one === undefined || other === undefined ? one === other : Buffer.compare(one, other) === 0;
  };
  const typeOf = ({ advisoryProduct, productType }: IndexColumns, ordinal: number): number =>
    productType[advisoryProduct[ordinal]];
  const hasSameType = typeOf(columnsOf(a), a.ordinal) === typeOf(columnsOf(b), b.ordinal);
  const details = isSame('details');
  return {
    texts: hasSameType && isSame('texts'),
    details,
    bodies: isSame('bodies'),
    spans: details && areEqualSpans(a, allSpans(a), b, allSpans(b), SPAN_VERSIONS),
  };
}

function columnsOf(reader: AdvisoryReader): IndexColumns {
  return reader.generation.parts.columns;
}

function value(column: ValueColumn): Differs {
  return (a, b) => columnsOf(a)[column][a.ordinal] !== columnsOf(b)[column][b.ordinal];
}

function flag(read: (flags: number) => unknown): Differs {
  return (a, b) =>
    read(columnsOf(a).advisoryFlags[a.ordinal]) !== read(columnsOf(b).advisoryFlags[b.ordinal]);
}

function detail(member: 0 | 1 | 3 | 4 | 5 | 6 | 7 | 8 | 9): Differs {
  return (a, b, same) => !same.details && differ(a.detail()[member], b.detail()[member]);
}

function item(field: ItemField): Differs {
  return (a, b, same) => !same.texts && differsInItem(field, a, b);
}

function trait(column: TraitColumn): Differs {
  return (a, b) => {
    const [one, other] = [columnsOf(a), columnsOf(b)];
    const terms = [
      one[column][one.advisoryTraits[a.ordinal]],
      other[column][other.advisoryTraits[b.ordinal]],
    ];
    return differsInTerm(a, terms[0], b, terms[1]);
  };
}

/** Plain values: texts, numbers, lists of them, null or undefined. */
function differ(a: unknown, b: unknown): boolean {
  return a !== b && JSON.stringify(a) !== JSON.stringify(b);
}

function differsInItem(field: ItemField, a: AdvisoryReader, b: AdvisoryReader): boolean {
  const one = a.view.find(field);
  const other = b.view.find(field);
  return compareBytes(one.bytes, one.start, one.end, other.bytes, other.start, other.end) !== 0;
}

function differsInTerm(a: AdvisoryReader, one: number, b: AdvisoryReader, other: number): boolean {
  const [{ termBytes, termStart }, others] = [columnsOf(a), columnsOf(b)];
  if (isEqualText(termBytes, termStart, one, others.termBytes, others.termStart, other)) return false;
  // Another writer may pack the same value in other bytes.
  return differ(a.generation.records.termAt(one), b.generation.records.termAt(other));
}

function hasEqualProduct(a: AdvisoryReader, b: AdvisoryReader): boolean {
  const [one, other] = [columnsOf(a), columnsOf(b)];
  if (!hasSameProduct(one, a.ordinal, other, b.ordinal)) return false;
  const idOf = (columns: IndexColumns, { ordinal }: AdvisoryReader): number =>
    numberOf(columns, columns.productNumber[columns.advisoryProduct[ordinal]]);
  const [label, otherLabel] = [one.advisoryLabel[a.ordinal], other.advisoryLabel[b.ordinal]];
  if (idOf(one, a) === idOf(other, b) && !differsInTerm(a, label, b, otherLabel)) return true;
  // A label leaves out what the product has, so two that differ may mean the same.
  const named = (['productId', 'productName'] as const).every((field) => !differsInItem(field, a, b));
  return named && premiumNameOf(a) === premiumNameOf(b);
}

function premiumNameOf({ generation, ordinal }: AdvisoryReader): string | null {
  return generation.labelAt(ordinal)[2];
}

/** Compares the spans but those of single versions in `affected_versions`, which is a field of its own. */
function hasEqualSpans(a: AdvisoryReader, b: AdvisoryReader, versions: readonly SpanVersion[]): boolean {
  return areEqualSpans(a, ownSpans(a), b, ownSpans(b), versions);
}

/** By rows. */
function areEqualSpans(
  a: AdvisoryReader,
  spans: readonly number[],
  b: AdvisoryReader,
  others: readonly number[],
  versions: readonly SpanVersion[],
): boolean {
  if (spans.length !== others.length) return false;
  const [one, other] = [columnsOf(a), columnsOf(b)];
  return spans.every((span, i) => {
    if (one.spanToBound[span] !== other.spanToBound[others[i]]) return false;
    return versions.every((column) =>
      hasEqualVersion(one, one[column][span], other, other[column][others[i]]),
    );
  });
}

/** Rows. */
function allSpans(reader: AdvisoryReader): readonly number[] {
  const columns = columnsOf(reader);
  const first = firstSpan(columns, reader.ordinal);
  return Array.from({ length: endOfSpans(columns, reader.ordinal) - first }, (_, i) => first + i);
}

/** Rows, without those of listed versions. */
function ownSpans(reader: AdvisoryReader): readonly number[] {
  const columns = columnsOf(reader);
  const { spanFrom, spanTo, spanToBound, spanFixedIn } = columns;
  const [, , , , , , affectedVersions] = reader.detail();
  const listed = new Set(affectedVersions);
  return allSpans(reader).filter((span) => {
    const isSingle =
      spanFrom[span] !== NONE &&
      spanFrom[span] === spanTo[span] &&
      spanFixedIn[span] === NONE &&
      upperBoundOf(spanToBound[span]) === 'inclusive';
    return !isSingle || !listed.has(versionText(columns, spanFrom[span]));
  });
}

function hasEqualVersion(one: IndexColumns, row: number, other: IndexColumns, otherRow: number): boolean {
  if (row === NONE || otherRow === NONE) return row === otherRow;
  const { versionText, versionTextStart } = one;
  return isEqualText(versionText, versionTextStart, row, other.versionText, other.versionTextStart, otherRow);
}

type Products = Pick<IndexColumns, 'advisoryProduct' | 'productType' | 'productSlug' | 'productSlugStart'>;

/** A product's row differs from snapshot to snapshot; its type and slug do not. */
export function hasSameProduct(
  one: Products,
  ordinal: number,
  other: Products,
  otherOrdinal: number,
): boolean {
  const a = one.advisoryProduct[ordinal];
  const b = other.advisoryProduct[otherOrdinal];
  return (
    one.productType[a] === other.productType[b] &&
    isEqualText(one.productSlug, one.productSlugStart, a, other.productSlug, other.productSlugStart, b)
  );
}
