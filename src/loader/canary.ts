// The canary: before a snapshot goes live, what clients asked for last is asked of it and of the live one. If
// too many verdicts differ, a mistake of a source is more likely than that much news.

import type { Generation } from '../index/generation.ts';
import { ThreadMemory } from '../index/memory/thread-memory.ts';
import type { ProductType } from '../index/product-type.ts';
import { SnapshotError } from './errors.ts';

/** Of so many distinct questions the last are kept: some 2 MB. */
const MOST_ASKED = 10_000;
/** Of fewer, a handful of news would be a large share. */
const LEAST_ASKED = 100;
const MOST_LISTED = 20;

export interface AskedVersion {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

export interface VerdictChange extends AskedVersion {
  readonly isVulnerable: boolean;
}

export class Canary {
  /** By their texts, those asked longest ago first. */
  readonly #asked = new Map<string, AskedVersion>();

  get count(): number {
    return this.#asked.size;
  }

  note(asked: AskedVersion): void {
    const text = `${asked.type}/${asked.name}/${asked.version}`;
    this.#asked.delete(text);
    this.#asked.set(text, asked);
    if (this.#asked.size <= MOST_ASKED) return;
    const [oldest] = this.#asked.keys();
    this.#asked.delete(oldest);
  }

  /** What would be answered otherwise, the last asked first. */
  changes(live: Generation, next: Generation): VerdictChange[] {
    const memories = [new ThreadMemory(live), new ThreadMemory(next)] as const;
    const verdict = (generation: Generation, { locator }: ThreadMemory, asked: AskedVersion): boolean => {
      const place = generation.locate(asked.type, asked.name, asked.version, locator);
      return place.kind !== 'not-a-version' && generation.any(place);
    };
    return [...this.#asked.values()]
      .reverse()
      .map((asked) => ({ ...asked, isVulnerable: verdict(next, memories[1], asked) }))
      .filter((each) => each.isVulnerable !== verdict(live, memories[0], each));
  }

  /**
   * Refuses `next` if more than that share of the verdicts changes; 100 allows any, and so do few questions.
   * The error lists the first changes.
   */
  findChanged(live: Generation, next: Generation, maxChangePercent: number): SnapshotError | undefined {
    if (maxChangePercent >= 100 || this.count < LEAST_ASKED) return undefined;
    const changes = this.changes(live, next);
    if (changes.length * 100 <= maxChangePercent * this.count) return undefined;
    const listed = changes.slice(0, MOST_LISTED).map(describe).join(', ');
    const rest = changes.length - MOST_LISTED;
    return new SnapshotError({
      code: 'verdicts-changed',
      section: 'file',
      offset: 0,
      expected: `at most ${maxChangePercent} % other verdicts for the last ${this.count} distinct look-ups`,
      got: `${changes.length}: ${listed}${rest > 0 ? `, and ${rest} more` : ''}`,
    });
  }
}

function describe({ type, name, version, isVulnerable }: VerdictChange): string {
  return `${type}/${name} ${version} ${isVulnerable ? 'becomes vulnerable' : 'is no longer vulnerable'}`;
}
