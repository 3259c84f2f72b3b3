// An advisory in the words of Composer, and as an entry of a malware list. Each is made once while its
// thread remembers it.

import type { HandlerContext } from '../../http/context.ts';
import type { Generation } from '../../index/generation.ts';
import { describeSpan } from '../../index/items/affected-range.ts';
import { formatInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { kindOf } from '../../index/items/rare-facts.ts';
import { formatPsid } from '../../index/lookup/alias-table.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { endOfSpans, firstSpan } from '../../index/span-list.ts';
import { VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import { severityFacts, severityFrom } from '../severity.ts';
import { type Constraint, constraintOf } from './constraint.ts';

/** Making an entry inflates a block of details, so that even the shortest is kept. */
const LEAST_KEPT_BYTES = 128;
/** Of the spans of a widened advisory, in its title. */
const SHOWN_SPANS = 3;
/** The registry whose packages these are. */
const REPOSITORY = 'https://packagist.org';

/** Names of databases as Composer shows them, by the first letters of their ids. */
const DATABASES: Readonly<Record<string, string>> = { GHSA: 'GitHub', MAL: 'OpenSSF', PKSA: 'Packagist' };

interface Source {
  readonly name: string;
  readonly remoteId: string;
}

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

  isMalware(ordinal: number): boolean {
    return kindOf(this.#generation.parts.columns, ordinal) === 'malware';
  }

  writeAdvisory(ordinal: number): void {
    this.#write('composer', ordinal, () => this.#advisory(ordinal));
  }

  writeMalware(ordinal: number): void {
    this.#write('composer-malware', ordinal, () => this.#malware(ordinal));
  }

  #write(cache: string, ordinal: number, make: () => object): void {
    const { out } = this.#memory;
    const kept = this.#memory.cacheOf(cache, LEAST_KEPT_BYTES);
    kept.write(out, ordinal, () => out.text(JSON.stringify(make())));
  }

  #advisory(ordinal: number): object {
    const view = this.#view.enter(ordinal);
    const [, cves, , , , , , , aliases] = this.#generation.records.detailAt(ordinal, this.#memory.records);
    const id = this.#idOf(ordinal);
    const constraint = this.#constraintOf(ordinal);
    const severity = severityFrom(severityFacts(this.#generation, ordinal, view.number('cvssScore')));
    // A client ignores an advisory by any of these: the further ids of a merged one count as well.
    const others = [view.text('ghsa') ?? '', ...aliases, ...cves.slice(1).map((cve) => `CVE-${cve}`)];
    const sources = [...new Set([id, ...others])].filter((each) => each !== '').map(sourceOf);
    return {
      advisoryId: id,
      packageName: view.text('productSlug'),
      remoteId: id,
      title: this.#titleOf(ordinal, constraint),
      link: view.text('url') || null,
      cve: cves.length === 0 ? null : `CVE-${cves[0]}`,
      affectedVersions: constraint.text,
      source: sources[0].name,
      reportedAt: formatInstant(this.#generation.disclosedAt(ordinal)),
      composerRepository: REPOSITORY,
      severity: severity === 'none' ? null : severity,
      sources,
    };
  }

  #malware(ordinal: number): object {
    const view = this.#view.enter(ordinal);
    const constraint = this.#constraintOf(ordinal);
    return {
      package: view.text('productSlug'),
      constraint: constraint.text,
      url: view.text('url') || null,
      reason: this.#titleOf(ordinal, constraint),
      id: this.#idOf(ordinal),
    };
  }

  #idOf(ordinal: number): string {
    const sourceId = this.#generation.sourceIdAt(ordinal);
    const { advisoryPsid } = this.#generation.parts.columns;
    return sourceId === '' ? `PSID-${formatPsid(advisoryPsid[ordinal])}` : sourceId;
  }

  #constraintOf(ordinal: number): Constraint {
    const { advisoryScheme } = this.#generation.parts.columns;
    return constraintOf(this.#view.spans(), VERSION_SCHEMES[advisoryScheme[ordinal]]);
  }

  /** What the constraint cannot say is told to the reader. */
  #titleOf(ordinal: number, { isWidened }: Constraint): string {
    const title = this.#view.bareTitle();
    if (!isWidened) return title;
    const { columns } = this.#generation.parts;
    const first = firstSpan(columns, ordinal);
    const count = endOfSpans(columns, ordinal) - first;
    const shown = Array.from({ length: Math.min(count, SHOWN_SPANS) }, (_, i) =>
      describeSpan(columns, first + i),
    );
    return `${title} (affected: ${shown.join(' || ')}${count > SHOWN_SPANS ? ' || …' : ''})`;
  }
}

function sourceOf(remoteId: string): Source {
  const dash = remoteId.indexOf('-');
  const letters = dash < 0 ? remoteId : remoteId.slice(0, dash);
  return { name: DATABASES[letters] ?? letters, remoteId };
}
