// One server of this API: asks it with the key, and keeps its answers. Each answer has the tag with which it can be asked
// for again; what the tags of several answers mean together is for walk.ts to decide.

import { createHash } from 'node:crypto';
import type { HttpAnswer, HttpClient } from '../download/client.ts';
import { HttpError } from '../download/http-error.ts';
import type { AnswerStore, KeptAnswer } from './keep.ts';
import type { Origin } from './page.ts';

/** No page of 500 advisories is larger, nor a batch. */
export const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

/** An answer, new or kept. */
export interface ServerAnswer {
  readonly body: Buffer;
  readonly tag: string | undefined;
  readonly origin: Origin;
}

export class ApiServer {
  /** Without a slash at its end. */
  readonly #base: string;
  readonly #key: string;
  readonly #client: HttpClient;
  readonly #keep: AnswerStore;
  readonly #used = new Set<string>();

  constructor(base: string, key: string, client: HttpClient, keep: AnswerStore) {
    this.#base = base;
    this.#key = key;
    this.#client = client;
    this.#keep = keep;
  }

  /**
   * The answer to a path, kept under a name. A kept one is used if its tag is `trusted`, or if the server says that it is
   * still right. `check` throws for an answer that must not be kept.
   */
  async get(
    name: string,
    path: string,
    trusted: string | undefined,
    check: (answer: ServerAnswer) => void,
  ): Promise<ServerAnswer> {
    this.#used.add(name);
    const url = this.#urlOf(path);
    const kept = this.#keep.find(name, url.href);
    if (kept?.tag !== undefined && kept.tag === trusted) return this.#again(url, kept);
    const answer = await this.#client.fetch(url, MAX_ANSWER_BYTES, {
      headers: { pskey: this.#key, ...(kept?.tag === undefined ? {} : { 'if-none-match': kept.tag }) },
    });
    if (answer.status === 304 && kept !== undefined) return this.#again(url, kept);
    return this.#take(name, url.href, answer, check);
  }

  /** The same for a body that is posted; only the tag decides whether a kept answer is used. */
  async post(
    name: string,
    path: string,
    body: string,
    trusted: string | undefined,
    check: (answer: ServerAnswer) => void,
  ): Promise<ServerAnswer> {
    this.#used.add(name);
    const url = this.#urlOf(path);
    const question = `${url.href} ${createHash('sha256').update(body).digest('hex')}`;
    const kept = this.#keep.find(name, question);
    if (kept?.tag !== undefined && kept.tag === trusted) return this.#again(url, kept);
    const answer = await this.#client.fetch(url, MAX_ANSWER_BYTES, {
      method: 'POST',
      headers: { pskey: this.#key, 'content-type': 'application/json' },
      body,
    });
    return this.#take(name, question, answer, check);
  }

  /** Whether the path still has the answer: by its tag, or byte for byte if it has none. */
  async isStill(path: string, { tag, body }: ServerAnswer): Promise<boolean> {
    const answer = await this.#client.fetch(this.#urlOf(path), MAX_ANSWER_BYTES, {
      headers: { pskey: this.#key, ...(tag === undefined ? {} : { 'if-none-match': tag }) },
    });
    // A page may be the same in two snapshots, so a tag decides if there is one.
    return tag === undefined
      ? answer.body.equals(body)
      : answer.status === 304 || answer.header('etag') === tag;
  }

  /** An answer that `get` gave, read again. Undefined if it is not kept any more, or was replaced. */
  recall(name: string, path: string, tag: string | undefined): Buffer | undefined {
    const kept = this.#keep.find(name, this.#urlOf(path).href);
    return kept === undefined || kept.tag !== tag ? undefined : kept.body;
  }

  /** Removes kept answers that were not asked for since the server was opened, or since the last call of `forget`. */
  sweep(): void {
    this.#keep.retain(this.#used);
  }

  /** Removes all kept answers. */
  forget(): void {
    this.#used.clear();
    this.sweep();
  }

  #take(
    name: string,
    question: string,
    answer: HttpAnswer,
    check: (answer: ServerAnswer) => void,
  ): ServerAnswer {
    const type = answer.header('content-type') ?? 'no content type';
    const origin = { url: answer.url, type, secrets: [this.#key] };
    const taken = { body: answer.body, tag: answer.header('etag'), origin };
    if (answer.status === 304) {
      throw new HttpError('unusable', `${answer.url.href}: status 304 to a request without a condition`, 304);
    }
    check(taken);
    this.#keep.put(name, question, taken);
    return taken;
  }

  #again(url: URL, { tag, body }: KeptAnswer): ServerAnswer {
    return { body, tag, origin: { url, type: 'kept', secrets: [this.#key] } };
  }

  #urlOf(path: string): URL {
    return new URL(`${this.#base}${path}`);
  }
}
