// Other ids of an advisory: its PSID, CVE ids and GHSA id.

import { FIRST_SHARED, type IndexColumns } from '../columns.ts';
import type { ByteWriter } from '../memory/byte-writer.ts';
import { compareBytes } from '../memory/bytes.ts';
import { partitionPoint } from './search.ts';

type AliasHolderColumns = Pick<IndexColumns, 'aliasAdvisory' | 'sharedAliasStart' | 'sharedAliasAdvisory'>;

const PSID_PATTERN = /^[0-9a-f]{12}$/i;
const HALF = 2 ** 24;
const NO_ADVISORIES = new Uint32Array(0);
const utf8 = new TextEncoder();
/** For the alias that is looked up, so that a look-up makes no buffer. */
const shortAlias = new Uint8Array(192);

/**
 * A PSID (12 hex digits, any case) as the number stored in the columns, or undefined when it is not a PSID.
 */
export function parsePsid(text: string): number | undefined {
  return PSID_PATTERN.test(text) ? Number.parseInt(text, 16) : undefined;
}

/** The public form of a stored PSID. */
export function formatPsid(psid: number): string {
  const high = Math.floor(psid / HALF);
  // In halves, which are small integers to V8: writing a number of 48 bits takes six times as long.
  return high.toString(16).padStart(6, '0') + (psid - high * HALF).toString(16).padStart(6, '0');
}

/** Appends what `formatPsid` returns, without making a text of it. */
export function writePsid(out: ByteWriter, psid: number): void {
  const high = Math.floor(psid / HALF);
  out.hex(high, 6);
  out.hex(psid - high * HALF, 6);
}

/** The form in which aliases are stored and compared: upper case, CVE ids without their prefix. */
export function normaliseAlias(text: string): string {
  const upper = text.toUpperCase();
  return upper.startsWith('CVE-') ? upper.slice(4) : upper;
}

export function findPsid(columns: IndexColumns, psid: number): number | undefined {
  const { advisoryPsid, psidOrder } = columns;
  const at = partitionPoint(0, psidOrder.length, (i) => advisoryPsid[psidOrder[i]] >= psid);
  return at < psidOrder.length && advisoryPsid[psidOrder[at]] === psid ? psidOrder[at] : undefined;
}

/** The ordinals of all advisories with this alias; empty when unknown. Requires: a normalised alias. */
export function findAlias(columns: IndexColumns, alias: string): Uint32Array {
  const { aliasStart, aliasText } = columns;
  const { read, written } = utf8.encodeInto(alias, shortAlias);
  const isShort = read === alias.length;
  const wanted = isShort ? shortAlias : utf8.encode(alias);
  const wantedLength = isShort ? written : wanted.length;
  const aliasCount = aliasStart.length - 1;
  const order = (i: number): number =>
    compareBytes(aliasText, aliasStart[i], aliasStart[i + 1], wanted, 0, wantedLength);
  const at = partitionPoint(0, aliasCount, (i) => order(i) >= 0);
  return at === aliasCount || order(at) !== 0 ? NO_ADVISORIES : advisoriesOfAlias(columns, at);
}

/** The ordinals of all advisories with the alias of a row, ascending. */
export function advisoriesOfAlias(
  { aliasAdvisory, sharedAliasStart, sharedAliasAdvisory }: AliasHolderColumns,
  row: number,
): Uint32Array {
  const shared = aliasAdvisory[row] - FIRST_SHARED;
  return shared < 0
    ? aliasAdvisory.subarray(row, row + 1)
    : sharedAliasAdvisory.subarray(sharedAliasStart[shared], sharedAliasStart[shared + 1]);
}

/** The rows of all aliases that begin with these letters. Requires: normalised letters. */
export function aliasesFrom(
  { aliasStart, aliasText }: IndexColumns,
  letters: string,
): { readonly start: number; readonly end: number } {
  const wanted = utf8.encode(letters);
  const aliasCount = aliasStart.length - 1;
  const order = (i: number): number => {
    const end = Math.min(aliasStart[i] + wanted.length, aliasStart[i + 1]);
    return compareBytes(aliasText, aliasStart[i], end, wanted, 0, wanted.length);
  };
  const start = partitionPoint(0, aliasCount, (i) => order(i) >= 0);
  return { start, end: partitionPoint(start, aliasCount, (i) => order(i) > 0) };
}
