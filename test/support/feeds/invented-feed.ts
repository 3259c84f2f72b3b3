// Synthetic feeds for tests, in the form of the feed file, and what listings show of them.

import { generateFeed } from '../../../src/generator/feed.ts';
import type { FeedRecord } from '../../../src/generator/feed-record.ts';
import type { Platform } from '../../../src/index/product-type.ts';
import type { FeedJson } from './advisories.ts';

export function inventedRecords(advisories: number, seed: number): readonly FeedRecord[] {
  return [...generateFeed({ advisories, seed })];
}

/** The record as written in its line: without undefined members. */
export function feedJson(record: FeedRecord): FeedJson {
  return JSON.parse(JSON.stringify(record)) as FeedJson; // what JSON gives back is JSON
}

/** Whether /all of the platform shows the record. */
export function isListed(record: FeedRecord, platform: Platform): boolean {
  return record.withdrawn_at === undefined && (record.product.type === 'npm') === (platform === 'npm');
}

/** The ids that /all of the platform shows, in its order. */
export function listedIds(records: readonly FeedRecord[], platform: Platform): number[] {
  return records
    .filter((record) => isListed(record, platform))
    .map(({ id }) => id)
    .sort((a, b) => b - a);
}
