// What a refresh found out about each of its sources: whether it is new, and since when it is as it is.

import { shownLocation } from '../../download/http-error.ts';
import { nameSources } from '../sources/sources.ts';
import type { RefreshSource } from './refresh-config.ts';
import { combine, type KnownSource } from './refresh-state.ts';

/** `new` and `unchanged` compare with the last publication; a source after a failed one was not reached. */
export type SourceStatus = { readonly name: string; readonly kind: string; readonly location: string } & (
  | { readonly status: 'new' | 'unchanged'; readonly changedAtMs: number }
  | { readonly status: 'failed' | 'not-reached' }
);

export class SourceStatuses {
  readonly #sources: readonly RefreshSource[];
  readonly #names: readonly string[];
  readonly #known: ReadonlyMap<string, KnownSource>;
  readonly #nowMs: number;
  readonly #found: KnownSource[] = [];
  #hasFailed = false;

  /** `known` are those of the last publication. */
  constructor(sources: readonly RefreshSource[], known: readonly KnownSource[], nowMs: number) {
    this.#sources = sources;
    this.#names = nameSources(sources);
    this.#known = new Map(known.map((source) => [source.source, source]));
    this.#nowMs = nowMs;
  }

  /** To be called for one source after the other. */
  add(fingerprint: string): void {
    const source = identityOf(this.#sources[this.#found.length]);
    const known = this.#known.get(source);
    const changedAtMs = known?.fingerprint === fingerprint ? known.changedAtMs : this.#nowMs;
    this.#found.push({ source, fingerprint, changedAtMs });
  }

  /** The next source could not be fetched. */
  fail(): void {
    this.#hasFailed = true;
  }

  /** What the next refresh compares with, once this one is published. */
  get found(): readonly KnownSource[] {
    return this.#found;
  }

  list(): SourceStatus[] {
    return this.#sources.map(({ kind, location }, i) => {
      const about = { name: this.#names[i], kind: kind.name, location: shownLocation(location) };
      const found = this.#found[i];
      if (found === undefined) {
        return { ...about, status: this.#hasFailed && i === this.#found.length ? 'failed' : 'not-reached' };
      }
      const { source, fingerprint, changedAtMs } = found;
      const isKnown = this.#known.get(source)?.fingerprint === fingerprint;
      return { ...about, status: isKnown ? 'unchanged' : 'new', changedAtMs };
    });
  }
}

/** Not the location itself, whose query may be a secret. */
function identityOf({ kind, location }: RefreshSource): string {
  return combine([kind.name, location]);
}
