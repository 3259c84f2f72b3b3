// What one thread remembers and reuses from request to request: buffers, scratch, cached answers. A generation is data
// that threads share; this belongs to the thread, which makes it once and resets it at every swap. The buffers and the
// blocks of the caches then stay allocated, and nothing keeps the previous generation in memory.

import type { Generation } from '../generation.ts';
import { OpenRecords } from '../items/detail-record.ts';
import { LatestWindows } from '../lookup/latest-window.ts';
import { Locator } from '../lookup/locate.ts';
import { Matches } from '../lookup/matches.ts';
import { AnswerBuffer } from './answer-buffer.ts';
import { AnswerCache } from './answer-cache.ts';
import { OwnArea, type SharedMemory } from './shared-memory.ts';

/** Ten times a page of 500 items (about 420 KB); longer answers take the slower path. */
const AREA_BYTES = 4 << 20;

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
  readonly #areas = new Map<SharedMemory, OwnArea | undefined>();
  #generation: Generation | undefined;

  /** Without a generation, it must be reset before a handler uses it. */
  constructor(generation?: Generation) {
    this.#generation = generation;
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
    this.windows.clear();
    this.records.close();
    this.#areas.clear();
  }

  /** Where this thread joins pages in that memory of its generation; undefined when there is no space for it. */
  areaIn(memory: SharedMemory): OwnArea | undefined {
    const known = this.#areas.get(memory);
    if (known !== undefined || this.#areas.has(memory)) return known;
    const area = OwnArea.take(memory, AREA_BYTES);
    this.#areas.set(memory, area);
    return area;
  }
}
