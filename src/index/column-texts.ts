// The texts that columns hold, one after another as UTF-8: text i is bytes[starts[i]..starts[i + 1]).

import type { IndexColumns } from './columns.ts';
import { compareBytes } from './memory/bytes.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true }); // U+FEFF may begin a text like any character

export function textAt(bytes: Uint8Array, starts: Uint32Array, i: number): string {
  return utf8.decode(bytes.slice(starts[i], starts[i + 1])); // copied: the decoder takes no shared memory
}

/** The text of a version row, as in the feed. */
export function versionText({ versionText, versionTextStart }: IndexColumns, row: number): string {
  return textAt(versionText, versionTextStart, row);
}

/** Whether text i of one pool is text j of another. */
export function isEqualText(
  bytes: Uint8Array,
  starts: Uint32Array,
  i: number,
  otherBytes: Uint8Array,
  otherStarts: Uint32Array,
  j: number,
): boolean {
  return compareBytes(bytes, starts[i], starts[i + 1], otherBytes, otherStarts[j], otherStarts[j + 1]) === 0;
}
