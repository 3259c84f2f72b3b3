// One object over HTTP: the request for it, whole, if it has changed, or from where the caller got to, and
// what the answer means. https.ts and oci.ts say which URL and which credentials.

import type { HttpClient, HttpRequest, OpenAnswer } from '../../download/client.ts';
import { HttpError, shownUrl } from '../../download/http-error.ts';
import { isPassing } from '../../download/retry.ts';
import { end } from './body.ts';
import { type AskedObject, ObjectError, type ObjectReply, type PutCondition, usableTag } from './objects.ts';

const NOT_FOUND = 404;
const PARTIAL = 206;
const UNCHANGED = 304;
const NOT_SATISFIABLE = 416;

type ObjectRequest = Pick<HttpRequest, 'headers' | 'openHeaders' | 'answers'> & {
  /** Reads a refusal; undefined if it only means that there is no such object. */
  readonly explain?: (answer: OpenAnswer) => Promise<ObjectError | undefined>;
};

/** Throws ObjectError, or what the signal was aborted with. */
export async function getOverHttp(
  client: HttpClient,
  url: URL,
  asked: AskedObject,
  { explain, ...request }: ObjectRequest,
): Promise<ObjectReply> {
  const { etag, signal } = asked;
  const range = rangeOf(asked);
  const openHeaders: Record<string, string> = {
    ...request.openHeaders,
    'accept-encoding': 'identity',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...range,
  };
  const answer = await openOverHttp(client, url, { ...request, openHeaders, signal });
  const { head, body } = answer;
  const again = async (): Promise<ObjectReply> => {
    await end(body);
    const { from: _, rangeOf: __, ...whole } = asked;
    return getOverHttp(client, url, whole, explain === undefined ? request : { ...request, explain });
  };
  if (head.status >= 400 && head.status !== NOT_SATISFIABLE) {
    // Not of a server that the store alone has chosen: a reason may quote it.
    const refused = head.url.origin === url.origin ? await explain?.(answer) : undefined;
    if (refused !== undefined) throw refused;
  }
  switch (head.status) {
    case UNCHANGED:
      await end(body);
      return { kind: 'unchanged', storeTimeMs: storeTimeMs(answer) };
    case NOT_FOUND:
      await end(body);
      return { kind: 'absent' };
    case NOT_SATISFIABLE:
      if (range !== undefined) return again(); // the object is shorter than what is here: another one
  }
  const coding = head.header('content-encoding') ?? 'identity';
  if (head.status >= 400 || coding.toLowerCase() !== 'identity') {
    await end(body);
    const problem = head.status >= 400 ? `status ${head.status}` : `encoded as ${coding}`;
    throw new ObjectError(`GET ${shownUrl(head.url)}: the answer is ${problem}; check the URL`, false);
  }
  const found = {
    kind: 'found',
    etag: usableTag(head.header('etag')),
    storeTimeMs: storeTimeMs(answer),
    changedAtMs: timeIn(answer, 'last-modified'),
  } as const;
  if (head.status !== PARTIAL) {
    const length = head.header('content-length');
    return { ...found, bytes: length === undefined ? undefined : Number(length), from: 0, body };
  }
  const part = /^bytes (\d+)-\d+\/(\d+)$/.exec(head.header('content-range') ?? '');
  const isWhatWasAsked =
    part !== null && range !== undefined && Number(part[1]) === asked.from && isSame(found.etag, asked);
  if (!isWhatWasAsked) return again();
  return { ...found, bytes: Number(part[2]), from: Number(part[1]), body };
}

/** `open` of the client, whose errors become ObjectErrors. */
export async function openOverHttp(client: HttpClient, url: URL, asked: HttpRequest): Promise<OpenAnswer> {
  const request = {
    ...asked,
    mayLeaveOrigin: true, // to a CDN, or to the bucket behind a registry: without our headers
    answers: [NOT_FOUND, NOT_SATISFIABLE, ...(asked.answers ?? [])],
  };
  const { head, body } = await client.open(url, request).catch((error: unknown) => {
    throw asObjectError(error);
  });
  return { head, body: bodyOf(body) };
}

async function* bodyOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw asObjectError(error);
  }
}

function asObjectError(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  return new ObjectError(error.message, canPass(error), { cause: error });
}

/** Whether the same may succeed later. */
function canPass({ code, status = 0 }: HttpError): boolean {
  return code === 'unreachable' || code === 'busy' || code === 'too-slow' || isPassing(status);
}

/** For a PUT that stores nothing if the condition does not hold. */
export function conditionHeader(condition: PutCondition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return condition.kind === 'absent' ? { 'if-none-match': '*' } : { 'if-match': condition.etag };
}

/** Only of a strong tag: a weak one does not mean the same bytes. */
function rangeOf({ from = 0, rangeOf }: AskedObject): Record<string, string> | undefined {
  if (from === 0 || rangeOf === undefined || rangeOf.startsWith('W/')) return undefined;
  return { range: `bytes=${from}-`, 'if-range': rangeOf };
}

/** Whether the part is of the object that was meant; a server may ignore If-Range. */
function isSame(etag: string | undefined, { rangeOf }: AskedObject): boolean {
  return etag === undefined || etag === rangeOf;
}

function storeTimeMs({ head }: OpenAnswer): number | undefined {
  // From a cache it is the time of the original answer.
  if (head.header('age') !== undefined) return undefined;
  return timeIn({ head }, 'date');
}

function timeIn({ head }: Pick<OpenAnswer, 'head'>, name: string): number | undefined {
  const ms = Date.parse(head.header(name) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
