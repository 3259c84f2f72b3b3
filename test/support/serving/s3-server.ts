// A bucket as S3 keeps one, as strict as S3: signatures are computed here from what arrived, bodies are held
// against the hash that was signed, conditions and ranges are obeyed, lists come in pages. What a test does
// not need is refused and not guessed.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FolderOwner } from '../folder.ts';
import { type Asked, startWebServer } from './web-server.ts';

export const S3_KEYS = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'eu-test-1',
};
const BUCKET = 'data';
const SKEW_MS = 15 * 60_000;
const NAMES_A_PAGE = 2;

export interface S3Server {
  readonly url: URL;
  readonly location: string;
  readonly objects: Map<string, { bytes: Buffer; headers: Record<string, string>; changedAtMs: number }>;
  readonly asked: readonly Asked[];
}

export interface S3ServerOptions {
  readonly nowMs?: () => number;
  readonly sessionToken?: string;
  readonly isPublic?: boolean;
  /** Conditions of a PUT: obeyed, ignored as by older servers, or refused. */
  readonly conditions?: 'kept' | 'ignored' | 'refused';
  /** Answers in the bucket's place, if it returns true. */
  readonly instead?: (asked: Asked, response: ServerResponse, number: number) => boolean;
}

class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export async function startS3Server(owner: FolderOwner, options: S3ServerOptions = {}): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map();
  const nowMs = options.nowMs ?? Date.now;
  const server = await startWebServer(owner, (asked, response, number) => {
    if (options.instead?.(asked, response, number) === true) return;
    try {
      if (options.isPublic !== true) requireSignature(asked, options.sessionToken, nowMs());
      answer(asked, response, objects, options, nowMs());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const token = options.sessionToken === undefined ? '' : `<Token-0>${options.sessionToken}</Token-0>`;
      response.writeHead(error.status, { 'content-type': 'application/xml' });
      response.end(
        `<?xml version="1.0"?>\n<Error><Code>${error.code}</Code><Message>No.</Message>${token}</Error>`,
      );
    }
  });
  return { url: server.url, location: `s3://${BUCKET}/fleet`, objects, asked: server.asked };
}

function answer(
  { method, url, headers, bytes }: Asked,
  response: ServerResponse,
  objects: S3Server['objects'],
  { conditions = 'kept' }: S3ServerOptions,
  nowMs: number,
): void {
  const { pathname, searchParams } = new URL(url, 'http://x');
  const [, bucket, ...parts] = pathname.split('/');
  if (bucket !== BUCKET) throw new Refused(404, 'NoSuchBucket');
  const key = parts.map(decodeURIComponent).join('/');
  if (method === 'GET' && key === '') {
    list(response, objects, searchParams);
    return;
  }
  const found = objects.get(key);
  const etag = found === undefined ? undefined : `"${createHash('md5').update(found.bytes).digest('hex')}"`;
  switch (method) {
    case 'PUT': {
      const { 'if-match': match, 'if-none-match': noneMatch } = headers;
      if (match !== undefined || noneMatch !== undefined) {
        if (conditions === 'refused') throw new Refused(501, 'NotImplemented');
        const holds = match === undefined ? found === undefined : match === etag;
        if (conditions === 'kept' && !holds) throw new Refused(412, 'PreconditionFailed');
      }
      if (headers['content-length'] === undefined) throw new Refused(411, 'MissingContentLength');
      const kept = ['content-type', 'cache-control'].flatMap((name) => {
        const value = headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      });
      objects.set(key, { bytes, headers: Object.fromEntries(kept), changedAtMs: nowMs });
      response.end();
      return;
    }
    case 'DELETE':
      objects.delete(key);
      response.writeHead(204).end();
      return;
    case 'GET': {
      if (found === undefined || etag === undefined) throw new Refused(404, 'NoSuchKey');
      if (headers['if-none-match'] === etag) {
        response.writeHead(304, { etag }).end();
        return;
      }
      const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? [];
      const isPart = from !== undefined && (headers['if-range'] ?? etag) === etag;
      if (isPart && Number(from) >= found.bytes.length) throw new Refused(416, 'InvalidRange');
      const body = isPart ? found.bytes.subarray(Number(from)) : found.bytes;
      const range = `bytes ${from}-${found.bytes.length - 1}/${found.bytes.length}`;
      const about = isPart ? { 'content-range': range } : {};
      response.writeHead(isPart ? 206 : 200, {
        ...found.headers,
        etag,
        'content-length': body.length,
        ...about,
      });
      response.end(body);
      return;
    }
    default:
      throw new Refused(405, 'MethodNotAllowed');
  }
}

function list(response: ServerResponse, objects: S3Server['objects'], asked: URLSearchParams): void {
  if (asked.get('list-type') !== '2') throw new Refused(501, 'NotImplemented');
  const after = asked.get('continuation-token') ?? '';
  const names = [...objects.keys()]
    .filter((name) => name.startsWith(asked.get('prefix') ?? '') && name > after)
    .sort();
  const page = names.slice(0, NAMES_A_PAGE);
  const contents = page.map((name) => {
    const { bytes, changedAtMs } = objects.get(name) ?? { bytes: Buffer.alloc(0), changedAtMs: 0 };
    const key = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const changed = new Date(changedAtMs).toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${changed}</LastModified><Size>${bytes.length}</Size></Contents>`;
  });
  const isTruncated = names.length > page.length;
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  response.setHeader('content-type', 'application/xml');
  response.end(
    `<ListBucketResult><Name>${BUCKET}</Name><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}

/** Signature version 4, as Amazon describes how to compute it: what was signed is what arrived. */
function requireSignature(
  { method, url, headers, bytes }: Asked,
  token: string | undefined,
  nowMs: number,
): void {
  const [, keyId, day, region, signed, given] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (keyId === undefined) throw new Refused(403, 'AccessDenied');
  if (keyId !== S3_KEYS.AWS_ACCESS_KEY_ID) throw new Refused(403, 'InvalidAccessKeyId');
  if (region !== S3_KEYS.AWS_REGION) throw new Refused(400, 'AuthorizationHeaderMalformed');
  const date = String(headers['x-amz-date']);
  const [, year, month, dayOfMonth, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const atMs = Date.parse(`${year}-${month}-${dayOfMonth}T${hour}:${minute}:${second}Z`);
  if (!(Math.abs(nowMs - atMs) <= SKEW_MS)) throw new Refused(403, 'RequestTimeTooSkewed');
  if (headers['x-amz-security-token'] !== token) throw new Refused(400, 'InvalidToken');
  const names = signed.split(';');
  const mustBeSigned = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (mustBeSigned.some((name) => !names.includes(name))) throw new Refused(403, 'AccessDenied');
  const { pathname, searchParams } = new URL(url, 'http://x');
  const canonical = [
    method,
    pathname
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    [...searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, text) => hmac(secret, text),
    `AWS4${S3_KEYS.AWS_SECRET_ACCESS_KEY}`,
  );
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(given, 'hex')))
    throw new Refused(403, 'SignatureDoesNotMatch');
  if (headers['x-amz-content-sha256'] !== sha256(bytes)) throw new Refused(400, 'XAmzContentSHA256Mismatch');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
