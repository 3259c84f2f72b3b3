// The OSV dialect's handlers called as functions: a question as a value, the answer as parsed JSON.

import assert from 'node:assert/strict';
import { handleQuery } from '../../../src/dialects/osv/query.ts';
import { handleQueryBatch } from '../../../src/dialects/osv/querybatch.ts';
import type { HandlerContext } from '../../../src/http/context.ts';
import type { BodyRoute } from '../../../src/http/routing/dialect.ts';
import { OwnAddress } from '../../../src/http/transport/own-address.ts';
import { finish } from '../../../src/http/work/steps.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import type { OsvJson } from '../feeds/osv.ts';

export interface OsvEntry {
  readonly id: string;
  readonly modified: string;
}

export interface OsvList<Entry> {
  readonly vulns?: readonly Entry[];
  readonly next_page_token?: string;
}

export type OsvRecordJson = OsvJson & { readonly database_specific: { readonly ids: readonly number[] } };

export class OsvCalls {
  readonly #context: HandlerContext;

  constructor(generation: Generation) {
    this.#context = {
      generation,
      memory: new ThreadMemory(generation),
      kept: [],
      prepared: undefined,
      nowMs: 0,
      own: new OwnAddress(),
      latestAnchor: 'snapshot',
    };
  }

  query(query: unknown): OsvList<OsvRecordJson> {
    return JSON.parse(this.#text(handleQuery, '', query)); // the caller knows what it asked for
  }

  /** Whether a query has an answer: its version can be read. */
  answers(query: unknown): boolean {
    const bytes = Buffer.from(JSON.stringify(query));
    return finish(handleQuery('', [], bytes, this.#context, () => undefined)).kind === 'json';
  }

  batch(queries: readonly unknown[]): readonly OsvList<OsvEntry>[] {
    return JSON.parse(this.#text(handleQueryBatch, '', { queries })).results;
  }

  /** The same, with further pages for queries that have a token, as clients ask for them. */
  wholeBatch(queries: readonly object[]): readonly (readonly OsvEntry[])[] {
    const lists: OsvEntry[][] = queries.map(() => []);
    let open = queries.map((query, i) => ({ query, i }));
    while (open.length > 0) {
      const results = this.batch(open.map(({ query }) => query));
      open = open.flatMap(({ query, i }, at) => {
        const { vulns = [], next_page_token: token } = results[at];
        lists[i].push(...vulns);
        return token === undefined ? [] : [{ query: { ...query, page_token: token }, i }];
      });
    }
    return lists;
  }

  fullBatch(queries: readonly unknown[]): readonly OsvList<OsvRecordJson>[] {
    return JSON.parse(this.#text(handleQueryBatch, 'full=1', { queries })).results;
  }

  #text(handle: BodyRoute['answer'], parameters: string, body: unknown): string {
    const bytes = Buffer.from(JSON.stringify(body));
    const answer = finish(handle(parameters, [], bytes, this.#context, () => undefined));
    // As text only then: an answer may have 8 MiB.
    if (answer.kind !== 'json') assert.fail(JSON.stringify(answer));
    return typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString();
  }
}
