// One size of a growth run, in a process of its own: what the snapshot takes to load and to keep, and what
// two kinds of requests cost, in process.

import { encodeCursor } from '../../src/dialects/patchstack/page-parameters.ts';
import type { Generation } from '../../src/index/generation.ts';
import { PLATFORMS } from '../../src/index/product-type.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { collectGarbage } from '../../src/serve/thread.ts';
import { handleInProcess } from '../../test/support/serving/in-process.ts';
import { figureOf } from '../figures.ts';
import { productsOf } from '../questions.ts';

/** In the order in which they are told, with their units. */
export const FIGURES = {
  loadMs: { title: 'load', unit: 'ms' },
  residentBytes: { title: 'resident', unit: 'bytes an advisory' },
  existsNs: { title: 'exists', unit: 'ns' },
  deepPageUs: { title: 'page of 100 in the middle', unit: 'us' },
} as const;
export type Point = Readonly<Record<keyof typeof FIGURES, number>>;

/** As many at each size: 10,000 advisories have some 4,000. */
const PRODUCTS = 2_048;
/** So many paths that a thread remembers none of them, whatever the size (http/routing/path-notes.ts). */
const VERSIONS = Array.from({ length: 16 }, (_, major) => `${major}.1.2`);
const ROUNDS = 9;
const PAGES = 500;

export function measurePoint(snapshotPath: string, advisories: number): Point {
  collectGarbage();
  const before = process.memoryUsage.rss();
  const startMs = performance.now();
  const { generation } = loadSnapshot(snapshotPath);
  const loadMs = performance.now() - startMs;
  collectGarbage();
  const residentBytes = (process.memoryUsage.rss() - before) / advisories;
  const ask = handleInProcess(generation);
  const cost = (targets: readonly string[]): number => {
    const rounds = Array.from({ length: ROUNDS }, () => {
      const sinceMs = performance.now();
      for (const target of targets) ask(target, 'GET');
      return ((performance.now() - sinceMs) * 1e6) / targets.length;
    });
    return figureOf(rounds.slice(1)).median; // the code is compiled in the first
  };
  const products = [...take(PRODUCTS, productsOf(generation))];
  const existsNs = cost(
    VERSIONS.flatMap((version) =>
      products.map(({ type, name }) => `/product/${type}/${encodeURIComponent(name)}/${version}/exists`),
    ),
  );
  const deepPage = `/all?per_page=100&cursor=${encodeCursor(middleId(generation))}`;
  return { loadMs, residentBytes, existsNs, deepPageUs: cost(Array(PAGES).fill(deepPage)) / 1e3 };
}

function middleId(generation: Generation): number {
  const { start, end } = generation.published(PLATFORMS[0]);
  return generation.idAt(Math.floor((start + end) / 2));
}

function* take<Item>(most: number, items: Iterable<Item>): Generator<Item> {
  let taken = 0;
  for (const item of items) {
    if (taken++ === most) return;
    yield item;
  }
}
