// Turns a request into a reply, with the checks in the order that the contract fixes: path, method, key,
// tier, data (unless it is about the process), quota, body, parameters, record. Knows nothing of sockets.
// State is passed in as functions, so that a swap of data or keys takes effect with the next request.

import type { CountedLookup, Generation } from '../index/generation.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import { type AskedBody, BodyNotes } from './bodies/body-notes.ts';
import { type ContentCoding, contentCoding, decodeBody } from './bodies/content-coding.ts';
import { AskingCaller } from './callers/asking.ts';
import type { Caller } from './callers/auth.ts';
import { BodyQuota, type Quota } from './callers/quota.ts';
import type { HandlerContext, KeptGeneration } from './context.ts';
import { type BodyWanted, changeEach, type Handled } from './handled.ts';
import { HeldGenerations } from './held-generations.ts';
import { openApiFile } from './openapi/document.ts';
import type { OperationsView } from './operations-view.ts';
import { asPinned, LIVE, pinOf } from './pinning.ts';
import { type Readiness, type Unready, unready } from './readiness.ts';
import { type CorsPolicy, corsHeaders, mayRead, preflightHeaders, withHeaders } from './replies/cors.ts';
import { isCurrent } from './replies/etag.ts';
import type { PreparedSet } from './replies/prepared-files.ts';
import { serviceProblem } from './replies/problems.ts';
import {
  NO_HEADERS,
  NO_OWN_HEADERS,
  type OwnHeaders,
  type ReplyHeader,
  SharedHeaders,
} from './replies/reply-headers.ts';
import {
  type Answer,
  prepareRefusal,
  type Reply,
  type RequestFacts,
  redirect,
  refuse,
  type TextAnswer,
  textReply,
  toReply,
} from './replies/responses.ts';
import { type StaticFile, variantFor } from './replies/static-files.ts';
import type { RequestId } from './request-id.ts';
import {
  type Admit,
  type BodyRoute,
  type DataRoute,
  type Dialect,
  type OffDialect,
  type OpenRoute,
  type OrderRoute,
  OTHER_LABEL,
  type PathParts,
  type ProcessRoute,
  type ReadRoute,
  type ServiceView,
} from './routing/dialect.ts';
import { PathNotes, type RememberedPath } from './routing/path-notes.ts';
import { type BoundRoute, type Found, RouteTable } from './routing/routes.ts';
import { OwnAddress } from './transport/own-address.ts';
import type { RequestView } from './transport/request-view.ts';
import type { Steps } from './work/steps.ts';
import type { Work } from './work/work-queue.ts';

interface ServiceOptions extends AdmissionOptions {
  /** At least one; the first sends the 404 for paths that no dialect has. */
  readonly dialects: readonly Dialect[];
  /** Dialects that are known and not served: their paths answer that they are off. */
  readonly off?: readonly OffDialect[];
  readonly generation: () => Generation | undefined;
  /** The id of the live snapshot, for a service that has not its data. */
  readonly liveId?: (() => string | undefined) | undefined;
  /** All generations that a request may name, the live one first. Without it, the live one alone. */
  readonly kept?: () => readonly KeptGeneration[];
  /**
   * Files prepared from the data, of the live generation or of the one before;
   * undefined while there are none.
   */
  readonly prepared?: () => PreparedSet | undefined;
  readonly readiness: (nowMs: number) => Readiness;
  /** Whether the port is closed: requests for data on open connections then get 503. */
  readonly isClosing: () => boolean;
  readonly latestAnchor: 'clock' | 'snapshot';
  /** What the process does, for the routes about that. */
  readonly operations?: OperationsView | undefined;
  /** Is told who asks, for whoever is told of look-ups. */
  readonly asking?: AskingCaller | undefined;
  /** By default, as each request says. */
  readonly ownAddress?: OwnAddress | undefined;
  /** Whose pages may read replies in a browser; by default, none. */
  readonly cors?: CorsPolicy | undefined;
  readonly nowMs: () => number;
  readonly makeRequestId: () => RequestId;
  /** Called on an internal error; the client gets a 500 without details. */
  readonly onInternalError: (error: unknown, requestId: string) => void;
}

/** What a preflight says depends on the path and the page. */
const PREFLIGHT = new SharedHeaders(NO_HEADERS);
const VALID_REQUEST_ID = /^[\w.:-]{1,128}$/;
const NO_ENDPOINT = 'No endpoint has this path; see /openapi.json.';

const DRAINING: Unready = { kind: 'unready', code: 'draining', detail: 'This process is shutting down.' };
const NO_SNAPSHOT: Unready = { kind: 'unready', code: 'no_snapshot', detail: 'No snapshot is loaded yet.' };
/** Queue name for requests without an API key. */
const ANYONE = 'anyone';
/** For what waits for too long; most of that is done when this has passed. */
const TOO_BUSY_HEADERS: readonly ReplyHeader[] = [['Retry-After', '5']];

const TOO_BUSY =
  'Too many requests of this caller that take long are waiting to be answered: send fewer at the same time.';
const TOO_LATE =
  'The server had more to do than it could in the time that a request may wait, and did not begin this one.';
const NO_ROOM =
  'The server holds as many bytes of request bodies as it may, of this caller or of all: send fewer at the same time.';

/** A request that passed the checks. */
interface Question {
  readonly about: RequestFacts;
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly query: string;
  readonly parts: PathParts;
  readonly context: HandlerContext;
  readonly prepared: PreparedSet | undefined;
}

/** A body that has arrived whole. */
interface SentBody extends AskedBody {
  readonly quota: BodyQuota;
}

/** A request whose caller's tier has the endpoint. */
interface Admitted {
  readonly about: RequestFacts;
  readonly dialect: Dialect;
  readonly caller: Caller;
  readonly nowMs: number;
}

export class Service {
  readonly #options: ServiceOptions;
  readonly #routes: RouteTable;
  readonly #admission: Admission;
  readonly #held: HeldGenerations;
  readonly #paths = new PathNotes();
  /** What each dialect answers to a path without a route. */
  readonly #notFound: ReadonlyMap<Dialect, Answer>;
  readonly #bodies = new BodyNotes();
  readonly #asking: AskingCaller;
  readonly #own: OwnAddress;
  #document: StaticFile | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#routes = new RouteTable(options.dialects, options.off);
    this.#admission = new Admission(options);
    const notFound = serviceProblem('not_found', NO_ENDPOINT);
    this.#notFound = new Map(
      options.dialects.map((dialect) => [dialect, prepareRefusal(notFound, NO_HEADERS, dialect.renderError)]),
    );
    this.#held = new HeldGenerations(options.kept);
    this.#asking = options.asking ?? new AskingCaller();
    this.#own = options.ownAddress ?? new OwnAddress();
  }

  /** Size of the buffers in which answers are assembled. */
  get bufferBytes(): number {
    return this.#held.bufferBytes;
  }

  /** Releases memory that large answers needed. Requires: every reply was sent or copied. */
  shrink(): void {
    this.#held.shrink();
  }

  /** Releases generations that are no longer held now, instead of with the next request for data. */
  adopt(generation: Generation): void {
    this.#held.adopt(generation);
  }

  /** Whether the path led to an answer before, so that a transport need not check its characters again. */
  remembers(path: string): boolean {
    return this.#paths.find(path) !== undefined;
  }

  /** Never throws: an internal error becomes a 500 and is reported. */
  handle(request: RequestView): Handled {
    const { cors } = this.#options;
    if (cors === undefined) return this.#byPath(request);
    const headers = corsHeaders(cors, request.header('origin'));
    return changeEach(this.#byPath(request), (reply) => withHeaders(reply, headers));
  }

  #byPath(request: RequestView): Handled {
    const sent = request.header('x-request-id');
    const id = sent !== '' && VALID_REQUEST_ID.test(sent) ? sent : '';
    const note = request.method === 'GET' ? this.#paths.find(request.path) : undefined;
    if (note !== undefined) return this.#askSafely(request, note.bound, note.parts, id, note);
    let found = this.#routes.find(request.method, request.path);
    if (found.kind === 'not-found' && request.path === '/') found = this.#homeFor(request) ?? found;
    if (found.kind === 'file') {
      const { file, label, dialect } = found;
      return this.#reply(fileAnswer(request, file), { id, label, keyId: undefined }, dialect);
    }
    if (found.kind === 'folder') {
      const { location, label, dialect } = found;
      return this.#reply(redirect(location), { id, label, keyId: undefined }, dialect);
    }
    if (found.kind === 'rest') {
      const { route, dialect, below } = found;
      const about: RequestFacts = { id, label: route.label, keyId: undefined };
      try {
        return this.#reply(route.answer(request, below), about, dialect);
      } catch (error) {
        return this.#internalError(error, about, dialect);
      }
    }
    if (found.kind !== 'route') return this.#withoutRoute(request, found, id);
    const { bound, parts } = found;
    return this.#askSafely(request, bound, parts, id, undefined);
  }

  #askSafely(
    request: RequestView,
    bound: BoundRoute,
    parts: PathParts,
    id: string,
    note: RememberedPath | undefined,
  ): Handled {
    try {
      return this.#ask(request, bound, parts, id, note);
    } catch (error) {
      return this.#internalError(error, { id, label: bound.label, keyId: undefined }, bound.dialect);
    }
  }

  /** For a person who typed the address of the server alone; a program gets the 404. */
  #homeFor(request: RequestView): Found | undefined {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isRead && request.header('accept').includes('text/html') ? this.#routes.home : undefined;
  }

  #withoutRoute(
    request: RequestView,
    found: Exclude<Found, { kind: 'route' | 'file' | 'folder' | 'rest' }>,
    id: string,
  ): Reply {
    const { dialect } = found;
    const about: RequestFacts = { id, label: OTHER_LABEL, keyId: undefined };
    if (found.kind === 'not-found') {
      const { detail } = found;
      // Every path belongs to one of our dialects.
      const usual = this.#notFound.get(dialect) as Answer;
      const answer = detail === undefined ? usual : refuse(serviceProblem('not_found', detail));
      return this.#reply(answer, about, dialect);
    }
    const { cors } = this.#options;
    const { allow } = found;
    const headers =
      cors === undefined ? undefined : preflightHeaders(cors, request, allow, dialect.keys.headers);
    if (headers !== undefined)
      return { about, status: 204, headers: PREFLIGHT, ownHeaders: NO_OWN_HEADERS.with(headers), body: '' };
    const problem = serviceProblem('method_not_allowed', `This path answers ${allow} only.`);
    return this.#reply(refuse(problem, [['Allow', allow]]), about, dialect);
  }

  #ask(
    request: RequestView,
    bound: BoundRoute,
    parts: PathParts,
    id: string,
    known: RememberedPath | undefined,
  ): Handled {
    const { route, label, dialect } = bound;
    if (route.kind === 'open') return this.#askOpen(request, route, { id, label, keyId: undefined }, dialect);
    const nowMs = this.#options.nowMs();
    const entry = this.#admission.admit(request, dialect, nowMs);
    if (entry.kind === 'problem') return this.#reply(entry, { id, label, keyId: undefined }, dialect);
    const { caller } = entry;
    const about: RequestFacts = { id, label, keyId: caller.id };
    const forbidden = this.#admission.forbidden(caller, route.endpoint);
    if (forbidden !== undefined) return this.#reply(forbidden, about, dialect);
    const admitted: Admitted = { about, dialect, caller, nowMs };
    if (route.kind === 'process' || route.kind === 'order') return this.#askProcess(request, route, admitted);
    if (this.#options.isClosing()) return this.#reply(unready(DRAINING), about, dialect);
    const live = this.#options.generation();
    if (live === undefined) return this.#reply(unready(NO_SNAPSHOT), about, dialect);
    return this.#askData(request, bound, route, parts, admitted, live, known);
  }

  #askOpen(request: RequestView, route: OpenRoute, about: RequestFacts, dialect: Dialect): Handled {
    const answer = route.answer(this.#view(request, this.#options.nowMs()));
    if (!('kind' in answer)) {
      const reply = (text: TextAnswer): Reply => textReply(text, about);
      const steps = (): Steps<Reply> => this.#guardedSteps(() => answer, reply, about, dialect);
      return this.#work(ANYONE, about, dialect, NO_OWN_HEADERS, steps);
    }
    if (answer.kind === 'text') return textReply(answer, about);
    return this.#reply(answer.kind === 'static' ? fileAnswer(request, answer.file) : answer, about, dialect);
  }

  #askData(
    request: RequestView,
    bound: BoundRoute,
    route: DataRoute,
    parts: PathParts,
    { about, dialect, caller, nowMs }: Admitted,
    live: Generation,
    known: RememberedPath | undefined,
  ): Handled {
    const kept = this.#held.list(live);
    const { query } = request;
    const pin = query === '' ? LIVE : pinOf(query, kept);
    const generation = pin.kind === 'pinned' ? pin.generation : live;
    // What a body costs is known when it has been read, and taken once: a refusal then takes nothing.
    const costsLater = route.kind === 'body' && caller.batchCost !== 'request';
    const quota = costsLater
      ? this.#admission.peek(caller, generation, nowMs)
      : this.#admission.spend(caller, generation, nowMs);
    if (quota.answer !== undefined) return this.#reply(quota.answer, about, dialect, quota.headers);
    if (pin.kind === 'problem') {
      const paid = costsLater ? this.#admission.spend(caller, generation, nowMs) : quota;
      return this.#reply(paid.answer ?? pin, about, dialect, paid.headers);
    }
    this.#held.adopt(live);
    const prepared = this.#options.prepared?.();
    const context: HandlerContext = {
      generation,
      kept,
      memory: this.#held.memoryOf(generation, live),
      prepared: prepared?.files,
      own: this.#own,
      nowMs,
      latestAnchor: this.#options.latestAnchor,
    };
    if (route.kind === 'read') {
      // Only paths of those who may ask are kept, so that nobody else can make it forget.
      const isKept = route.isRemembered === true && pin.kind === 'live' && request.method === 'GET';
      const note = isKept ? (known ?? this.#paths.meet(request.path, bound, parts)) : undefined;
      this.#asking.is(caller);
      const answer = route.answer(request, parts, context, note);
      const fitting = pin.kind === 'live' ? answer : asPinned(answer, generation, prepared);
      return this.#reply(fitting, about, dialect, quota.headers, originOf(fitting, context, prepared));
    }
    // What is needed later is read now: the native request is gone then.
    const question: Question = { about, dialect, caller, query, parts, context, prepared };
    return this.#askLong(request, route, question, quota);
  }

  /** A request that takes time. Apart from `#askData`, whose requests would pay for what closures share. */
  #askLong(
    request: RequestView,
    route: Exclude<DataRoute, ReadRoute>,
    question: Question,
    quota: Quota,
  ): Handled {
    const { caller, query, parts, context } = question;
    const spend = (cost: number): Quota =>
      this.#admission.spend(caller, context.generation, this.#options.nowMs(), cost);
    if (route.kind === 'long-read') {
      const asked = { query, ifNoneMatch: request.header('if-none-match') };
      const itemQuota = new BodyQuota(quota, 1, caller, spend);
      const admit: Admit = (items) => itemQuota.admit(items);
      return this.#dataWork(question, itemQuota, (own) => route.answer(asked, parts, own, admit));
    }
    const bodyQuota = new BodyQuota(quota, caller.batchCost === 'request' ? 1 : 0, caller, spend);
    const coding = contentCoding(request.header('content-encoding'));
    return this.#awaitBody(question, route, coding, bodyQuota);
  }

  #askProcess(request: RequestView, route: ProcessRoute | OrderRoute, admitted: Admitted): Handled {
    const { about, dialect, caller, nowMs } = admitted;
    const { operations } = this.#options;
    const quota = this.#admission.spend(caller, undefined, nowMs);
    const reply = (answer: Answer): Reply => this.#reply(answer, about, dialect, quota.headers);
    if (quota.answer !== undefined) return reply(quota.answer);
    const work = (answer: () => Steps<Answer>): Work =>
      this.#work(caller.source, about, dialect, quota.headers, () =>
        this.#guardedSteps(answer, reply, about, dialect),
      );
    if (route.kind === 'process') {
      const { query } = request; // now: the native request is gone later
      return work(() => route.answer(query, operations));
    }
    const problem = route.refusal(request, (origin) => mayRead(this.#options.cors, origin));
    if (problem !== undefined) return reply(refuse(problem));
    return {
      kind: 'body-wanted',
      maxBytes: route.maxBodyBytes,
      caller: caller.source,
      overloaded: () => this.#overloaded(about, dialect, NO_ROOM),
      work: (body) => work(() => route.answer(body, operations)),
      tooLarge: () => reply(refuse(serviceProblem('body_too_large', route.tooLarge))),
    };
  }

  /** `steps` begins when it is the caller's turn. It never throws: an internal error becomes a 500. */
  #work(
    caller: string,
    about: RequestFacts,
    dialect: Dialect,
    limitHeaders: OwnHeaders,
    steps: () => Steps<Reply>,
  ): Work {
    return {
      kind: 'work',
      caller,
      steps,
      refuse: () => {
        const refusal = refuse(serviceProblem('rate_limited', TOO_BUSY), TOO_BUSY_HEADERS);
        return this.#reply(refusal, about, dialect, limitHeaders);
      },
      tooLate: () => this.#overloaded(about, dialect, TOO_LATE),
    };
  }

  *#guardedSteps<Made>(
    steps: () => Steps<Made>,
    reply: (made: Made) => Reply,
    about: RequestFacts,
    dialect: Dialect,
  ): Steps<Reply> {
    try {
      return reply(yield* steps());
    } catch (error) {
      return this.#internalError(error, about, dialect);
    }
  }

  #overloaded(about: RequestFacts, dialect: Dialect, detail: string): Reply {
    return this.#reply(refuse(serviceProblem('overloaded', detail), TOO_BUSY_HEADERS), about, dialect);
  }

  #awaitBody(question: Question, route: BodyRoute, coding: ContentCoding, quota: BodyQuota): BodyWanted {
    const { about, dialect, caller, query, parts } = question;
    return {
      kind: 'body-wanted',
      maxBytes: route.maxBodyBytes,
      caller: caller.source,
      overloaded: () => this.#overloaded(about, dialect, NO_ROOM),
      work: (body) => {
        const sent: SentBody = { body, coding, route, query, parts, quota };
        return this.#dataWork(question, quota, (own) => {
          const isLive = own.generation === this.#options.generation();
          return bodySteps(sent, own, isLive ? this.#bodies : undefined);
        });
      },
      tooLarge: () => {
        const answer = refuse(serviceProblem('body_too_large', route.tooLarge));
        return this.#reply(quota.admit(1) ?? answer, about, dialect, quota.headers);
      },
    };
  }

  /** `answer` gets a context whose memory is not used by requests that are answered between its steps. */
  #dataWork(
    question: Question,
    quota: Pick<Quota, 'headers'>,
    answer: (own: HandlerContext) => Steps<Answer>,
  ): Work {
    const { about, dialect, caller } = question;
    const steps = (): Steps<Reply> => this.#dataSteps(question, quota, answer);
    return this.#work(caller.source, about, dialect, quota.headers, steps);
  }

  *#dataSteps(
    { about, dialect, caller, context, prepared }: Question,
    quota: Pick<Quota, 'headers'>,
    answer: (own: HandlerContext) => Steps<Answer>,
  ): Steps<Reply> {
    const { generation } = context;
    try {
      const own = { ...context, memory: this.#held.beginWork(generation) };
      const made = yield* this.#asking.each(caller, answer(own));
      return this.#reply(made, about, dialect, quota.headers, originOf(made, own, prepared));
    } catch (error) {
      return this.#internalError(error, about, dialect);
    } finally {
      this.#held.endWork(generation, this.#options.generation());
    }
  }

  /** Renders the document on first use: most threads are never asked for it. */
  #view({ query }: RequestView, nowMs: number): ServiceView {
    const { dialects, readiness, generation, liveId = () => generation()?.id } = this.#options;
    const document = (): StaticFile => {
      this.#document ??= openApiFile(dialects);
      return this.#document;
    };
    return { document, query, liveId, readiness: () => readiness(nowMs) };
  }

  #reply(
    answer: Answer,
    about: RequestFacts,
    dialect: Dialect,
    limitHeaders: OwnHeaders = NO_OWN_HEADERS,
    snapshot?: string,
  ): Reply {
    const { makeRequestId } = this.#options;
    return toReply(answer, about, makeRequestId, limitHeaders, dialect.renderError, snapshot);
  }

  #internalError(error: unknown, about: RequestFacts, dialect: Dialect): Reply {
    const id = about.id === '' ? this.#options.makeRequestId() : about.id;
    this.#options.onInternalError(error, String(id));
    const problem = serviceProblem('internal_error', 'The request could not be answered.');
    return this.#reply(refuse(problem), { ...about, id }, dialect);
  }
}

/** The file in the coding that suits the client, or 304 if it has that. */
function fileAnswer(request: RequestView, file: StaticFile): Answer {
  const variant = variantFor(file, request.header('accept-encoding'));
  return {
    kind: 'file',
    file,
    variant,
    isCurrent: isCurrent(request.header('if-none-match', variant.etag), variant.etag),
  };
}

// Generators are functions with names here, never closures: V8 makes a map for each closure that is a
// generator, and keeps it until the next full collection.

/** `notes` is undefined for a generation that is not live. */
function* bodySteps(sent: SentBody, own: HandlerContext, notes: BodyNotes | undefined): Steps<Answer> {
  const { body, coding, route, quota, query, parts } = sent;
  const { generation } = own;
  const note = notes?.find(generation, sent);
  if (note?.kept !== undefined) {
    const { answer, bodyBytes, itemCount, lookups } = note.kept;
    quota.arrived(bodyBytes);
    const refusal = quota.admit(itemCount);
    if (refusal !== undefined) return refusal;
    for (const [product, version] of lookups) generation.countLookup(product, version);
    return answer;
  }
  const decoded = decodeBody(body, coding, route);
  if (decoded.kind === 'problem') return quota.admit(1) ?? decoded;
  const bodyBytes = decoded.body.length;
  quota.arrived(bodyBytes);
  yield;
  let itemCount = 1;
  const lookups: CountedLookup[] = [];
  const context = note === undefined ? own : { ...own, generation: generation.tappedBy(lookups) };
  const answer = yield* route.answer(query, parts, decoded.body, context, (items) => {
    itemCount = items;
    return quota.admit(items);
  });
  const late = quota.admit(1);
  if (late !== undefined) return late;
  if (note !== undefined && answer.kind === 'json') {
    notes?.keep(generation, note, { answer, bodyBytes, itemCount, lookups });
  }
  return answer;
}

/** The id of the snapshot that an answer is from: prepared files may still be those of the one before. */
function originOf(answer: Answer, { generation }: HandlerContext, prepared: PreparedSet | undefined): string {
  return answer.kind === 'prepared' && prepared !== undefined ? prepared.snapshot : generation.id;
}
