// How spans appear in an answer: the comparison expression of `affected`, and which fix is the lowest or
// highest.

import { type IndexColumns, NONE } from '../columns.ts';
import { holdsUpperBound, upperBoundOf } from '../lookup/interval.ts';
import { ByteWriter, type TextPool } from '../memory/byte-writer.ts';
import { endOfSpans, firstSpan, type SpanListColumns } from '../span-list.ts';
import { MAX_VERSION_BYTES } from '../versions/version-key.ts';

type SpanColumns = SpanListColumns & Pick<IndexColumns, 'spanFrom' | 'spanTo' | 'spanToBound'>;

const utf8 = new TextEncoder();
// U+FEFF may begin a version like any character.
const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const ANY = utf8.encode('*');
const OR = utf8.encode(' || ');
const BLANK = utf8.encode(' ');
const AT_LEAST = utf8.encode('>= ');
const AT_MOST = utf8.encode('<= ');
const BELOW = utf8.encode('< ');
const DESCRIBED_BYTES = 2 * MAX_VERSION_BYTES + 16; // two versions, and what is around them

/**
 * Writes the expression for all spans of an advisory, joined with ` || `. `versions` holds the texts as they
 * should appear; under semver each span is a valid node-semver comparator set.
 */
export function writeAffected(
  out: ByteWriter,
  columns: SpanColumns,
  advisory: number,
  versions: TextPool,
): void {
  const first = firstSpan(columns, advisory);
  const end = endOfSpans(columns, advisory);
  for (let span = first; span < end; span++) {
    if (span > first) out.piece(OR);
    writeSpan(out, columns, span, versions);
  }
}

/** `*`, `<= b`, `< b`, `>= a`, `>= a <= b`, `>= a < b`, or just `a` when both ends are the same. */
function writeSpan(
  out: ByteWriter,
  { spanFrom, spanTo, spanToBound }: Omit<SpanColumns, keyof SpanListColumns>,
  span: number,
  versions: TextPool,
): void {
  const from = spanFrom[span];
  const to = spanTo[span];
  const holdsTo = holdsUpperBound(upperBoundOf(spanToBound[span]));
  if (from === NONE && to === NONE) {
    out.piece(ANY);
  } else if (from === to && holdsTo) {
    out.pooled(versions, from);
  } else {
    if (from !== NONE) {
      out.piece(AT_LEAST);
      out.pooled(versions, from);
      if (to !== NONE) out.piece(BLANK);
    }
    if (to !== NONE) {
      out.piece(holdsTo ? AT_MOST : BELOW);
      out.pooled(versions, to);
    }
  }
}

/** One span in the same notation, with its versions as published. */
export function describeSpan(columns: IndexColumns, span: number): string {
  const out = new ByteWriter((size) => new Uint8Array(size), DESCRIBED_BYTES, DESCRIBED_BYTES);
  writeSpan(out, columns, span, { bytes: columns.versionText, starts: columns.versionTextStart });
  return fromUtf8.decode(out.view());
}

/**
 * The lowest and highest fix of an advisory as version rows, or NONE. Rows ascend by key within a scheme, so
 * comparing rows compares versions. A fix that is not a version of its scheme has an empty key and sorts
 * first; it counts as the lowest only when there is no other fix.
 */
export function fixRange(
  columns: SpanListColumns & Pick<IndexColumns, 'spanFixedIn' | 'versionKeyStart'>,
  advisory: number,
): { lowest: number; highest: number } {
  const { spanFixedIn, versionKeyStart } = columns;
  const end = endOfSpans(columns, advisory);
  let lowest = NONE;
  let highest = NONE;
  for (let span = firstSpan(columns, advisory); span < end; span++) {
    const fix = spanFixedIn[span];
    if (fix === NONE) continue;
    if (highest === NONE || fix > highest) highest = fix;
    const isVersion = versionKeyStart[fix + 1] > versionKeyStart[fix];
    const lowestIsVersion = lowest !== NONE && versionKeyStart[lowest + 1] > versionKeyStart[lowest];
    if (lowest === NONE || (isVersion && (!lowestIsVersion || fix < lowest))) lowest = fix;
  }
  return { lowest, highest };
}
