// What each dialect says about versions, asked as its clients ask, for comparison with one oracle. Shapes of
// answers are checked by the tests of the dialects.

import assert from 'node:assert/strict';
import { packageOf } from '../../src/dialects/osv/ecosystems.ts';
import type { AskedPair } from '../support/answers/asked-pairs.ts';
import type { AskInProcess } from '../support/serving/in-process.ts';

/** By pair: the ids of what applies, descending; undefined for "not a version". */
type Verdicts = readonly (readonly number[] | undefined)[];
/** By pair: whether anything applies; undefined for "not a version". */
type Flags = readonly (boolean | undefined)[];

interface Item {
  readonly id: number;
}

const BATCH_ITEMS = 50;
const FLAT = '/database/api/v2';
const AUDITS = '/-/npm/v1/security';

export class AskedDialects {
  readonly #ask: AskInProcess;

  constructor(ask: AskInProcess) {
    this.#ask = ask;
  }

  /** The answer, parsed. Throws AssertionError for another status. */
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape of its answers, which other tests check
  answer(path: string, body?: unknown, status = 200): any {
    const reply = this.#ask(path, body);
    assert.equal(reply.status, status, `${path}: ${reply.text.slice(0, 500)}`);
    return JSON.parse(reply.text);
  }

  product(pairs: readonly AskedPair[], base = ''): Verdicts {
    return pairs.map((pair) => {
      const body = this.#about(pair, `${base}/product/${pathOf(pair)}`);
      return body === undefined ? undefined : idsOf(body.vulnerabilities);
    });
  }

  exists(pairs: readonly AskedPair[], base = ''): Flags {
    return pairs.map((pair) => this.#about(pair, `${base}/product/${pathOf(pair)}/exists`)?.vulnerable);
  }

  explain(pairs: readonly AskedPair[]): Verdicts {
    return pairs.map((pair) => {
      const body = this.#about(pair, `/explain/${pathOf(pair)}`);
      if (body === undefined) return undefined;
      interface Explained extends Item {
        readonly applies: boolean;
        readonly ranges: readonly { readonly excluded_by: string | null }[];
      }
      const advisories = body.advisories as readonly Explained[];
      for (const { applies, ranges } of advisories) {
        // The comparisons, which are made span by span, and the verdict, which is the index's.
        const isInside = ranges.some(({ excluded_by }) => excluded_by === null);
        assert.equal(isInside, applies, pathOf(pair));
      }
      return idsOf(advisories.filter(({ applies }) => applies));
    });
  }

  batch(pairs: readonly AskedPair[]): Verdicts {
    return this.#batches(pairs, {}).map((result) => {
      if (result.vulnerabilities !== undefined) return idsOf(result.vulnerabilities);
      assert.equal(result.error?.code, 'invalid_version');
      return undefined;
    });
  }

  batchExists(pairs: readonly AskedPair[]): Flags {
    return this.#batches(pairs, { exists: true }).map(({ vulnerable }) => vulnerable);
  }

  flatProduct(pairs: readonly AskedPair[]): Verdicts {
    return this.product(pairs, FLAT);
  }

  flatExists(pairs: readonly AskedPair[]): Flags {
    return this.exists(pairs, FLAT);
  }

  /** Has one member for each slug, and takes what is not a version for "any version". */
  flatBatch(pairs: readonly AskedPair[]): Verdicts {
    return inGroups(pairs, (group, found) => {
      for (const items of chunksOf(group, BATCH_ITEMS)) {
        const asked = items.map(({ type, name, version }) => ({ type, name, version }));
        const { vulnerabilities } = this.answer(`${FLAT}/batch`, asked);
        assert.equal(Object.keys(vulnerabilities).length, items.length);
        for (const pair of items) found.set(pair, idsOf(vulnerabilities[pair.name]));
      }
    });
  }

  npmBulk(pairs: readonly AskedPair[]): Verdicts {
    return inGroups(pairs, (group, found) => {
      const body = Object.fromEntries(group.map(({ name, version }) => [name, [version]]));
      const answer = this.answer(`${AUDITS}/advisories/bulk`, body);
      for (const pair of group) {
        found.set(pair, Object.hasOwn(answer, pair.name) ? descending(idsOf(answer[pair.name])) : []);
      }
    });
  }

  npmQuick(pairs: readonly AskedPair[]): Verdicts {
    return inGroups(pairs, (group, found) => {
      const dependencies = Object.fromEntries(group.map(({ name, version }) => [name, { version }]));
      const body = { name: 'root', version: '1.0.0', requires: {}, dependencies };
      const { advisories } = this.answer(`${AUDITS}/audits/quick`, body);
      interface Reported extends Item {
        readonly module_name: string;
        readonly findings: readonly { readonly version: string }[];
      }
      const ids = new Map<string, number[]>(group.map(({ name }) => [name, []]));
      for (const { id, module_name, findings } of Object.values(advisories) as Reported[]) {
        const pair = group.find(({ name }) => name === module_name);
        assert.deepEqual(
          findings.map(({ version }) => version),
          [pair?.version],
          module_name,
        );
        ids.get(module_name)?.push(id);
      }
      for (const pair of group) found.set(pair, descending(ids.get(pair.name) as number[])); // of this group
    });
  }

  /** All versions of each name at once: an advisory is listed if it applies to at least one of them. */
  assertBulkOfSeveral(pairs: readonly AskedPair[]): void {
    const byName = new Map<string, AskedPair[]>();
    for (const pair of pairs) byName.set(pair.name, [...(byName.get(pair.name) ?? []), pair]);
    const versions = [...byName].map(([name, asked]) => [name, asked.map(({ version }) => version)]);
    const answer = this.answer(`/npm${AUDITS}/advisories/bulk`, Object.fromEntries(versions));
    for (const [name, asked] of byName) {
      const expected = new Set(asked.flatMap((pair) => pair.expected ?? []));
      const got = Object.hasOwn(answer, name) ? idsOf(answer[name]) : [];
      assert.deepEqual(descending(got), descending(expected), name);
    }
  }

  /**
   * The ids of OSV records for each pair, each once, in the order of the answer. What is not a version finds
   * nothing.
   */
  osvBatch(pairs: readonly AskedPair[]): string[][] {
    const found: string[][] = pairs.map(() => []);
    // A batch lists a limited number of records; the queries without room are sent again with the token they
    // got.
    let open = pairs.map((pair, i) => ({ query: osvQuery(pair), i }));
    while (open.length > 0) {
      const { results } = this.answer('/osv/v1/querybatch', { queries: open.map(({ query }) => query) });
      assert.equal(results.length, open.length);
      open = open.flatMap(({ i }, at) => {
        const result = results[at] as OsvResult;
        found[i].push(...osvIds(result));
        const token = result.next_page_token;
        return token === undefined ? [] : [{ query: { ...osvQuery(pairs[i]), page_token: token }, i }];
      });
    }
    return found.map((ids) => [...new Set(ids)]);
  }

  /** A version that cannot be read; of a pair without one, all records are asked for. */
  assertOsvRefuses(pair: AskedPair): void {
    if (pair.version !== '') this.answer('/osv/v1/query', osvQuery(pair), 400);
  }

  osvQuery(pair: AskedPair): string[] {
    return osvIds(this.answer('/osv/v1/query', osvQuery(pair)));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #about(pair: AskedPair, path: string): any {
    const body = this.answer(path, undefined, pair.expected === undefined ? 422 : 200);
    return pair.expected === undefined ? undefined : body;
  }

  #batches(pairs: readonly AskedPair[], more: object): readonly BatchResult[] {
    return chunksOf(pairs, BATCH_ITEMS).flatMap((items): readonly BatchResult[] =>
      this.answer(
        '/batch',
        items.map(({ type, name, version }) => ({ type, name, version, ...more })),
      ),
    );
  }
}

interface BatchResult {
  readonly vulnerable?: boolean;
  readonly vulnerabilities?: readonly Item[];
  readonly error?: { readonly code: string };
}

interface OsvResult {
  readonly vulns?: readonly { readonly id: string }[];
  readonly next_page_token?: string;
}

const osvIds = ({ vulns = [] }: OsvResult): string[] => vulns.map(({ id }) => id);

function osvQuery({ type, name, version }: AskedPair): {
  readonly package: object;
  readonly version: string;
} {
  return { package: packageOf(type, name), version };
}

const idsOf = (items: readonly Item[]): number[] => items.map(({ id }) => id);

const descending = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => b - a);

export function pathOf({ type, name, version }: AskedPair): string {
  return `${type}/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
}

function chunksOf<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size),
  );
}

/** Asks about the pairs in groups that have each name once, as the bodies of some dialects do. */
function inGroups(
  pairs: readonly AskedPair[],
  askAbout: (group: readonly AskedPair[], found: Map<AskedPair, readonly number[]>) => void,
): Verdicts {
  const groups: AskedPair[][] = [];
  const seen = new Map<string, number>();
  for (const pair of pairs) {
    const group = seen.get(pair.name) ?? 0;
    seen.set(pair.name, group + 1);
    groups[group] ??= [];
    groups[group].push(pair);
  }
  const found = new Map<AskedPair, readonly number[]>();
  for (const group of groups) askAbout(group, found);
  return pairs.map((pair) => found.get(pair));
}
