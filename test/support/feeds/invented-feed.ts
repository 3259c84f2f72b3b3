// Synthetic feeds for tests, in the form of the feed file, and what listings show of them.

import assert from 'node:assert/strict';
import { generateFeed } from '../../../src/generator/feed.ts';
import type { FeedRecord } from '../../../src/generator/feed-record.ts';
import {
  PLATFORMS,
  type Platform,
  PRODUCT_TYPE_TABLE,
  productTypeFacts,
} from '../../../src/index/product-type.ts';
import type { FeedJson } from './advisories.ts';

export function inventedRecords(advisories: number, seed: number): readonly FeedRecord[] {
  return [...generateFeed({ advisories, seed })];
}

/**
 * The records spread evenly over all platforms, for lists of which it does not matter what is affected. The
 * generator invents few of most; what moves to another is about a product that is bad before 1.0.0.
 */
export function overAllPlatforms(records: readonly FeedRecord[]): readonly FeedRecord[] {
  return records.map((record, i) => {
    // Three in a row have one platform, so that every third record, or fifth, has each of them.
    const platform = PLATFORMS[Math.floor(i / 3) % PLATFORMS.length];
    if (productTypeFacts(record.product.type).platform === platform) return record;
    const type = PRODUCT_TYPE_TABLE.find((facts) => facts.platform === platform)?.name;
    const name = `spread-${i}`;
    return {
      ...record,
      product: {
        id: record.product.id,
        type: type ?? assert.fail(platform),
        slug: name,
        name,
        premium_name: undefined,
      },
      version_scheme: undefined,
      affected_versions: undefined,
      affected: [{ from_version: null, to_version: '1.0.0', to_bound: 'exclusive', fixed_in: '1.0.0' }],
    } satisfies FeedRecord;
  });
}

/** The record as written in its line: without undefined members. */
export function feedJson(record: FeedRecord): FeedJson {
  return JSON.parse(JSON.stringify(record)) as FeedJson; // what JSON gives back is JSON
}

/** Whether /all of the platform shows the record. */
export function isListed(record: FeedRecord, platform: Platform): boolean {
  return record.withdrawn_at === undefined && productTypeFacts(record.product.type).platform === platform;
}

/** The ids that /all of the platform shows, in its order. */
export function listedIds(records: readonly FeedRecord[], platform: Platform): number[] {
  return records
    .filter((record) => isListed(record, platform))
    .map(({ id }) => id)
    .sort((a, b) => b - a);
}
