// POST /v1/querybatch: up to 1,000 queries, answered in order with the ids of records and when they were last
// modified, or on request (`full=1`) with whole records. The answer is bounded: a query that found no more
// room gets a page token.

import type { HandlerContext } from '../../http/context.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import { readParameters } from '../../http/routing/query.ts';
import type { Steps } from '../../http/work/steps.ts';
import { writeInstant } from '../../index/items/instant.ts';
import type { AnswerCache } from '../../index/memory/answer-cache.ts';
import type { ByteWriter } from '../../index/memory/byte-writer.ts';
import { etags } from '../etags.ts';
import { hashOf, Matcher } from './matcher.ts';
import { Notes } from './notes.ts';
import { readPlainQueries } from './plain-queries.ts';
import { invalid, MESSAGES } from './problems.ts';
import { MAX_RECORDS, PAGE_BYTES } from './query.ts';
import { encodePageToken, FIRST_POSITION, parseBody, type Query, readQuery } from './read-query.ts';
import { writeRecord } from './record.ts';

export const MAX_QUERIES = 1000;
export const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** Ids of all queries together. Of whole records there are MAX_RECORDS, as in the answer to one query. */
const MAX_LISTED = 20_000;

/** Done without a pause, unless whole records are written. */
const QUERIES_AT_ONCE = 16;
const ENTRIES_AT_ONCE = 16;
/** Any result with records is worth keeping once it was asked for twice. */
const LEAST_KEPT_BYTES = 16;
/** Behind a result that is kept, one byte says how many records it lists. */
const MOST_KEPT = 255;
const listed = new Uint8Array(1);

const RESULTS = Buffer.from('{"results":[');
const NOTHING = Buffer.from('{}');
const COMMA = Buffer.from(',');
const VULNS = Buffer.from('{"vulns":[');
const ID = Buffer.from('{"id":');
const MODIFIED = Buffer.from(',"modified":"');
const END_ENTRY = Buffer.from('Z"}');
const END_LIST = Buffer.from(']}');

export function* handleQueryBatch(
  queryString: string,
  _: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const read = yield* readQueries(body);
  if (read.kind === 'bad') return invalid(read.message);
  const queries = read.list.map((value) => readQuery(value));
  for (const [index, query] of queries.entries()) {
    if (query.kind === 'bad') return invalid(`error in query at index ${index}: ${query.message}`);
  }
  const [full] = readParameters(queryString, ['full'], []);
  yield;
  const refusal = admit(queries.length);
  if (refusal !== undefined) return refusal;
  const notes = new Notes();
  const { generation } = context;
  const hashAt = (at: number): number => hashOf(generation, queries[at]);
  const { out } = context.memory;
  out.restart();
  const results = new Results(context, full === '1' || full === 'true');
  out.piece(RESULTS);
  for (const [i, query] of queries.entries()) {
    generation.readAhead(i, queries.length, hashAt);
    if (i > 0) out.piece(COMMA);
    const begun = results.begin(query, notes);
    if (begun === 'unreadable') return invalid(`error in query at index ${i}: ${MESSAGES.badVersion}`);
    if (begun) while (results.writeNext()) if (results.mayPause()) yield;
    if (i % QUERIES_AT_ONCE === 0) yield;
  }
  out.text(']}');
  notes.addSlugs(results.ambiguous);
  notes.addVersionParts(results.ignoredParts);
  for (const ecosystem of results.withoutData) notes.addEcosystem(ecosystem);
  return json(queries.length === 0 ? '{}' : out.view(), etags.osv(generation), notes.headers());
}

type ReadQueries =
  | { readonly kind: 'queries'; readonly list: readonly unknown[] }
  | { readonly kind: 'bad'; readonly message: string };

/** The queries of a body, each still to be read. */
function* readQueries(body: Uint8Array): Steps<ReadQueries> {
  let list: readonly unknown[] | undefined = yield* readPlainQueries(body, MAX_QUERIES);
  if (list === undefined) {
    const parsed = yield* parseBody(body);
    if (parsed.kind === 'bad') return parsed;
    list = queriesOf(parsed.value);
  }
  if (list === undefined) return { kind: 'bad', message: MESSAGES.badQuery };
  if (list.length > MAX_QUERIES) return { kind: 'bad', message: MESSAGES.tooManyQueries };
  return { kind: 'queries', list };
}

/** The list of queries: none if it is absent; undefined if the body has another shape. */
function queriesOf(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const queries: unknown = (value as { readonly queries?: unknown }).queries ?? [];
  return Array.isArray(queries) ? queries : undefined;
}

/** The results of the queries, one after the other: each is begun, then written record by record. */
class Results {
  readonly #context: HandlerContext;
  readonly #matcher: Matcher;
  readonly #isFull: boolean;
  #listed = 0;
  /** Results without whole records, by place. */
  readonly #cache: AnswerCache;
  // Of the query that was begun.
  #start = 0;
  #count = 0;
  /** Its number in the cache; undefined if it has none. */
  #number: number | undefined;
  /** The id of the record that was written last; at first, where the page begins. */
  #lastId = FIRST_POSITION;

  constructor(context: HandlerContext, isFull: boolean) {
    this.#context = context;
    this.#matcher = new Matcher(context);
    this.#isFull = isFull;
    this.#cache = context.memory.cacheOf('osv-batch', LEAST_KEPT_BYTES);
  }

  get ambiguous(): Iterable<string> {
    return this.#matcher.ambiguous;
  }

  get ignoredParts(): Iterable<string> {
    return this.#matcher.ignoredParts;
  }

  get withoutData(): Iterable<string> {
    return this.#matcher.withoutData;
  }

  /** False if the result is complete: it has no records. `unreadable` if nothing reads the version. */
  begin(query: Query, notes: Notes): boolean | 'unreadable' {
    const { out } = this.#context.memory;
    if (query.kind !== 'package') {
      if (query.kind !== 'bad') notes.addEcosystem(query.about);
      out.piece(NOTHING);
      return false;
    }
    if (this.#isSpent(out)) {
      out.text(`{"next_page_token":"${encodePageToken(query.position)}"}`);
      return false;
    }
    notes.addIgnored(query.ignored);
    this.#matcher.find(query);
    if (this.#matcher.isUnreadable) return 'unreadable';
    this.#count = 0;
    this.#lastId = query.position;
    this.#number = this.#numberToKeep();
    this.#start = out.length;
    return !this.#hasCopied(out);
  }

  /** Appends the next record. False if there is none: then the result is complete. */
  writeNext(): boolean {
    const { out } = this.#context.memory;
    const count = this.#count;
    if (!this.#matcher.next()) {
      out.piece(count === 0 ? NOTHING : END_LIST);
      this.#keep(out);
      return false;
    }
    const { head, id } = this.#matcher;
    if ((count >= MAX_RECORDS || this.#isSpent(out)) && id !== this.#lastId) {
      out.text(`${count === 0 ? '{' : '],'}"next_page_token":"${encodePageToken(this.#lastId)}"}`);
      return false;
    }
    out.piece(count === 0 ? VULNS : COMMA);
    this.#writeEntry(out, head);
    this.#count++;
    this.#listed++;
    this.#lastId = id;
    return true;
  }

  /** Of a result that was asked for before: of others, nothing is looked up or kept. */
  #numberToKeep(): number | undefined {
    const number = this.#isFull ? undefined : this.#matcher.number;
    return number !== undefined && this.#cache.meets(number) ? number : undefined;
  }

  /** Appends the result if it is kept and would not be cut. */
  #hasCopied(out: ByteWriter): boolean {
    if (this.#number === undefined || !this.#cache.copyTo(out, this.#number)) return false;
    const listedThen = this.#listed + out.popByte();
    if (listedThen > MAX_LISTED || out.length > PAGE_BYTES) {
      out.truncate(this.#start);
      this.#number = undefined;
      return false;
    }
    this.#listed = listedThen;
    return true;
  }

  #keep(out: ByteWriter): void {
    if (this.#number === undefined || this.#count === 0 || this.#count > MOST_KEPT) return;
    listed[0] = this.#count;
    out.piece(listed);
    this.#cache.keep(this.#number, out.view().subarray(this.#start));
    out.popByte();
  }

  /** Whether enough was written since the last pause. */
  mayPause(): boolean {
    return this.#isFull || this.#listed % ENTRIES_AT_ONCE === 0;
  }

  #isSpent(out: ByteWriter): boolean {
    return this.#listed >= (this.#isFull ? MAX_RECORDS : MAX_LISTED) || out.length > PAGE_BYTES;
  }

  #writeEntry(out: ByteWriter, head: number): void {
    if (this.#isFull) {
      writeRecord(this.#context, head);
      return;
    }
    const { records } = this.#matcher;
    out.piece(ID);
    records.writeId(out, head);
    out.piece(MODIFIED);
    writeInstant(out, records.modifiedOf(head));
    out.piece(END_ENTRY);
  }
}
