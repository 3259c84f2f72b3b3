// Replies as values: what a handler returns and a transport writes. The dialect formats errors; their
// headers, and bodies that are rendered only once, are here.

import type { RequestId } from '../request-id.ts';
import { type PreparedFile, sentOf } from './prepared-files.ts';
import { ANY_REQUEST_ID, ProblemBytes } from './problem-bytes.ts';
import type { Problem, RenderError } from './problems.ts';
import {
  NO_HEADERS,
  NO_OWN_HEADERS,
  NO_SNIFF,
  type OwnHeaders,
  type ReplyHeader,
  SharedHeaders,
  type Status,
} from './reply-headers.ts';
import { headersOf, type StaticFile, type Variant } from './static-files.ts';

/**
 * A reply. Its body may be a view of a buffer that the next reply overwrites, so before the next request is
 * handled it is sent, and what could not be sent is copied, unless the body is immutable.
 */
export interface Reply {
  readonly about: RequestFacts;
  readonly status: Status;
  readonly headers: SharedHeaders;
  /** Headers of this reply alone, after the shared ones. */
  readonly ownHeaders: OwnHeaders;
  readonly body: string | Uint8Array;
  /**
   * Whether the body's bytes never change and may be kept as they are for as long as it takes to send them.
   */
  readonly isImmutable?: boolean;
}

/** Facts about a request, for its reply and for the logs. */
export interface RequestFacts {
  /** The X-Request-Id that was sent, else the one made for its problem, else ''. */
  readonly id: RequestId;
  /** Its label in metrics and logs. */
  readonly label: string;
  /** The id of the accepted key, or `anonymous` for a caller that needs none. */
  readonly keyId: string | undefined;
  /** The valid one that was sent; only where there is an access log. */
  readonly traceparent?: string;
}

/** A handler's answer: data, a 304, a file, or a problem. */
export type Answer =
  | {
      readonly kind: 'json';
      readonly body: string | Uint8Array;
      readonly etag: string | null;
      /** What the body cannot say. */
      readonly headers?: readonly ReplyHeader[];
    }
  /** Data in another format than JSON. */
  | {
      readonly kind: 'text';
      readonly contentType: string;
      readonly body: string | Uint8Array;
      readonly etag: string | null;
      readonly headers?: readonly ReplyHeader[];
    }
  /** 202: JSON about what will be done. */
  | { readonly kind: 'accepted'; readonly body: string }
  | { readonly kind: 'not-modified'; readonly etag: string }
  /** 307: the client repeats its request there. */
  | { readonly kind: 'redirect'; readonly location: string }
  /**
   * A file prepared from the data, or with `isCurrent` a 304; in the coding gzip if the client accepts it.
   */
  | {
      readonly kind: 'prepared';
      readonly file: PreparedFile;
      readonly isCurrent: boolean;
      readonly acceptsGzip: boolean;
    }
  /** A file, or with `isCurrent` a 304. */
  | {
      readonly kind: 'file';
      readonly file: StaticFile;
      readonly variant: Variant;
      readonly isCurrent: boolean;
    }
  | {
      readonly kind: 'problem';
      readonly problem: Problem;
      readonly headers: readonly ReplyHeader[];
      /**
       * For a problem that never varies: its rendered form, around the request's id; `later` until it is
       * sent.
       */
      prepared?: PreparedProblem | 'later';
    };

export type Refusal = Extract<Answer, { readonly kind: 'problem' }>;
interface PreparedProblem {
  readonly status: Status;
  readonly shared: SharedHeaders;
  readonly body: ProblemBytes;
}

const JSON_TYPE: ReplyHeader = ['Content-Type', 'application/json'];
const NO_STORE: ReplyHeader = ['Cache-Control', 'no-store'];
const NO_CACHE: ReplyHeader = ['Cache-Control', 'no-cache'];
const REVALIDATE: ReplyHeader = ['Cache-Control', 'private, no-cache'];

/**
 * Each mounted dialect has a tag or two for the live snapshot, answers without a tag share a place, and the
 * one before is asked for after a swap.
 */
const KEPT_TAGS = 10;

/** The name of the header that says which snapshot an answer is from. */
const SNAPSHOT_HEADER = 'Vulndex-Snapshot';

/** Headers with each of the last tags and snapshots that were asked for. */
class TaggedHeaders {
  readonly #untagged: SharedHeaders;
  readonly #tags = new Array<string | null>(KEPT_TAGS).fill('');
  readonly #snapshots = new Array<string | undefined>(KEPT_TAGS).fill(undefined);
  readonly #tagged: SharedHeaders[];
  #next = 0;

  constructor(fields: readonly ReplyHeader[]) {
    this.#untagged = new SharedHeaders(fields);
    this.#tagged = new Array<SharedHeaders>(KEPT_TAGS).fill(this.#untagged);
  }

  with(etag: string | null, snapshot: string | undefined): SharedHeaders {
    if (etag === null && snapshot === undefined) return this.#untagged;
    for (let i = 0; i < KEPT_TAGS; i++) {
      if (this.#tags[i] === etag && this.#snapshots[i] === snapshot) return this.#tagged[i];
    }
    const added = new SharedHeaders([...this.#untagged.fields, ...tagOf(etag), ...snapshotOf(snapshot)]);
    this.#tags[this.#next] = etag;
    this.#snapshots[this.#next] = snapshot;
    this.#tagged[this.#next] = added;
    this.#next = (this.#next + 1) % KEPT_TAGS;
    return added;
  }
}

function tagOf(etag: string | null): readonly ReplyHeader[] {
  return etag === null ? [] : [['ETag', etag]];
}

function snapshotOf(snapshot: string | undefined): readonly ReplyHeader[] {
  return snapshot === undefined ? [] : [[SNAPSHOT_HEADER, snapshot]];
}

const dataHeaders = new TaggedHeaders([JSON_TYPE, REVALIDATE]);
const unchangedHeaders = new TaggedHeaders([REVALIDATE]);

export function json(
  body: string | Uint8Array,
  etag: string | null,
  headers: readonly ReplyHeader[] = NO_HEADERS,
): Answer {
  return { kind: 'json', body, etag, headers };
}

export function redirect(location: string): Answer {
  return { kind: 'redirect', location };
}

export function refuse(problem: Problem, headers: readonly ReplyHeader[] = NO_HEADERS): Refusal {
  return { kind: 'problem', problem, headers };
}

/** A refusal that is rendered only once, because anyone can cause it as often as they like. */
export function prepareRefusal(
  problem: Problem,
  headers: readonly ReplyHeader[],
  renderError: RenderError,
): Refusal {
  return { kind: 'problem', problem, headers, prepared: prepare(problem, headers, renderError) };
}

/** A refusal that one dialect will send again; it is rendered once. */
export function recurring({ problem, headers }: Refusal): Refusal {
  return { kind: 'problem', problem, headers, prepared: 'later' };
}

function prepare(
  problem: Problem,
  headers: readonly ReplyHeader[],
  renderError: RenderError,
): PreparedProblem {
  const { status, contentType, body } = renderError(problem, ANY_REQUEST_ID);
  return { status, shared: errorHeaders(status, contentType, headers), body: new ProblemBytes(body) };
}

/** Of errors without headers of their own, the last by status: a transport prepares them for that status. */
const plainErrorHeaders = new Map<Status, { readonly contentType: string; readonly shared: SharedHeaders }>();

function errorHeaders(status: Status, contentType: string, headers: readonly ReplyHeader[]): SharedHeaders {
  const known = headers.length === 0 ? plainErrorHeaders.get(status) : undefined;
  if (known?.contentType === contentType) return known.shared;
  const shared = new SharedHeaders([['Content-Type', contentType], NO_STORE, ...headers]);
  if (headers.length === 0) plainErrorHeaders.set(status, { contentType, shared });
  return shared;
}

/** An answer with its status and headers; `snapshot` is the id of the snapshot that it is from. */
export function toReply(
  answer: Answer,
  about: RequestFacts,
  makeRequestId: () => RequestId,
  limitHeaders: OwnHeaders,
  renderError: RenderError,
  snapshot?: string,
): Reply {
  switch (answer.kind) {
    case 'json':
      return {
        about,
        status: 200,
        headers: dataHeaders.with(answer.etag, snapshot),
        ownHeaders: ownHeaders(about.id, limitHeaders, answer.headers),
        body: answer.body,
      };
    case 'text': {
      const tag = [...tagOf(answer.etag), ...snapshotOf(snapshot)];
      return {
        about,
        status: 200,
        headers: new SharedHeaders([['Content-Type', answer.contentType], NO_SNIFF, REVALIDATE, ...tag]),
        ownHeaders: ownHeaders(about.id, limitHeaders, answer.headers),
        body: answer.body,
      };
    }
    case 'accepted':
      return {
        about,
        status: 202,
        headers: new SharedHeaders([JSON_TYPE, NO_STORE]),
        ownHeaders: ownHeaders(about.id, limitHeaders),
        body: answer.body,
      };
    case 'not-modified':
      return {
        about,
        status: 304,
        headers: unchangedHeaders.with(answer.etag, snapshot),
        ownHeaders: ownHeaders(about.id, limitHeaders),
        body: '',
      };
    case 'file':
      return fileReply(answer, about);
    case 'redirect':
      return {
        about,
        status: 307,
        headers: new SharedHeaders([['Location', answer.location], NO_CACHE]),
        ownHeaders: ownHeaders(about.id, limitHeaders),
        body: '',
      };
    case 'prepared':
      return preparedReply(answer, about, limitHeaders, snapshot);
    case 'problem': {
      const { problem, headers } = answer;
      if (answer.prepared === 'later') answer.prepared = prepare(problem, headers, renderError);
      const { prepared } = answer;
      const id = about.id === '' ? makeRequestId() : about.id;
      const named = about.id === '' ? { id, label: about.label, keyId: about.keyId } : about;
      if (prepared !== undefined) {
        const { status, shared, body } = prepared;
        return {
          about: named,
          status,
          headers: shared,
          ownHeaders: ownHeaders(id, limitHeaders),
          body: body.with(id),
        };
      }
      const { status, contentType, body } = renderError(problem, String(id));
      return {
        about: named,
        status,
        headers: errorHeaders(status, contentType, headers),
        ownHeaders: ownHeaders(id, limitHeaders),
        body,
      };
    }
  }
}

/** Made for this request alone. */
export interface TextAnswer {
  readonly kind: 'text';
  readonly contentType: string;
  readonly body: string;
}

/** A reply outside the keyed endpoints: `no-cache`, and no limit headers. */
export function textReply({ contentType, body }: TextAnswer, about: RequestFacts): Reply {
  return {
    about,
    status: 200,
    headers: new SharedHeaders([
      ['Content-Type', contentType],
      ['Cache-Control', 'no-cache'],
    ]),
    ownHeaders: ownHeaders(about.id, NO_OWN_HEADERS),
    body,
  };
}

function fileReply(
  { file, variant, isCurrent }: Extract<Answer, { kind: 'file' }>,
  about: RequestFacts,
): Reply {
  return {
    about,
    status: isCurrent ? 304 : 200,
    headers: new SharedHeaders(headersOf(file, variant, isCurrent)),
    ownHeaders: ownHeaders(about.id, NO_OWN_HEADERS),
    body: isCurrent ? '' : variant.bytes,
    isImmutable: true,
  };
}

function preparedReply(
  { file, isCurrent, acceptsGzip }: Extract<Answer, { kind: 'prepared' }>,
  about: RequestFacts,
  limitHeaders: OwnHeaders,
  snapshot: string | undefined,
): Reply {
  const { contentType, gzip } = file;
  const { bytes: body, etag, headers } = sentOf(file, acceptsGzip);
  const varies: readonly ReplyHeader[] = gzip === undefined ? [] : [['Vary', 'Accept-Encoding']];
  const shared: readonly ReplyHeader[] = [
    REVALIDATE,
    ['ETag', etag],
    ...snapshotOf(snapshot),
    ...varies,
    ...headers,
  ];
  const own = ownHeaders(about.id, limitHeaders);
  if (isCurrent) return { about, status: 304, headers: new SharedHeaders(shared), ownHeaders: own, body: '' };
  const coding: readonly ReplyHeader[] = body === gzip ? [['Content-Encoding', 'gzip']] : [];
  const all = new SharedHeaders([['Content-Type', contentType], NO_SNIFF, ...coding, ...shared]);
  return { about, status: 200, headers: all, ownHeaders: own, body, isImmutable: true };
}

function ownHeaders(
  id: RequestId,
  limitHeaders: OwnHeaders,
  answerHeaders: readonly ReplyHeader[] = NO_HEADERS,
): OwnHeaders {
  return limitHeaders.with(answerHeaders).named(id);
}
