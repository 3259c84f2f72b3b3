// POST /v1/query: the records that a version of a package is affected by, or all records of a package.

import type { HandlerContext } from '../../http/context.ts';
import type { ReplyHeader } from '../../http/replies/reply-headers.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Admit, PathParts } from '../../http/routing/dialect.ts';
import type { Steps } from '../../http/work/steps.ts';
import { etags } from '../etags.ts';
import { Matcher, type PackageQuery } from './matcher.ts';
import { Notes } from './notes.ts';
import { invalid, MESSAGES } from './problems.ts';
import { encodePageToken, parseBody, readQuery } from './read-query.ts';
import { writeRecord } from './record.ts';

/**
 * What one answer holds at most, as the original; the rest is on further pages, which not every client asks
 * for.
 */
export const MAX_RECORDS = 1000;
/** After a page of this size no record is added. */
export const PAGE_BYTES = 8 * 1024 * 1024;

export function* handleQuery(
  _: string,
  __: PathParts,
  body: Uint8Array,
  context: HandlerContext,
  admit: Admit,
): Steps<Answer> {
  const parsed = yield* parseBody(body);
  if (parsed.kind === 'bad') return invalid(parsed.message);
  const query = readQuery(parsed.value);
  if (query.kind === 'bad') return invalid(query.message);
  if (query.kind === 'no-ecosystem') return invalid(MESSAGES.badEcosystem);
  const refusal = admit(1);
  if (refusal !== undefined) return refusal;
  const notes = new Notes();
  const { out } = context.memory;
  out.restart();
  if (query.kind === 'not-held') {
    notes.addEcosystem(query.about);
    return answerWith(context, '{}', notes.headers());
  }
  notes.addIgnored(query.ignored);
  const matcher = new Matcher(context);
  if (!(yield* writeQuery(context, matcher, query))) return invalid(MESSAGES.badVersion);
  notes.addSlugs(matcher.ambiguous);
  notes.addVersionParts(matcher.ignoredParts);
  for (const ecosystem of matcher.withoutData) notes.addEcosystem(ecosystem);
  return answerWith(context, out.view(), notes.headers());
}

function answerWith(
  { generation }: HandlerContext,
  body: string | Uint8Array,
  headers: readonly ReplyHeader[],
): Answer {
  return json(body, etags.osv(generation), headers);
}

/** False if nothing reads the version. */
function* writeQuery(context: HandlerContext, matcher: Matcher, query: PackageQuery): Steps<boolean> {
  const { out } = context.memory;
  let count = 0;
  let lastId = 0;
  let hasMore = false;
  matcher.find(query);
  if (matcher.isUnreadable) return false;
  while (matcher.next()) {
    yield;
    const isFull = count >= MAX_RECORDS || out.length > PAGE_BYTES;
    if (isFull && matcher.id !== lastId) {
      hasMore = true;
      break;
    }
    out.text(count === 0 ? '{"vulns":[' : ',');
    writeRecord(context, matcher.head);
    count++;
    lastId = matcher.id;
  }
  if (count === 0) out.text('{}');
  else out.text(hasMore ? `],"next_page_token":"${encodePageToken(lastId)}"}` : ']}');
  return true;
}
