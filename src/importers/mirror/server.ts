// One server of this API: asks it with the key, and keeps its answers. Each answer has the tag with which it
// can be asked for again; what the tags of several answers mean together is for walk.ts to decide.

import { createHash } from 'node:crypto';
import type { HttpAnswer, HttpClient } from '../../download/client.ts';
import { HttpError, shownUrl } from '../../download/http-error.ts';
import type { AnswerStore, KeptAnswer } from './answer-folder.ts';
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
  readonly #answers: AnswerStore;
  readonly #maxBytes: number;
  /** By name: the hash of each answer that was asked for. */
  readonly #used = new Map<string, string>();
  #bytes = 0;

  /** All answers together, as they are read, have at most `maxBytes`: a server can go on for ever. */
  constructor(base: string, key: string, client: HttpClient, answers: AnswerStore, maxBytes: number) {
    this.#base = base;
    this.#key = key;
    this.#client = client;
    this.#answers = answers;
    this.#maxBytes = maxBytes;
  }

  /**
   * The answer to a path, kept under a name. A kept one is used if its tag is `trusted`, or if the server
   * says that it is still right. `check` throws for an answer that must not be kept.
   */
  async get(
    name: string,
    path: string,
    trusted: string | undefined,
    check: (answer: ServerAnswer) => void,
  ): Promise<ServerAnswer> {
    const url = this.#urlOf(path);
    const kept = this.#answers.find(name, url.href);
    if (kept?.tag !== undefined && kept.tag === trusted) return this.#again(name, url, kept);
    const answer = await this.#client.fetch(url, MAX_ANSWER_BYTES, {
      headers: { pskey: this.#key, ...(kept?.tag === undefined ? {} : { 'if-none-match': kept.tag }) },
    });
    if (answer.status === 304 && kept !== undefined) return this.#again(name, url, kept);
    return this.#take(name, url.href, answer, check);
  }

  /** The answer to a posted body; only the tag decides whether a kept one is used. */
  async post(
    name: string,
    path: string,
    body: string,
    trusted: string | undefined,
    check: (answer: ServerAnswer) => void,
  ): Promise<ServerAnswer> {
    const url = this.#urlOf(path);
    const question = `${url.href} ${createHash('sha256').update(body).digest('hex')}`;
    const kept = this.#answers.find(name, question);
    if (kept?.tag !== undefined && kept.tag === trusted) return this.#again(name, url, kept);
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
    const kept = this.#answers.find(name, this.#urlOf(path).href);
    return kept === undefined || kept.tag !== tag ? undefined : kept.body;
  }

  /**
   * Removes kept answers that were not asked for since the server was opened, or since the last call of
   * `forget`.
   */
  sweep(): void {
    this.#answers.retain(new Set(this.#used.keys()));
  }

  /** Removes all kept answers. */
  forget(): void {
    this.#used.clear();
    this.#bytes = 0;
    this.sweep();
  }

  /**
   * Of all answers since the server was opened, or since the last call of `forget`: what they say, not their
   * tags.
   */
  fingerprint(): string {
    return createHash('sha256')
      .update(JSON.stringify([...this.#used]))
      .digest('hex');
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
      throw new HttpError(
        'unusable',
        `${shownUrl(answer.url)}: status 304 to a request without a condition`,
        304,
      );
    }
    check(taken);
    this.#note(name, taken.body);
    this.#answers.put(name, question, taken);
    return taken;
  }

  #again(name: string, url: URL, { tag, body }: KeptAnswer): ServerAnswer {
    this.#note(name, body);
    return { body, tag, origin: { url, type: 'kept', secrets: [this.#key] } };
  }

  #note(name: string, body: Buffer): void {
    this.#bytes += body.length;
    if (this.#bytes > this.#maxBytes) {
      throw new HttpError(
        'too-large',
        `${this.#base}: all answers together have more than ${this.#maxBytes} bytes; check the URL, or raise ` +
          '--mirror-max-bytes (max_download_bytes in a configuration)',
      );
    }
    this.#used.set(name, createHash('sha256').update(body).digest('hex'));
  }

  #urlOf(path: string): URL {
    return new URL(`${this.#base}${path}`);
  }
}
