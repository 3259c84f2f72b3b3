// What one thread remembers and reuses from request to request: buffers, scratch, cached answers. A generation is data
// that threads share; this belongs to the thread, which makes it once and resets it at every swap. The buffers and the
// blocks of the caches then stay allocated, and nothing keeps the previous generation in memory.

import type { Generation } from '../generation.ts';
import { OpenRecords } from '../items/detail-record.ts';
import { areasOf, type ItemAreas } from '../items/item-areas.ts';
import { LatestWindows } from '../lookup/latest-window.ts';
import { Locator } from '../lookup/locate.ts';
import { Matches } from '../lookup/matches.ts';
import { AnswerBuffer } from './answer-buffer.ts';
import { AnswerCache } from './answer-cache.ts';

const AUDIT_LEAST_BYTES = 128;

export class ThreadMemory {
  /** Restarted by each handler; its view is the reply's body. */
  readonly out = new AnswerBuffer();
  readonly locator = new Locator();
  readonly matches = new Matches();
  /** Answers to lookups, by segment number. */
  readonly lookups = new AnswerCache();
  /** Pages of single advisories, by ordinal. */
  readonly pages = new AnswerCache();
  /** Advisories as audits list them, by ordinal. Short, but texts and ranges in them take time to make. */
  readonly audits = new AnswerCache(AUDIT_LEAST_BYTES);
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
    this.audits.clear();
    this.windows.clear();
    this.records.close();
    this.#areas = areasOf(generation.parts.items);
  }

  /** Answers of another kind, under a name that stands for one meaning of their numbers. */
  cacheOf(name: string): AnswerCache {
    let cache = this.#caches.get(name);
    if (cache === undefined) {
      cache = new AnswerCache();
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
