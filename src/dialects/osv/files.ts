// The files of a bucket of OSV records, for clients that keep a copy: made once per generation.
//
//     npm/all.zip, WordPress/all.zip    one ID.json for each record, withdrawn ones included
//     npm/modified_id.csv, ...          `<modified>,<id>`, the latest first
//     all.zip                           every record once
//     modified_id.csv                   the lines of all ecosystems: `<modified>,<ecosystem>/<id>`
//     ecosystems.txt                    the names of the ecosystems
//
// The checksum header is that of the original's storage: clients of a local copy fetch an archive again when
// it differs.

import { gzipSync } from 'node:zlib';
import type { HandlerContext } from '../../http/context.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import type { ReplyHeader } from '../../http/replies/reply-headers.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { PathParts, ReadRoute } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Generation } from '../../index/generation.ts';
import { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';
import { etags } from '../etags.ts';
import { decodePart } from '../path-part.ts';
import { crc32c } from './crc32c.ts';
import { HELD_ECOSYSTEMS, type HeldEcosystem, packageOf } from './ecosystems.ts';
import { notFound } from './problems.ts';
import { instantText, recordJson } from './record.ts';
import { recordsOf } from './records.ts';
import { answerRecord, findRecord } from './vuln.ts';
import { deflateEntry, ZipWriter } from './zip-writer.ts';

const PREFIX = 'osv/';
const ARCHIVE = 'all.zip';
const MODIFIED = 'modified_id.csv';
const ECOSYSTEMS = 'ecosystems.txt';
const RECORD = '.json';
const NO_FILE = 'File not found';

/** One line of modified_id.csv. */
interface Line {
  readonly modified: string;
  readonly id: string;
}

/** All files of the bucket, by name. */
export function* prepareBucket(generation: Generation): Generator<readonly [string, PreparedFile]> {
  const memory = new ThreadMemory(generation);
  const records = recordsOf(generation);
  const archives = new Map(HELD_ECOSYSTEMS.map((name) => [name, new ZipWriter()]));
  const whole = new ZipWriter();
  const lines = new Map<HeldEcosystem, Line[]>(HELD_ECOSYSTEMS.map((name) => [name, []]));
  for (const head of records.all()) {
    const line = { modified: instantText(records.modifiedOf(head)), id: records.idOf(head) };
    const entry = deflateEntry(`${line.id}${RECORD}`, Buffer.from(recordJson(generation, memory, head)));
    whole.add(entry);
    for (const ecosystem of ecosystemsOf(generation, head)) {
      archives.get(ecosystem)?.add(entry);
      lines.get(ecosystem)?.push(line);
    }
  }
  let wholeFile: PreparedFile | undefined;
  for (const [ecosystem, archive] of archives) {
    // All records of data about one ecosystem are one archive under two names.
    const isWhole = archive.count === whole.count;
    const file = fileOf(generation, 'application/zip', archive.finish(shared));
    archives.delete(ecosystem); // its memory is no longer needed
    yield [`${PREFIX}${ecosystem}/${ARCHIVE}`, file];
    if (isWhole) wholeFile = file;
  }
  yield [`${PREFIX}${ARCHIVE}`, wholeFile ?? fileOf(generation, 'application/zip', whole.finish(shared))];
  const all: Line[] = [];
  for (const [ecosystem, own] of lines) {
    yield [`${PREFIX}${ecosystem}/${MODIFIED}`, textFile(generation, 'text/csv', csvOf(own))];
    for (const { modified, id } of own) all.push({ modified, id: `${ecosystem}/${id}` });
  }
  yield [`${PREFIX}${MODIFIED}`, textFile(generation, 'text/csv', csvOf(all))];
  yield [`${PREFIX}${ECOSYSTEMS}`, textFile(generation, 'text/plain', `${HELD_ECOSYSTEMS.join('\n')}\n`)];
}

/** The ecosystems of a record's packages, each once. */
function ecosystemsOf(generation: Generation, head: number): Set<HeldEcosystem> {
  const { columns } = generation.parts;
  const members = recordsOf(generation).membersOf(head);
  return new Set(
    members.map((ordinal) => {
      const { name } = PRODUCT_TYPE_TABLE[columns.productType[columns.advisoryProduct[ordinal]]];
      return packageOf(name, '').ecosystem;
    }),
  );
}

/** The latest first; of one instant, by id. Ids need no quotes. */
function csvOf(lines: readonly Line[]): string {
  const sorted = lines.toSorted((a, b) => compare(b.modified, a.modified) || compare(a.id, b.id));
  return sorted.map(({ modified, id }) => `${modified},${id}\n`).join('');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function shared(size: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(size));
}

function sharedCopy(bytes: Uint8Array): Uint8Array {
  const copy = shared(bytes.length);
  copy.set(bytes);
  return copy;
}

function textFile(generation: Generation, contentType: string, text: string): PreparedFile {
  const plain = Buffer.from(text);
  const gzip = gzipSync(plain);
  const file = fileOf(generation, contentType, sharedCopy(plain));
  if (gzip.length >= plain.length) return file;
  return { ...file, gzip: sharedCopy(gzip), gzipHeaders: [checksum(gzip)] };
}

function fileOf(generation: Generation, contentType: string, plain: Uint8Array): PreparedFile {
  return {
    contentType,
    plain,
    gzip: undefined,
    etag: etags.osv(generation),
    headers: [checksum(plain)],
  };
}

/** Of the bytes that are sent. */
function checksum(bytes: Uint8Array): ReplyHeader {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32c(bytes));
  return ['X-Goog-Hash', `crc32c=${sum.toString('base64')}`];
}

/** Answers with a file of the whole bucket. */
export function bucketFile(name: typeof ARCHIVE | typeof MODIFIED | typeof ECOSYSTEMS): ReadRoute['answer'] {
  return (request, _, context) => answerFile(request, context, name);
}

/** Answers with a file of the ecosystem in the path. */
export function ecosystemFile(name: typeof ARCHIVE | typeof MODIFIED): ReadRoute['answer'] {
  return (request, [part], context) => {
    const ecosystem = decodePart(part);
    return isHeld(ecosystem) ? answerFile(request, context, `${ecosystem}/${name}`) : notFound(NO_FILE);
  };
}

/** Answers with the record of an ecosystem that the file's name means, as it is in the archive. */
export function handleRecordFile(
  request: RequestView,
  [ecosystemPart, filePart]: PathParts,
  context: HandlerContext,
): Answer {
  const ecosystem = decodePart(ecosystemPart);
  const file = decodePart(filePart);
  if (file === undefined || !isHeld(ecosystem) || !file.endsWith(RECORD)) return notFound(NO_FILE);
  const { generation } = context;
  const id = file.slice(0, -RECORD.length);
  const head = findRecord(generation, id);
  const isHere =
    head !== undefined &&
    recordsOf(generation).idOf(head) === id &&
    ecosystemsOf(generation, head).has(ecosystem);
  return isHere ? answerRecord(request, context, head) : notFound(NO_FILE);
}

function isHeld(ecosystem: string | undefined): ecosystem is HeldEcosystem {
  return HELD_ECOSYSTEMS.some((name) => name === ecosystem);
}

function answerFile(request: RequestView, { prepared }: HandlerContext, name: string): Answer {
  if (prepared === undefined) return notYetPrepared();
  const file = prepared.get(`${PREFIX}${name}`);
  return file === undefined ? notYetPrepared() : answerPrepared(request, file);
}
