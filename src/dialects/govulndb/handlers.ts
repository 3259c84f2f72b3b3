// The files of the index, one record by its id, and for clients of 2023 all records about one module.

import type { HandlerContext } from '../../http/context.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import { type Answer, json, type Refusal, refuse } from '../../http/replies/responses.ts';
import type { KeptRequest, PathParts, ReadRoute } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Steps } from '../../http/work/steps.ts';
import type { Generation } from '../../index/generation.ts';
import { etags } from '../etags.ts';
import { refuseWithoutData } from '../lookup-headers.ts';
import { decodePart } from '../path-part.ts';
import { GZIP_TYPE, preparedName } from './index-files.ts';
import { recordsAbout, recordWithId, writeCompressed, writeRecord } from './records.ts';

const JSON_FILE = /^(.+)\.json$/s;
const COMPRESSED_FILE = /^(.+)\.json\.gz$/s;

export function indexFile(name: string): ReadRoute['answer'] {
  const prepared = preparedName(name);
  return (request, _, context) => {
    const file = context.prepared?.get(prepared);
    if (file !== undefined) return answerPrepared(request, file);
    return refusalWithoutData(context.generation) ?? notYetPrepared();
  };
}

/** `GO-2024-2611.json`, or with `.gz` the same compressed: in no other spelling, as a folder has it. */
export function handleRecord(request: RequestView, [part]: PathParts, context: HandlerContext): Answer {
  const file = decodePart(part) ?? '';
  const compressed = COMPRESSED_FILE.exec(file)?.[1];
  const id = compressed ?? JSON_FILE.exec(file)?.[1];
  const { generation, memory } = context;
  const head = id === undefined ? undefined : recordWithId(generation, id);
  if (head === undefined) return unknownRecord();
  const etag = etags.govulndb(generation);
  if (isCurrent(request.header('if-none-match'), etag)) return { kind: 'not-modified', etag };
  const { out } = memory;
  out.restart();
  if (compressed === undefined) {
    writeRecord(context, head);
    return json(out.view(), etag);
  }
  writeCompressed(context, head);
  return { kind: 'text', contentType: GZIP_TYPE, body: out.view(), etag };
}

/** A record a step: some modules have hundreds. */
export function* handleModule(
  request: KeptRequest,
  [part]: PathParts,
  context: HandlerContext,
): Steps<Answer> {
  const { generation, memory } = context;
  const module = moduleOf(part);
  const heads = module === undefined ? [] : recordsAbout(generation, module);
  if (heads.length === 0) return refusalWithoutData(generation) ?? unknownRecord();
  const etag = etags.govulndb(generation);
  if (isCurrent(request.ifNoneMatch, etag)) return { kind: 'not-modified', etag };
  const { out } = memory;
  out.restart();
  let before = '[';
  for (const head of heads) {
    yield;
    out.text(before);
    writeRecord(context, head);
    before = ',';
  }
  out.text(']');
  return json(out.view(), etag);
}

/** The path of a module from its file's name, in which `!a` is a capital; undefined if it is none. */
function moduleOf(part: string): string | undefined {
  const escaped = JSON_FILE.exec(decodePart(part) ?? '')?.[1];
  if (escaped === undefined || /[A-Z]|!(?![a-z])/.test(escaped)) return undefined;
  return escaped.replaceAll(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

// The client ends with an error at either 404: it never takes one for "not affected".

function unknownRecord(): Answer {
  return refuse({
    code: 'unknown_record',
    status: 404,
    title: 'No such record',
    detail: 'There is no record of this name about a Go module.',
  });
}

/** For an index that would say that every module is clean; undefined where there is data. */
function refusalWithoutData(generation: Generation): Refusal | undefined {
  return refuseWithoutData(generation, 'golang', {
    code: 'no_go_data',
    title: 'No data about Go modules',
    detail: 'The snapshot has no advisory about a Go module.',
  });
}
