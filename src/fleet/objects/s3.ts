// A bucket of S3, or of anything that speaks its protocol: objects below a prefix, for reading and for
// publishing. Requests are signed by aws4fetch and sent by our own HTTP client, with its proxies,
// certificates and limits. A file is sent as one request with its hash in the signature, so that the store
// checks what it got; it is visible when it is whole.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import {
  HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type OpenAnswer,
} from '../../download/client.ts';
import { HttpError } from '../../download/http-error.ts';
import type { Environment } from '../../download/proxy.ts';
import { backoffMs, DEFAULT_RETRIES, isPassing, type RetryPolicy } from '../../download/retry.ts';
import { end, openContent, wholeOf } from './body.ts';
import { conditionHeader, getOverHttp } from './http-object.ts';
import {
  type AskedObject,
  type ListedObject,
  type ObjectContent,
  ObjectError,
  type ObjectReply,
  type ObjectTarget,
  type PutCondition,
  type PutOutcome,
} from './objects.ts';
import { CredentialChain } from './s3/credentials.ts';
import { type S3Place, s3PlaceOf } from './s3/place.ts';
import { S3Refusal, s3Refusal } from './s3/refusals.ts';
import { insidesOf, textOf } from './s3/xml.ts';

/** More than S3 takes in one request, and far more than any snapshot has. */
const MAX_PUT_BYTES = 5 * 2 ** 30;
const MAX_PAGE_BYTES = 4 << 20; // 1,000 names of at most 1,024 bytes, three for each that is escaped
const MAX_PAGES = 1000;
const EMPTY_SHA256 = createHash('sha256').digest('hex');
/** The condition does not hold; the object is gone; another request that writes it is under way. */
const CHANGED = [412, 404, 409];
/** Whose bodies are read here. */
const REFUSALS = [301, 400, 401, 403, 404, 405, 409, 411, 412, 501];

export interface S3Options extends Pick<HttpClientOptions, 'caFile' | 'environment'> {
  /** Whether an endpoint that is not this machine may be asked without encryption. */
  readonly mayBeHttp?: boolean;
  readonly nowMs?: () => number;
  /** Between two attempts to write. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** `location` is `s3://bucket/prefix`. Throws ObjectError, SourceError. */
export function openS3(location: string, options: S3Options): ObjectTarget {
  const { environment = process.env, mayBeHttp = false } = options;
  return new S3Store(s3PlaceOf(location, environment, mayBeHttp), { ...options, environment });
}

interface S3Request extends Omit<HttpRequest, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly sha256?: string;
  readonly signal: AbortSignal;
}

class S3Store implements ObjectTarget {
  readonly shownAs: string;
  readonly #place: S3Place;
  readonly #client: HttpClient;
  readonly #credentials: CredentialChain;
  readonly #nowMs: () => number;
  readonly #retries: RetryPolicy = { ...DEFAULT_RETRIES, attempts: 5 };
  readonly #wait: (ms: number, signal: AbortSignal) => Promise<unknown>;

  constructor(place: S3Place, options: S3Options & { readonly environment: Environment }) {
    const { caFile, environment, nowMs = Date.now } = options;
    this.shownAs = place.shownAs;
    this.#place = place;
    this.#client = new HttpClient({ caFile, environment });
    this.#credentials = new CredentialChain(environment, this.#client, place.region, nowMs);
    this.#nowMs = nowMs;
    this.#wait = options.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async get(name: string, asked: AskedObject): Promise<ObjectReply> {
    const url = this.#urlOf(name);
    const explain = async (answer: OpenAnswer): Promise<ObjectError | undefined> => {
      const refusal = await s3Refusal(`GET ${this.#shown(name)}`, answer);
      const isAbsent =
        answer.head.status === 404 && !(refusal instanceof S3Refusal && refusal.code === 'NoSuchBucket');
      return isAbsent ? undefined : refusal;
    };
    const headers = await this.#signed('GET', url, { signal: asked.signal });
    return getOverHttp(this.#client, url, asked, { headers, answers: REFUSALS, explain });
  }

  async put(
    name: string,
    content: ObjectContent,
    signal: AbortSignal,
    condition?: PutCondition,
  ): Promise<PutOutcome> {
    const what = `PUT ${this.#shown(name)}`;
    const length = content.kind === 'file' ? content.bytes : content.bytes.length;
    if (length > MAX_PUT_BYTES) {
      throw new ObjectError(
        `${what}: it has ${length} bytes, and S3 takes at most ${MAX_PUT_BYTES} at once`,
        false,
      );
    }
    const answer = await this.#ask(what, this.#urlOf(name), {
      method: 'PUT',
      headers: {
        'content-type': content.type,
        'cache-control': content.cacheControl,
        'content-length': String(length),
        ...conditionHeader(condition),
      },
      sha256: content.kind === 'file' ? content.sha256 : sha256Of(content.bytes),
      ...(content.kind === 'file' ? { openBody: () => openContent(content) } : { body: content.bytes }),
      signal,
    });
    const { status } = answer.head;
    if (condition !== undefined && CHANGED.includes(status)) {
      await end(answer.body);
      return 'changed';
    }
    if (condition !== undefined && status === 501) {
      await end(answer.body);
      return 'unable';
    }
    await this.#requireSuccess(what, answer);
    return 'stored';
  }

  async list(prefix: string, signal: AbortSignal): Promise<readonly ListedObject[]> {
    const what = `list ${this.#shown(prefix)}`;
    const found: ListedObject[] = [];
    let next: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = new URL(this.#place.url);
      url.searchParams.set('list-type', '2');
      url.searchParams.set('prefix', this.#place.prefix + prefix);
      if (next !== undefined) url.searchParams.set('continuation-token', next);
      const answer = await this.#ask(what, url, { signal });
      if (answer.head.status >= 300) throw await s3Refusal(what, answer);
      const xml = (await wholeOf(answer.body, MAX_PAGE_BYTES, what)).toString();
      if (textOf(xml, 'Name') === undefined) {
        throw new ObjectError(`${what}: the answer is not a list; check AWS_ENDPOINT_URL`, false);
      }
      for (const inside of insidesOf(xml, 'Contents')) {
        const key = textOf(inside, 'Key') ?? '';
        if (!key.startsWith(this.#place.prefix)) continue;
        found.push({
          name: key.slice(this.#place.prefix.length),
          bytes: Number(textOf(inside, 'Size')),
          changedAtMs: Date.parse(textOf(inside, 'LastModified') ?? ''),
        });
      }
      next = textOf(xml, 'NextContinuationToken');
      if (textOf(xml, 'IsTruncated') !== 'true' || next === undefined) return found;
    }
    throw new ObjectError(`${what}: there are too many objects; use another prefix`, false);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const what = `DELETE ${this.#shown(name)}`;
    const answer = await this.#ask(what, this.#urlOf(name), { method: 'DELETE', signal });
    if (answer.head.status === 404) await end(answer.body);
    else await this.#requireSuccess(what, answer);
  }

  async #requireSuccess(what: string, answer: OpenAnswer): Promise<void> {
    if (answer.head.status >= 300) throw await s3Refusal(what, answer);
    await end(answer.body);
  }

  /**
   * A success, or a refusal whose body is to be read. What can pass is tried again, with a new signature: one
   * is good for a few minutes.
   */
  async #ask(what: string, url: URL, asked: S3Request): Promise<OpenAnswer> {
    const { sha256: _, ...request } = asked;
    const { attempts } = this.#retries;
    for (let attempt = 1; ; attempt++) {
      const headers = await this.#signed(request.method ?? 'GET', url, asked);
      try {
        return await this.#client.open(url, { ...request, headers, answers: REFUSALS });
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        const { code, status = 0, message } = error;
        const canPass = code === 'unreachable' || isPassing(status);
        if (!canPass || attempt >= attempts) {
          const tried = attempt === 1 ? '' : `; this was attempt ${attempt}, try again later`;
          throw new ObjectError(`${what}: ${message}${tried}`, canPass, { cause: error });
        }
      }
      await this.#wait(backoffMs(this.#retries, attempt, Math.random()), asked.signal);
    }
  }

  /** The headers with a signature; as they are without credentials. */
  async #signed(method: string, url: URL, asked: S3Request): Promise<Record<string, string>> {
    const { headers = {}, sha256 = EMPTY_SHA256, signal } = asked;
    const credentials = await this.#credentials.find(signal);
    if (credentials === undefined) return { ...headers };
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': sha256 },
      service: 's3',
      region: this.#place.region,
      datetime: new Date(this.#nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    return Object.fromEntries((await signer.sign()).headers);
  }

  #urlOf(name: string): URL {
    const path = `${this.#place.prefix}${name}`.split('/').map(escaped).join('/');
    const url = new URL(path, this.#place.url);
    if (name === '' || url.href !== this.#place.url.href + path) {
      throw new ObjectError(
        `${this.shownAs}: ${JSON.stringify(name)} is not the name of an object in it`,
        false,
      );
    }
    return url;
  }

  #shown(name: string): string {
    return `${this.shownAs}/${name}`;
  }
}

/** As the signature has it. */
function escaped(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
