// Snapshots that can be told apart: each build of the same synthetic feed has marker advisories whose titles
// contain its number. They have the highest ids and the newest dates, so that every kind of request can show
// them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFeeds } from '../../../src/cli/sources/compile-feeds.ts';
import type { FeedRecord } from '../../../src/generator/feed-record.ts';
import { feedRecord, span, writeFeed } from '../feeds/advisories.ts';
import { inventedRecords } from '../feeds/invented-feed.ts';

export const MARKER_IDS = [9_000_001, 9_000_002, 9_000_003] as const;
export const MARKER_SLUG = 'soak-marker';

const FIRST_BUILT_AT_MS = Date.UTC(2026, 5, 1);
const NEWEST_CREATED = '2026-03-01T12:00:00Z'; // the end of the synthetic feed's time range

export interface Build {
  readonly number: number;
  readonly id: string;
  readonly path: string;
}

export class Builds {
  readonly records: readonly FeedRecord[];
  readonly feed: string;
  readonly #folder: string;

  /**
   * Keeps its files in `folder`, which must be on the file system of the snapshot folder so that renames
   * work. With `details` every advisory has that text.
   */
  constructor(folder: string, advisories: number, seed: number, details?: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    const records = inventedRecords(advisories, seed);
    this.records = details === undefined ? records : records.map((record) => ({ ...record, details }));
    this.feed = join(folder, 'feed.ndjson');
    writeFileSync(this.feed, this.records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  }

  /** A higher number is a newer build. `leavesOut` omits advisories by id. */
  async compile(number: number, leavesOut?: (id: number) => boolean): Promise<Build> {
    const markers = join(this.#folder, `markers-${number}.ndjson`);
    writeFeed(
      markers,
      MARKER_IDS.map((id) =>
        feedRecord(id, {
          title: `Build ${number}.`,
          created_at: NEWEST_CREATED,
          cves: [],
          product: { id: 9_000_000, type: 'plugin', slug: MARKER_SLUG, name: 'Soak marker' },
          affected: [span(null, '2.0.0', 'exclusive', '2.0.0')],
        }),
      ),
    );
    const path = join(this.#folder, `build-${number}.vdx`);
    const feeds = [leavesOut === undefined ? this.feed : this.#filtered(number, leavesOut), markers];
    const builtAtMs = FIRST_BUILT_AT_MS + number * 60_000;
    const { id } = await compileFeeds({ feeds, out: path, skipInvalid: false, builtAtMs }, () => {});
    return { number, id, path };
  }

  #filtered(number: number, leavesOut: (id: number) => boolean): string {
    const path = join(this.#folder, `feed-${number}.ndjson`);
    const kept = this.records.filter(({ id }) => !leavesOut(id));
    writeFileSync(path, kept.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return path;
  }
}

/** Flips one bit in the middle of the file. */
export function corrupt(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(path, bytes);
}
