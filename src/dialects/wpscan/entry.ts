// One entry of a product's list of vulnerabilities: an advisory as it is about one span.

import type { HandlerContext } from '../../http/context.ts';
import type { Generation } from '../../index/generation.ts';
import { describeSpan } from '../../index/items/affected-range.ts';
import { formatInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { modifiedAt } from '../../index/items/rare-facts.ts';
import { formatPsid } from '../../index/lookup/alias-table.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { endOfSpans, firstSpan, numberOfSpan } from '../../index/span-list.ts';
import { type ComparableSpan, comparableSpan } from './comparable.ts';

/** Making an entry inflates a block of details, so that even the shortest is kept. */
const LEAST_KEPT_BYTES = 128;

/** Writes the entries of one generation to the memory's `out`. */
export class EntryWriter {
  readonly #generation: Generation;
  readonly #memory: ThreadMemory;
  readonly #view: ItemView;

  constructor({ generation, memory }: Pick<HandlerContext, 'generation' | 'memory'>) {
    this.#generation = generation;
    this.#memory = memory;
    this.#view = new ItemView(generation);
  }

  productName(ordinal: number): string | null {
    return this.#view.enter(ordinal).text('productName');
  }

  /** Appends one for each span, with commas between them. */
  writeAll(ordinal: number): void {
    this.#write('wpscan', ordinal, () => JSON.stringify(this.#entriesOf(ordinal)).slice(1, -1));
  }

  /** Appends the one for a span that contains the version of WordPress that was asked for. */
  writeOfCore(ordinal: number, span: number): void {
    const number = numberOfSpan(this.#generation.parts.columns, ordinal, span);
    this.#write('wpscan-core', number, () => JSON.stringify(this.#entryOfCore(ordinal, span)));
  }

  /** Requires: in the cache of that name, the number stands for this text. */
  #write(cache: string, number: number, make: () => string): void {
    const { out } = this.#memory;
    this.#memory.cacheOf(cache, LEAST_KEPT_BYTES).write(out, number, () => out.text(make()));
  }

  #entriesOf(ordinal: number): object[] {
    const { columns } = this.#generation.parts;
    const first = firstSpan(columns, ordinal);
    const count = endOfSpans(columns, ordinal) - first;
    const facts = this.#factsOf(ordinal);
    return Array.from({ length: count }, (_, i) =>
      this.#entry(facts, comparableSpan(this.#generation, ordinal, first + i), first + i),
    );
  }

  /**
   * `fixed_in` is null, because clients compare it with the version without its dots, 611, which is above
   * every fix; so the title has it.
   */
  #entryOfCore(ordinal: number, span: number): object {
    const { fixedIn, ...others } = comparableSpan(this.#generation, ordinal, span);
    const facts = this.#factsOf(ordinal);
    const title = fixedIn === null ? facts.title : `${facts.title} (fixed in ${fixedIn})`;
    return this.#entry({ ...facts, title }, { ...others, fixedIn: null }, span);
  }

  #entry(
    { title, cvss, ...facts }: Facts,
    { introducedIn, fixedIn, isOpen }: ComparableSpan,
    span: number,
  ): object {
    const { columns } = this.#generation.parts;
    return {
      id: facts.id,
      // What clients cannot compare is told to the reader.
      title: isOpen ? `${title} (affected: ${describeSpan(columns, span)})` : title,
      created_at: facts.createdAt,
      updated_at: facts.updatedAt,
      published_date: facts.publishedDate,
      vuln_type: facts.vulnType,
      references: facts.references,
      fixed_in: fixedIn,
      introduced_in: introducedIn,
      cvss,
    };
  }

  #factsOf(ordinal: number): Facts {
    const { columns } = this.#generation.parts;
    const view = this.#view.enter(ordinal);
    const [, cves] = this.#generation.records.detailAt(ordinal, this.#memory.records);
    const created = this.#generation.createdAt(ordinal);
    const score = view.number('cvssScore');
    const vector = view.text('cvssVector');
    return {
      id: formatPsid(columns.advisoryPsid[ordinal]),
      title: view.bareTitle(),
      createdAt: instant(created),
      updatedAt: instant(modifiedAt(columns, ordinal) ?? created),
      publishedDate: instant(this.#generation.disclosedAt(ordinal)),
      vulnType: view.text('vulnType') ?? '',
      references: { cve: cves, url: [...new Set([view.text('url') ?? '', ...view.references()])] },
      cvss: score === null && vector === null ? null : { score, vector },
    };
  }
}

interface Facts {
  /** The PSID: one advisory, in every dialect of this server. */
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedDate: string;
  readonly vulnType: string;
  readonly references: { readonly cve: readonly string[]; readonly url: readonly string[] };
  readonly cvss: { readonly score: number | null; readonly vector: string | null } | null;
}

/** `2026-04-21T08:38:34.000Z`, the form of this interface. */
function instant(epochSeconds: number): string {
  return formatInstant(epochSeconds).replace('+00:00', '.000Z');
}
