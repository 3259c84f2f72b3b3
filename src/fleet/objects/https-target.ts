// A web server that takes PUT, as WebDAV and most servers of artefacts do. It decides what of that is right:
// whether a file appears whole, whether conditions count. Names cannot be listed, so nothing is removed.

import { HttpClient, type HttpClientOptions } from '../../download/client.ts';
import { HttpError } from '../../download/http-error.ts';
import { MANIFEST_NAME } from '../manifest.ts';
import { end, openContent } from './body.ts';
import { canPass, conditionHeader } from './http-object.ts';
import { HttpsSource } from './https.ts';
import {
  type AskedObject,
  type ObjectContent,
  ObjectError,
  type ObjectReply,
  type ObjectTarget,
  type PutCondition,
  type PutOutcome,
} from './objects.ts';
import { requireEncrypted } from './plain-http.ts';

export interface HttpsTargetOptions
  extends Pick<HttpClientOptions, 'caFile' | 'environment' | 'retries' | 'wait'> {
  /** The value of the header, in place of the URL's user and password. */
  readonly authorization?: string | undefined;
  readonly mayBeHttp?: boolean;
}

/** Answers, and not failures: the condition does not hold, or is not known. */
const CONFLICTS = [412, 501];

export class HttpsTarget implements ObjectTarget {
  readonly shownAs: string;
  readonly #source: HttpsSource;
  readonly #client: HttpClient;

  /** `location` is a folder, or the manifest in it. Throws ObjectError, SourceError. */
  constructor(location: URL, options: HttpsTargetOptions = {}) {
    const { authorization, mayBeHttp = false, ...http } = options;
    requireEncrypted(location, mayBeHttp, '--to');
    const folder = new URL(location);
    if (!folder.pathname.endsWith('/') && !folder.pathname.endsWith(`/${MANIFEST_NAME}`))
      folder.pathname += '/';
    const manifest = new URL(folder);
    manifest.pathname = new URL(MANIFEST_NAME, folder).pathname;
    const { caFile, environment } = http;
    this.#source = new HttpsSource(manifest, {
      caFile,
      ...(environment === undefined ? {} : { environment }),
      authorization,
    });
    this.#client = new HttpClient({ ...http, secrets: this.#source.secrets });
    this.shownAs = this.#source.shownAs.replace(new RegExp(`${MANIFEST_NAME}$`), '');
  }

  get(name: string, asked: AskedObject): Promise<ObjectReply> {
    return this.#source.get(name, asked);
  }

  async close(): Promise<void> {
    await Promise.all([this.#source.close(), this.#client.close()]);
  }

  async put(
    name: string,
    content: ObjectContent,
    signal: AbortSignal,
    condition?: PutCondition,
  ): Promise<PutOutcome> {
    const { url, headers } = this.#source.requestOf(name);
    const length = content.kind === 'file' ? content.bytes : content.bytes.length;
    const status = await this.#client
      .stream(
        url,
        {
          method: 'PUT',
          headers: {
            ...headers,
            'content-type': content.type,
            'cache-control': content.cacheControl,
            'content-length': String(length),
            ...conditionHeader(condition),
          },
          ...(content.kind === 'file' ? { openBody: () => openContent(content) } : { body: content.bytes }),
          answers: condition === undefined ? [] : CONFLICTS,
          signal,
        },
        async (head) => head.status,
      )
      .catch((error: unknown) => {
        throw explained(error);
      });
    if (status === 412) return 'changed';
    if (status === 501) return 'unable';
    await this.#requireSize(name, length, signal);
    return 'stored';
  }

  async list(): Promise<undefined> {
    return undefined;
  }

  async remove(name: string): Promise<void> {
    throw new ObjectError(`${this.shownAs}${name}: nothing is removed from a web server`, false);
  }

  /** A server that takes a PUT for something else, such as a form, answers with a success too. */
  async #requireSize(name: string, bytes: number, signal: AbortSignal): Promise<void> {
    const reply = await this.get(name, { signal });
    if (reply.kind === 'found') await end(reply.body);
    if (reply.kind === 'found' && (reply.bytes ?? bytes) === bytes) return;
    const got = reply.kind === 'found' ? `it has ${reply.bytes} bytes there` : 'it is not there afterwards';
    throw new ObjectError(
      `PUT ${this.shownAs}${name}: accepted, but ${got} and not ${bytes}; check that the server stores what is put`,
      false,
    );
  }
}

const REMEDIES: ReadonlyMap<number, string> = new Map([
  [401, 'check the password in the URL, or the file of --authorization-file'],
  [403, 'allow these credentials to write there'],
  [405, 'the server takes no PUT there: allow it, or publish to a folder or a bucket'],
  [409, 'the folder is missing: make it, or let the server make it (nginx: create_full_put_path on)'],
  [413, 'raise the largest body that the server takes (nginx: client_max_body_size)'],
]);

function explained(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  const { status = 0, message } = error;
  const remedy = REMEDIES.get(status);
  const said = remedy === undefined ? message : `${message}; ${remedy}`;
  return new ObjectError(said, canPass(error), { cause: error });
}
