// The advisories that apply to versions of a package, by the one lookup. A text that is not a version (a
// range, an address of a repository) has none, and of a package with advisories it is noted.

import { NO_HEADERS, type ReplyHeader } from '../../http/replies/reply-headers.ts';
import type { Steps } from '../../http/work/steps.ts';
import type { Generation } from '../../index/generation.ts';
import type { LocateResult } from '../../index/lookup/locate.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { UNREAD_VERSIONS, withoutData } from '../lookup-headers.ts';
import { MAX_NAME_BYTES } from '../path-part.ts';
import { listOf, slugHeader } from '../slug-header.ts';

const NONE: readonly number[] = [];
/** Compared without a pause. */
const VERSIONS_AT_ONCE = 256;
/** In a header. */
const SHOWN_UNREAD = 10;

/** For one request. */
export class Verdicts {
  readonly #generation: Generation;
  readonly #memory: ThreadMemory;
  /** Packages with advisories, at a text that is not a version: the first few. */
  readonly #unread = new Set<string>();

  constructor(generation: Generation, memory: ThreadMemory) {
    this.#generation = generation;
    this.#memory = memory;
  }

  /** Whether there is any advisory about the package. Most packages of a tree have none. */
  isKnown(name: string): boolean {
    return name.length <= MAX_NAME_BYTES && this.#generation.findProduct('npm', name) !== undefined;
  }

  /** `isKnown` for a name given as bytes of ASCII, at [start, end). */
  isKnownAscii(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start > MAX_NAME_BYTES) return false;
    return this.#generation.findProductAscii('npm', bytes, start, end) !== undefined;
  }

  /** The ordinals of the advisories that apply to at least one of the versions, ascending. */
  *ofAny(name: string, versions: readonly unknown[]): Steps<readonly number[]> {
    if (versions.length === 1) return this.of(name, versions[0]);
    const found = new Set<number>();
    const seen = new Set<number>();
    for (const [i, version] of versions.entries()) {
      if (i % VERSIONS_AT_ONCE === 0) yield;
      const place = this.#locate(name, version);
      if (place === undefined || place.kind === 'nowhere' || place.kind === 'not-a-version') continue;
      if (place.kind === 'segment') {
        if (seen.has(place.number)) continue; // at the same place, so with the same answer
        seen.add(place.number);
      }
      for (const ordinal of this.#at(place)) found.add(ordinal);
    }
    return [...found].sort((a, b) => a - b);
  }

  /** The ordinals of the advisories that apply to the version, ascending. */
  of(name: string, version: unknown): readonly number[] {
    const place = this.#locate(name, version);
    return place === undefined ? NONE : this.#at(place);
  }

  #locate(name: string, version: unknown): LocateResult | undefined {
    if (typeof version !== 'string') return undefined;
    const place = this.#generation.locate('npm', name, version, this.#memory.locator);
    if (place.kind === 'not-a-version' && this.#unread.size <= SHOWN_UNREAD && this.isKnown(name)) {
      this.#unread.add(name);
    }
    return place;
  }

  /** What the body cannot say. npm prints `npm-notice`; other clients show nothing of it. */
  headers(): readonly ReplyHeader[] {
    const missing = withoutData(this.#generation, ['npm']);
    const unread = [...this.#unread];
    const names = listOf(unread.slice(0, SHOWN_UNREAD), encodeURI); // as people write them
    const others = unread.length > SHOWN_UNREAD ? ' and others' : '';
    const notices = [
      ...(missing.length > 0 ? ['this server has no advisories of npm packages: nothing was audited'] : []),
      ...(names === '' ? [] : [`not audited, as their versions cannot be read: ${names}${others}`]),
    ];
    if (notices.length === 0) return NO_HEADERS;
    return [...missing, ...slugHeader(UNREAD_VERSIONS, unread), ['npm-notice', notices.join('; ')]];
  }

  #at(place: LocateResult): readonly number[] {
    if (place.kind === 'not-a-version') return NONE;
    const { matches } = this.#memory;
    this.#generation.collect(place, matches);
    if (matches.count === 0) return NONE;
    return Array.from({ length: matches.count }, (_, i) => matches.advisoryAt(i));
  }
}
