// The list item of every listing and lookup, as prepared JSON. An item is laid out so that one copy serves all
// its forms:
//
//     {"id":…, … ,"version_info":{"affected":…,"patched_ranges":…,"fixed":  "1.2.3"}}  ,
//     ^ itemStart                                                   itemTail ^          ^ itemStart of the next
//
// Consecutive items are consecutive ordinals, so a default page of /all is one stretch of bytes from itemStart
// to the comma before the next page. Every other form copies the part before itemTail and writes its own tail:
// another fix, the matched range, the details. docs/decisions/0002.

import { completeSemver, fixRange, formatAffected } from './affected-range.ts';
import { type IndexColumns, isExploited, NONE, patchPriority } from './columns.ts';
import { formatInstant } from './instant.ts';
import { numberOrNull, quote } from './json-text.ts';
import { PRODUCT_TYPES } from './product-type.ts';
import { VERSION_SCHEMES } from './version-key.ts';

/** What a listing shows of an advisory and no column holds: a row of the snapshot's texts section. */
export type ListedText = readonly [
  title: string,
  url: string,
  /** The first CVE without its prefix, or ''. */
  cve: string,
  ghsa: string,
  references: readonly string[],
];

/** Prepared bytes in shared memory, for all ordinals of a generation. */
export interface ListItems {
  readonly bytes: Uint8Array;
  /** Where each item begins; one more entry ends the last. The byte before the next start is a comma. */
  readonly itemStart: Uint32Array;
  /** Where the value of `fixed` begins in each item. */
  readonly itemTail: Uint32Array;
  /** The version of each advisory's lowest fix, or NONE. */
  readonly lowestFix: Uint32Array;
  /** Version texts as JSON string contents, without quotes. */
  readonly versionJson: Uint8Array;
  readonly versionJsonStart: Uint32Array;
}

export type LabelTerm = readonly [productId: number, name: string, premiumName: string | null];
export type CvssTerm = readonly [score: number | null, vector: string | null];
export type WeaknessTerm = readonly [id: number | null, name: string | null];

const NPM = PRODUCT_TYPES.indexOf('npm');
const NPM_TITLE_PREFIX = 'NPM: ';
const SEMVER = VERSION_SCHEMES.indexOf('semver');
const MAX_BYTES = 2 ** 32 - 1; // itemStart holds 32 bits
const BYTES_PER_UNIT = 3; // most UTF-8 bytes for one UTF-16 unit

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

/** Writes the items of a generation in order of ordinal. Everything it keeps on the way is garbage afterwards. */
export class ListItemWriter {
  readonly #columns: IndexColumns;
  readonly #termAt: (term: number) => unknown;
  #bytes: Uint8Array;
  #length = 0;
  #ordinal = 0;
  readonly #itemStart: Uint32Array;
  readonly #itemTail: Uint32Array;
  readonly #lowestFix: Uint32Array;
  /** Version texts as JSON contents, and as they read inside `affected`. */
  readonly #versionJson: string[];
  readonly #versionRange: string[];
  /** JSON of interned values by term; a product's label is remembered with the product it was written for. */
  readonly #vulnTypes: string[] = [];
  readonly #cvss: string[] = [];
  readonly #cwes: string[] = [];
  readonly #capecs: string[] = [];
  readonly #labels: string[] = [];
  readonly #labelOf: number[] = [];

  /** `expectedBytes` is a guess of the total; memory that is never written costs no memory. */
  constructor(columns: IndexColumns, termAt: (term: number) => unknown, expectedBytes: number) {
    const count = columns.advisoryId.length;
    this.#columns = columns;
    this.#termAt = termAt;
    this.#bytes = new Uint8Array(new SharedArrayBuffer(Math.min(MAX_BYTES, Math.max(4096, expectedBytes))));
    this.#itemStart = sharedU32(count + 1);
    this.#itemTail = sharedU32(count);
    this.#lowestFix = sharedU32(count);
    const texts = decodeTexts(columns.versionText, columns.versionTextStart);
    this.#versionJson = texts.map((text) => quote(text).slice(1, -1));
    const { versionSchemeStart } = columns;
    this.#versionRange = texts.map((text, version) => {
      const isSemver = version >= versionSchemeStart[SEMVER] && version < versionSchemeStart[SEMVER + 1];
      return quote(isSemver ? completeSemver(text) : text).slice(1, -1);
    });
  }

  /** Writes the item of the next ordinal. Throws RangeError when all items together pass 4 GiB. */
  add(text: ListedText): void {
    const ordinal = this.#ordinal++;
    const { lowest, highest } = fixRange(this.#columns, ordinal);
    this.#lowestFix[ordinal] = lowest;
    const head = this.#head(ordinal, text);
    const item = `${head}"${highest === NONE ? '' : this.#versionJson[highest]}"}},`;
    const start = this.#length;
    this.#reserve(item.length * BYTES_PER_UNIT);
    const written = utf8.encodeInto(item, this.#bytes.subarray(start)).written;
    this.#length = start + written;
    this.#itemTail[ordinal] = start + (written === item.length ? head.length : utf8.encode(head).length);
    this.#itemStart[ordinal + 1] = this.#length;
  }

  finish(): ListItems {
    const versionJson = this.#versionJson.map((text) => utf8.encode(text));
    const versionJsonStart = sharedU32(versionJson.length + 1);
    versionJson.forEach((bytes, i) => {
      versionJsonStart[i + 1] = versionJsonStart[i] + bytes.length;
    });
    const versionBytes = new Uint8Array(new SharedArrayBuffer(versionJsonStart[versionJson.length]));
    versionJson.forEach((bytes, i) => {
      versionBytes.set(bytes, versionJsonStart[i]);
    });
    return {
      bytes: this.#bytes.subarray(0, this.#length),
      itemStart: this.#itemStart,
      itemTail: this.#itemTail,
      lowestFix: this.#lowestFix,
      versionJson: versionBytes,
      versionJsonStart,
    };
  }

  /** Everything before the value of `fixed`. */
  #head(ordinal: number, [title, url, cve, ghsa, references]: ListedText): string {
    const columns = this.#columns;
    const product = columns.advisoryProduct[ordinal];
    const flags = columns.advisoryFlags[ordinal];
    const isNpm = columns.productType[product] === NPM;
    const servedTitle = isNpm && !title.startsWith(NPM_TITLE_PREFIX) ? NPM_TITLE_PREFIX + title : title;
    return (
      `{"id":${columns.advisoryId[ordinal]},"title":${quote(servedTitle)}` +
      `,"disclosed_at":"${formatInstant(columns.advisoryDisclosedAt[ordinal])}"` +
      `,"created_at":"${formatInstant(columns.advisoryCreatedAt[ordinal])}","url":${quote(url)}` +
      `,"vuln_type":${this.#vulnType(columns.advisoryVulnType[ordinal])},"cve":${quote(cve)}` +
      `,"is_exploited":${isExploited(flags)},"patch_priority":${patchPriority(flags)}` +
      `,"product":${this.#label(columns.advisoryLabel[ordinal], product)}` +
      `,"cvss":${this.#cvssOf(columns.advisoryCvss[ordinal])}` +
      `,"cwe":${this.#weakness(this.#cwes, columns.advisoryCwe[ordinal])}` +
      `,"capec":${this.#weakness(this.#capecs, columns.advisoryCapec[ordinal])}` +
      `,"references":${quoteAll(references)},"ghsa":${quote(ghsa)}` +
      `,"version_info":{"affected":"${formatAffected(columns, ordinal, (version) => this.#versionRange[version])}"` +
      `,"patched_ranges":${this.#patchedRanges(ordinal)},"fixed":`
    );
  }

  /** With two or more spans that have a fix, those spans; otherwise none. */
  #patchedRanges(ordinal: number): string {
    const { advisorySpanStart, spanFrom, spanTo, spanFixedIn } = this.#columns;
    const first = advisorySpanStart[ordinal];
    const last = advisorySpanStart[ordinal + 1];
    if (last - first < 2) return '[]';
    const textOf = (version: number): string => (version === NONE ? '' : this.#versionJson[version]);
    const ranges: string[] = [];
    for (let span = first; span < last; span++) {
      if (spanFixedIn[span] === NONE) continue;
      ranges.push(
        `{"from_version":"${textOf(spanFrom[span])}","to_version":"${textOf(spanTo[span])}"` +
          `,"fixed_in":"${textOf(spanFixedIn[span])}"}`,
      );
    }
    return ranges.length < 2 ? '[]' : `[${ranges.join(',')}]`;
  }

  #vulnType(term: number): string {
    this.#vulnTypes[term] ??= quote(this.#termAt(term) as string);
    return this.#vulnTypes[term];
  }

  #cvssOf(term: number): string {
    const known = this.#cvss[term];
    if (known !== undefined) return known;
    const [score, vector] = this.#termAt(term) as CvssTerm;
    this.#cvss[term] =
      `{"score":${numberOrNull(score)},"vector":${vector === null ? 'null' : quote(vector)}}`;
    return this.#cvss[term];
  }

  #weakness(known: string[], term: number): string {
    if (known[term] === undefined) {
      const [id, name] = this.#termAt(term) as WeaknessTerm;
      known[term] = `{"id":${numberOrNull(id)},"name":${name === null ? 'null' : quote(name)}}`;
    }
    return known[term];
  }

  #label(term: number, product: number): string {
    if (this.#labelOf[product] !== term) {
      const [id, name] = this.#termAt(term) as LabelTerm;
      const { productSlug, productSlugStart } = this.#columns;
      const slug = fromUtf8.decode(
        productSlug.subarray(productSlugStart[product], productSlugStart[product + 1]),
      );
      this.#labels[product] = `{"id":${id},"name":${quote(name)},"slug":${quote(slug)}}`;
      this.#labelOf[product] = term;
    }
    return this.#labels[product];
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    if (this.#length + bytes > MAX_BYTES) {
      throw new RangeError('the prepared list items of one generation pass 4 GiB');
    }
    const size = Math.min(MAX_BYTES, Math.max(this.#length + bytes, this.#bytes.length * 2));
    const grown = new Uint8Array(new SharedArrayBuffer(size));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

function sharedU32(length: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

function quoteAll(texts: readonly string[]): string {
  if (texts.length === 0) return '[]';
  let json = `[${quote(texts[0])}`;
  for (let i = 1; i < texts.length; i++) json += `,${quote(texts[i])}`;
  return `${json}]`;
}

/** All texts of a pool as strings. */
function decodeTexts(pool: Uint8Array, starts: Uint32Array): string[] {
  const texts: string[] = [];
  for (let i = 0; i + 1 < starts.length; i++)
    texts.push(fromUtf8.decode(pool.subarray(starts[i], starts[i + 1])));
  return texts;
}
