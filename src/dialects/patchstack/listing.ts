// GET /all and GET /latest: a platform's advisories by descending id, paged by number or by cursor.

import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { type Answer, json, type Refusal, recurring } from '../../http/replies/responses.ts';
import type { ReadRoute } from '../../http/routing/dialect.ts';
import { keepValue, keptValue, type PathNote } from '../../http/routing/path-note.ts';
import { readParameters } from '../../http/routing/query.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Stretch } from '../../index/lookup/id-list.ts';
import { seekBelow } from '../../index/lookup/id-list.ts';
import { partitionPoint } from '../../index/lookup/search.ts';
import type { AnswerBuffer } from '../../index/memory/answer-buffer.ts';
import { PLATFORMS, type Platform } from '../../index/product-type.ts';
import { etags, windowEtag } from '../etags.ts';
import { refuseParameters } from '../request-problems.ts';
import { readInclude } from './include.ts';
import { joinListedItems, writeListed } from './list-answer.ts';
import {
  BAD_CURSOR,
  cursorBlock,
  DEFAULT_PER_PAGE,
  readCursor,
  readPerPage,
  readPlatform,
  wholeNumber,
} from './page-parameters.ts';

const KNOWN = ['platform', 'page', 'per_page', 'cursor', 'include'] as const;
/** A longer query is read each time, and takes no memory. */
const MAX_KEPT_CHARS = 256;
const BEFORE = Buffer.from('{"vulnerabilities":[');

type Position =
  | { readonly kind: 'page'; readonly page: number }
  /** Ids below this; Infinity starts at the newest. */
  | { readonly kind: 'cursor'; readonly below: number };

interface ListingRequest {
  readonly kind: 'listing';
  readonly platform: Platform;
  readonly perPage: number;
  readonly position: Position;
  readonly withDetails: boolean;
}

/** A list of advisories by descending id: how to find a place in it, and how to write a stretch of it. */
interface Listing {
  readonly etag: string;
  readonly total: number;
  idAt(index: number): number;
  /** First index whose id is below `id`. */
  seekBelow(id: number): number;
  /** The whole body: the items of the page, then `after`. */
  render(page: Stretch, withDetails: boolean, after: Uint8Array): Uint8Array;
}

type ListingOf = (context: HandlerContext, platform: Platform) => Listing;

export const handleAll = listingHandler(allListing);
export const handleLatest = listingHandler(latestListing);

function listingHandler(listingOf: ListingOf): ReadRoute['answer'] {
  return (request, _, context, note) => answerListing(request, context, note, listingOf);
}

function answerListing(
  request: RequestView,
  context: HandlerContext,
  note: PathNote | undefined,
  listingOf: ListingOf,
): Answer {
  const read = readKept(request.query, note, context.generation.id);
  if (read.kind === 'problem') return read;
  const { platform, perPage, position, withDetails } = read;
  const listing = listingOf(context, platform);
  if (isCurrent(request.header('if-none-match', listing.etag), listing.etag)) {
    return { kind: 'not-modified', etag: listing.etag };
  }
  const page = pageOf(listing, position, perPage);
  const after =
    position.kind === 'page'
      ? `],"pagination":${paginationBlock(listing.total, position.page, perPage, page)}}`
      : `],"cursor":${cursorBlock(lastIdOf(listing, page), perPage)}}`;
  return json(listing.render(page, withDetails, Buffer.from(after, 'latin1')), listing.etag);
}

/** A page whose items `write` appends. */
function assemble(out: AnswerBuffer, after: Uint8Array, write: () => void): Uint8Array {
  out.restart();
  out.piece(BEFORE);
  write();
  out.piece(after);
  return out.view();
}

function allListing({ generation, memory }: HandlerContext, platform: Platform): Listing {
  const run = generation.published(platform);
  return {
    etag: etags.patchstack(generation),
    total: run.end - run.start,
    idAt: (index) => generation.idAt(run.start + index),
    seekBelow: (id) => seekBelow(generation.parts.columns, run, id) - run.start,
    render: ({ start, end }, withDetails, after) => {
      const items = { start: run.start + start, end: run.start + end };
      return joinListedItems(memory, generation, BEFORE, items, after, withDetails);
    },
  };
}

function latestListing(context: HandlerContext, platform: Platform): Listing {
  const { generation, memory, nowMs, latestAnchor } = context;
  const anchorMs = latestAnchor === 'clock' ? nowMs : generation.newestCreatedMs();
  const { state, ordinals } = generation.latest(platform, anchorMs, memory.windows);
  return {
    etag: windowEtag(generation, state),
    total: ordinals.length,
    idAt: (index) => generation.idAt(ordinals[index]),
    seekBelow: (id) => partitionPoint(0, ordinals.length, (i) => generation.idAt(ordinals[i]) < id),
    render: ({ start, end }, withDetails, after) =>
      assemble(memory.out, after, () => writeListed(memory, generation, ordinals, start, end, withDetails)),
  };
}

function pageOf(listing: Listing, position: Position, perPage: number): Stretch {
  const start =
    position.kind === 'page'
      ? Math.min(listing.total, (position.page - 1) * perPage)
      : listing.seekBelow(position.below);
  return { start, end: Math.min(listing.total, start + perPage) };
}

/** A page past the end shows nothing and points back to the last page that exists. */
function paginationBlock(total: number, page: number, perPage: number, { start, end }: Stretch): string {
  const totalPages = Math.ceil(total / perPage);
  const previousPage = Math.min(page - 1, totalPages);
  const hasNext = page < totalPages;
  const hasPrevious = previousPage > 0;
  const isEmpty = end <= start;
  // Numbers and booleans need no escaping, so this is valid JSON.
  return (
    `{"current_page":${page},"per_page":${perPage},"total":${total},"total_pages":${totalPages}` +
    `,"has_next_page":${hasNext},"has_previous_page":${hasPrevious}` +
    `,"next_page":${hasNext ? page + 1 : null},"previous_page":${hasPrevious ? previousPage : null}` +
    `,"from":${isEmpty ? 0 : start + 1},"to":${isEmpty ? 0 : end}}`
  );
}

/** The last id of a page; undefined if it is the last page. */
function lastIdOf(listing: Listing, { end }: Stretch): number | undefined {
  return end < listing.total ? listing.idAt(end - 1) : undefined;
}

const DEFAULT_REQUEST: ListingRequest = {
  kind: 'listing',
  platform: PLATFORMS[0],
  perPage: DEFAULT_PER_PAGE,
  position: { kind: 'page', page: 1 },
  withDetails: false,
};

/** The last query of a path, and what it asks for or why it is refused. */
interface KeptQuery {
  readonly query: string;
  readonly read: ListingRequest | Refusal;
}

/** Whoever waits for news asks the same again, and a client that is refused often does. */
function readKept(query: string, note: PathNote | undefined, snapshotId: string): ListingRequest | Refusal {
  const kept = keptValue<KeptQuery>(note, snapshotId);
  if (kept?.query === query) return kept.read;
  const read = readListingRequest(query);
  if (note === undefined || query.length > MAX_KEPT_CHARS) return read;
  const again: KeptQuery = { query, read: read.kind === 'problem' ? recurring(read) : read };
  keepValue(note, snapshotId, again);
  return again.read;
}

function readListingRequest(query: string): ListingRequest | Refusal {
  if (query === '') return DEFAULT_REQUEST;
  const errors: ParameterError[] = [];
  const values = readParameters(query, KNOWN, errors);
  const [platformText, pageText, perPageText, token, include] = values;
  const refuse = (parameter: string, message: string): void => {
    errors.push({ parameter, message });
  };
  const platform = readPlatform(platformText, errors);
  const perPage = readPerPage(perPageText, errors);
  const page = wholeNumber(pageText, 1);
  if (!(page >= 1)) refuse('page', 'must be a whole number of at least 1');
  const withDetails = readInclude(include, errors);
  const below = readCursor(token);
  if (pageText !== undefined && token !== undefined) refuse('cursor', 'must not be given together with page');
  else if (below === undefined) errors.push(BAD_CURSOR);
  if (errors.length > 0 || below === undefined || platform === undefined) {
    // Sync clients branch on a bad cursor, so it has its own code if nothing else is wrong.
    const isOnlyCursor = errors.length === 1 && below === undefined && pageText === undefined;
    return refuseParameters(errors, isOnlyCursor ? 'invalid_cursor' : 'invalid_parameter');
  }
  const position: Position = token === undefined ? { kind: 'page', page } : { kind: 'cursor', below };
  return { kind: 'listing', platform, perPage, position, withDetails };
}
