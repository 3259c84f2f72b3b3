// GET /changes: what differs between a platform's list in a snapshot that the client has and in the one that
// answers, by descending id. Which ids differ from one kept generation to the next was computed when it went
// live; what became of each is read from the two generations, so a step over several generations needs no
// list of its own.

import type { HandlerContext, KeptGeneration } from '../../http/context.ts';
import { idComplaint, idsOf, unknownSnapshot } from '../../http/pinning.ts';
import { RETRY_SOON } from '../../http/readiness.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import { type ParameterError, serviceProblem } from '../../http/replies/problems.ts';
import { type Answer, json, refuse } from '../../http/replies/responses.ts';
import type { KeptRequest, PathParts } from '../../http/routing/dialect.ts';
import { readParameters } from '../../http/routing/query.ts';
import type { Steps } from '../../http/work/steps.ts';
import type { Generation } from '../../index/generation.ts';
import { partitionPoint } from '../../index/lookup/search.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { PLATFORMS, type Platform } from '../../index/product-type.ts';
import { etags } from '../etags.ts';
import { refuseParameters } from '../request-problems.ts';
import { readInclude } from './include.ts';
import { writeListedItems } from './list-answer.ts';
import { BAD_CURSOR, cursorBlock, readCursor, readPerPage, readPlatform } from './page-parameters.ts';

const KNOWN = ['since', 'platform', 'per_page', 'cursor', 'include'] as const;
const WALK_AGAIN = 'copy the list again: begin /all with an empty cursor';
/**
 * Ids looked at for one page. Over several steps an id may turn out to be in neither list, because it was
 * added and removed in between; without a limit, a page could look at all of them.
 */
const MOST_CANDIDATES = 2_000;

interface ChangesRequest {
  readonly since: string;
  readonly platform: Platform;
  readonly perPage: number;
  /** Ids below this. */
  readonly below: number;
  readonly withDetails: boolean;
}

type Change = 'added' | 'changed' | 'withdrawn' | 'removed';

export function* handleChanges(
  { query, ifNoneMatch }: KeptRequest,
  _: PathParts,
  context: HandlerContext,
): Steps<Answer> {
  const errors: ParameterError[] = [];
  const asked = readChangesRequest(query, errors);
  if (asked === undefined) {
    const isOnlyCursor = errors.length === 1 && errors[0] === BAD_CURSOR;
    return refuseParameters(errors, isOnlyCursor ? 'invalid_cursor' : 'invalid_parameter');
  }
  const { generation, kept } = context;
  const { since } = asked;
  const to = kept.findIndex((each) => each.generation === generation);
  const from = kept.findIndex((each) => each.generation.id === since);
  if (from < 0) return unknownSnapshot(since, idsOf(kept), WALK_AGAIN);
  if (from < to) {
    return refuseParameters([
      { parameter: 'since', message: 'names a snapshot that came after the one in `snapshot`' },
    ]);
  }
  const lists = listsOf(kept.slice(to, from), asked.platform);
  if (lists === undefined) {
    const problem = serviceProblem('preparing', 'What changed is still being computed; try again soon.');
    return refuse(problem, [RETRY_SOON]);
  }
  const etag = etags.patchstack(generation);
  if (isCurrent(ifNoneMatch, etag)) return { kind: 'not-modified', etag };
  return json(yield* renderPage(context, kept[from].generation, lists, asked), etag);
}

/** The ids that differ at each step; undefined while a step's are not known. */
function listsOf(steps: readonly KeptGeneration[], platform: Platform): Float64Array[] | undefined {
  const place = PLATFORMS.indexOf(platform);
  const lists = steps.flatMap(({ changedIds }) => (changedIds === undefined ? [] : [changedIds[place]]));
  return lists.length === steps.length ? lists : undefined;
}

/** An id a step: the details of each may be in another block, which takes 2 ms to open. */
function* renderPage(
  { generation, memory }: HandlerContext,
  previous: Generation,
  lists: readonly Float64Array[],
  { since, platform, perPage, below, withDetails }: ChangesRequest,
): Steps<Uint8Array> {
  const { out } = memory;
  const ids = new MergedIds(lists, below);
  let count = 0;
  let last: number | undefined;
  out.restart();
  out.text(`{"since":"${since}","snapshot":"${generation.id}","changes":[`);
  for (let seen = 0; seen < MOST_CANDIDATES && count < perPage; seen++) {
    const id = ids.next();
    if (id === undefined) break;
    yield;
    last = id;
    const ordinal = findListed(generation, platform, id);
    const change = changeOf(previous, generation, platform, id, ordinal);
    if (change === undefined) continue;
    if (count++ > 0) out.text(',');
    writeChange(memory, generation, { id, change, ordinal }, withDetails);
  }
  out.text(`],"cursor":${cursorBlock(ids.isAtEnd ? undefined : last, perPage)}}`);
  return out.view();
}

function writeChange(
  memory: ThreadMemory,
  generation: Generation,
  {
    id,
    change,
    ordinal,
  }: { readonly id: number; readonly change: Change; readonly ordinal: number | undefined },
  withDetails: boolean,
): void {
  const { out } = memory;
  out.text(`{"id":${id},"change":"${change}"`);
  if (ordinal !== undefined) {
    out.text(',"vulnerability":');
    writeListedItems(memory, generation, { start: ordinal, end: ordinal + 1 }, withDetails);
  }
  out.text('}');
}

/** What became of an id on a platform's list; undefined if it is on neither list. */
function changeOf(
  previous: Generation,
  next: Generation,
  platform: Platform,
  id: number,
  ordinal: number | undefined,
): Change | undefined {
  const wasListed = findListed(previous, platform, id) !== undefined;
  if (ordinal !== undefined) return wasListed ? 'changed' : 'added';
  if (!wasListed) return undefined;
  const elsewhere = next.findId(id);
  return elsewhere !== undefined && elsewhere >= next.publishedCount ? 'withdrawn' : 'removed';
}

/** The ordinal of an id on a platform's list. */
function findListed(generation: Generation, platform: Platform, id: number): number | undefined {
  const ordinal = generation.findId(id);
  const { start, end } = generation.published(platform);
  return ordinal !== undefined && ordinal >= start && ordinal < end ? ordinal : undefined;
}

/** The ids of several lists, each once, descending. Requires: each list descends. */
class MergedIds {
  readonly #lists: readonly Float64Array[];
  readonly #at: number[];

  /** Begins with the ids below that one. */
  constructor(lists: readonly Float64Array[], below: number) {
    this.#lists = lists;
    this.#at = lists.map((ids) => partitionPoint(0, ids.length, (i) => ids[i] < below));
  }

  get isAtEnd(): boolean {
    return this.#lists.every((ids, i) => this.#at[i] === ids.length);
  }

  next(): number | undefined {
    let highest = Number.NEGATIVE_INFINITY;
    this.#lists.forEach((ids, i) => {
      if (this.#at[i] < ids.length) highest = Math.max(highest, ids[this.#at[i]]);
    });
    this.#lists.forEach((ids, i) => {
      if (ids[this.#at[i]] === highest) this.#at[i]++;
    });
    return highest === Number.NEGATIVE_INFINITY ? undefined : highest;
  }
}

function readChangesRequest(query: string, errors: ParameterError[]): ChangesRequest | undefined {
  const [since, platformText, perPageText, token, include] = readParameters(query, KNOWN, errors);
  const isRefused = errors.some(({ parameter }) => parameter === 'since');
  if (since === undefined) {
    if (!isRefused) errors.push({ parameter: 'since', message: 'must be given: the id of a snapshot' });
  } else {
    const message = idComplaint(since);
    if (message !== undefined) errors.push({ parameter: 'since', message });
  }
  const platform = readPlatform(platformText, errors);
  const perPage = readPerPage(perPageText, errors);
  const withDetails = readInclude(include, errors);
  const below = readCursor(token);
  if (below === undefined) errors.push(BAD_CURSOR);
  if (errors.length > 0 || since === undefined || platform === undefined || below === undefined)
    return undefined;
  return { since, platform, perPage, below, withDetails };
}
