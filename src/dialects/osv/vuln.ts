// GET /v1/vulns/{id}: one record, by its id or by another id of it.

import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Generation } from '../../index/generation.ts';
import { findAlias, findPsid, normaliseAlias } from '../../index/lookup/alias-table.ts';
import { etags } from '../etags.ts';
import { decodePart } from '../path-part.ts';
import { invalid, MESSAGES, notFound } from './problems.ts';
import { writeRecord } from './record.ts';
import { MAX_ID_CHARS, recordsOf } from './records.ts';

const PSID = /^PSID-([0-9a-f]{12})$/i;

export function handleVuln(request: RequestView, [part]: PathParts, context: HandlerContext): Answer {
  const id = decodePart(part);
  if (id === undefined) return invalid('ID has a percent escape that is not valid');
  if (id === '') return invalid(MESSAGES.noId);
  if (id.length > MAX_ID_CHARS) return invalid(MESSAGES.longId);
  const { generation } = context;
  const head = findRecord(generation, id);
  return head === undefined ? notFound(MESSAGES.notFound) : answerRecord(request, context, head);
}

export function answerRecord(
  request: Pick<RequestView, 'header'>,
  context: HandlerContext,
  head: number,
): Answer {
  const etag = etags.osv(context.generation);
  if (isCurrent(request.header('if-none-match'), etag)) return { kind: 'not-modified', etag };
  const { out } = context.memory;
  out.restart();
  writeRecord(context, head);
  return json(out.view(), etag);
}

/**
 * The head of the record that an id means, in any case of letters. Of several with this alias, the one whose
 * id it is, else the one with the lowest numeric id, which was there first; withdrawn ones only if there are
 * no others.
 */
export function findRecord(generation: Generation, id: string): number | undefined {
  const records = recordsOf(generation);
  const ordinals = named(generation, id);
  const heads = [...new Set(ordinals.map((ordinal) => records.headOf(ordinal)))];
  if (heads.length === 0) return undefined;
  const all = [...heads, ...ordinals.flatMap((ordinal) => records.furtherOf(ordinal))];
  const same = all.find((head) => records.idOf(head) === id);
  if (same !== undefined) return same;
  const upper = id.toUpperCase();
  const folded = all.find((head) => records.idOf(head).toUpperCase() === upper);
  if (folded !== undefined) return folded;
  const published = heads.filter((head) => head < generation.publishedCount);
  const candidates = published.length > 0 ? published : heads;
  return candidates.reduce((a, b) => (generation.idAt(b) < generation.idAt(a) ? b : a));
}

/** The advisories with this id, withdrawn ones included. */
function named({ parts: { columns } }: Generation, id: string): readonly number[] {
  const psid = PSID.exec(id)?.[1];
  if (psid === undefined) return Array.from(findAlias(columns, normaliseAlias(id)));
  const ordinal = findPsid(columns, Number.parseInt(psid, 16));
  return ordinal === undefined ? [] : [ordinal];
}
