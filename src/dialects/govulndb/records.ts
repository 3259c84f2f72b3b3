// The records of Go modules: which there are, under which ids, and what they look like. They are those of the
// OSV mount, in the part of the schema that Go's client reads.

import { gzipSync } from 'node:zlib';
import type { HandlerContext } from '../../http/context.ts';
import type { Generation } from '../../index/generation.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';
import type { AfterLast } from '../osv/ranges.ts';
import { packageAt, type RecordForm, recordJson } from '../osv/record.ts';
import { recordsOf } from '../osv/records.ts';
import { findRecord } from '../osv/vuln.ts';

const PLATFORM = 'golang';
/** Ids of Go's own database: its records name packages and symbols. */
const OWN_ID = /^GO-/;
const VERSION_PARTS = /^(\d+\.\d+)\.(\d+)(-[^+]+)?(?:\+.*)?$/; // builds do not count

/**
 * The end of a range after its last affected version, for a client that knows only `introduced` and `fixed`.
 * SemVer has a next version, so nothing is lost:
 *
 *     last affected     the next version
 *     1.2.3             1.2.4-0          the lowest pre-release of the next patch
 *     1.2.3-rc.1        1.2.3-rc.1.0     the same, with the lowest identifier after it
 *
 * Requires: a version with three numbers.
 */
export const fixedAfter: AfterLast = (version) => {
  const parts = VERSION_PARTS.exec(version);
  // Without an end, the client takes all later versions for affected.
  if (parts === null) return { last_affected: version };
  const [, minor, patch, prerelease] = parts;
  return {
    fixed: prerelease === undefined ? `${minor}.${BigInt(patch) + 1n}-0` : `${minor}.${patch}${prerelease}.0`,
  };
};

/**
 * Entries of other ecosystems could have a module's name, and one without ranges would mean every version.
 * The client prints the page that `url` names.
 */
export const FORM: RecordForm = {
  platform: PLATFORM,
  afterLast: fixedAfter,
  needsRanges: true,
  hasUrl: true,
};

type Memory = Pick<HandlerContext, 'generation' | 'memory'>;

/** By head: the names of the modules that the index lists it for. A vulnerability is listed once a module. */
export function listedRecords(generation: Generation): ReadonlyMap<number, ReadonlySet<string>> {
  const listed = new Map<number, Set<string>>();
  const view = new ItemView(generation);
  const { start, end } = generation.published(PLATFORM);
  for (let ordinal = start; ordinal < end; ordinal++) {
    const head = headOf(generation, ordinal);
    const { name } = packageAt(generation, view.enter(ordinal), ordinal);
    const names = listed.get(head);
    if (names === undefined) listed.set(head, new Set([name]));
    else names.add(name);
  }
  return listed;
}

/** The heads of the records about a module; empty if it is not known. */
export function recordsAbout(generation: Generation, module: string): readonly number[] {
  const product = generation.findProduct(PLATFORM, module);
  if (product === undefined) return [];
  return [...new Set(Array.from(generation.advisoriesOf(product), (ordinal) => headOf(generation, ordinal)))];
}

/** Of the records that an advisory is, Go's own if there is one. */
function headOf(generation: Generation, ordinal: number): number {
  const records = recordsOf(generation);
  const first = records.headOf(ordinal);
  return [first, ...records.furtherOf(ordinal)].find((head) => OWN_ID.test(records.idOf(head))) ?? first;
}

/** The head of the record with just this id, withdrawn or not; undefined if there is none about a module. */
export function recordWithId(generation: Generation, id: string): number | undefined {
  const head = findRecord(generation, id);
  if (head === undefined) return undefined;
  const { productType, advisoryProduct } = generation.parts.columns;
  const records = recordsOf(generation);
  const isOfGo = records
    .membersOf(head)
    .some((ordinal) => PRODUCT_TYPE_TABLE[productType[advisoryProduct[ordinal]]].platform === PLATFORM);
  return isOfGo && records.idOf(head) === id ? head : undefined;
}

/** Appends a record to the memory's `out`. Requires: the head of a record about a module. */
export function writeRecord({ generation, memory }: Memory, head: number): void {
  const { out } = memory;
  memory.cacheOf('govulndb').write(out, head, () => out.text(recordJson(generation, memory, head, FORM)));
}

/** The same, compressed. Requires: `out` is empty. */
export function writeCompressed(context: Memory, head: number): void {
  const { out } = context.memory;
  context.memory.cacheOf('govulndb-gz').write(out, head, () => {
    writeRecord(context, head);
    const bytes = gzipSync(out.view());
    out.truncate(0);
    out.copy(bytes, 0, bytes.length);
  });
}
