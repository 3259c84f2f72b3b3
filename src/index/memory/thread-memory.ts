// What one thread remembers and reuses from request to request: buffers, scratch, cached answers. A
// generation is data that threads share; this belongs to the thread, which makes it once and resets it at
// every swap. The buffers and the blocks of the caches then stay allocated, and nothing keeps the previous
// generation in memory.

import type { Generation } from '../generation.ts';
import { OpenRecords } from '../items/detail-record.ts';
import { areasOf, type ItemAreas } from '../items/item-areas.ts';
import { LatestWindows } from '../lookup/latest-window.ts';
import { Locator } from '../lookup/locate.ts';
import { Matches } from '../lookup/matches.ts';
import { AnswerBuffer } from './answer-buffer.ts';
import { AnswerCache } from './answer-cache.ts';

export class ThreadMemory {
  /** Restarted by each handler; its view is the reply's body. */
  readonly out = new AnswerBuffer();
  readonly locator = new Locator();
  readonly matches = new Matches();
  /** Answers to lookups, by segment number. */
  readonly lookups = new AnswerCache();
  /** Pages of single advisories, by ordinal. */
  readonly pages = new AnswerCache();
  readonly windows = new LatestWindows();
  readonly records = new OpenRecords();
  readonly #caches = new Map<string, AnswerCache>();
  #generation: Generation | undefined;
  #areas: ItemAreas | undefined;

  /** Without a generation, it must be reset before a handler uses it. */
  constructor(generation?: Generation) {
    if (generation !== undefined) this.reset(generation);
  }

  /** Whether what is remembered comes from this generation. */
  isOf(generation: Generation): boolean {
    return generation === this.#generation;
  }

  /** Forgets what it remembers of the previous generation. The answer in `out` stays valid. */
  reset(generation: Generation): void {
    this.#generation = generation;
    this.lookups.clear();
    this.pages.clear();
    for (const cache of this.#caches.values()) cache.clear();
    this.windows.clear();
    this.records.close();
    this.#areas = areasOf(generation.items);
  }

  /**
   * Answers of another kind, under a name that stands for one meaning of their numbers. Answers shorter than
   * `leastBytes` are not kept; the first call for a name decides.
   */
  cacheOf(name: string, leastBytes?: number): AnswerCache {
    let cache = this.#caches.get(name);
    if (cache === undefined) {
      cache = new AnswerCache(leastBytes);
      this.#caches.set(name, cache);
    }
    return cache;
  }

  /** Where this thread assembles pages of its generation. */
  get areas(): ItemAreas {
    if (this.#areas === undefined) throw new Error('reset before the first request');
    return this.#areas;
  }
}
