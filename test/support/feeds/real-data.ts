// The real advisory facts and the lookups with known answers, which are beside the repository if present.
// A test that needs them passes `realDataOptions` on, and so is visibly skipped without them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { PRODUCT_TYPES, type ProductType } from '../../../src/index/product-type.ts';
import type { FeedJson } from './advisories.ts';
import type { OsvJson, OsvRangeJson } from './osv.ts';

const FOLDER = fileURLToPath(new URL('../../../../shared/data', import.meta.url));

export type RealFeed = 'wordpress' | 'npm';

/** What one lookup must answer. */
export interface KnownLookup {
  readonly q: { readonly type: ProductType; readonly name: string; readonly version: string };
  /** Ids in order, each with its matched range; null if the answer has none. Absent if invalid. */
  readonly expect?: readonly { readonly id: number; readonly range: FeedJson | null }[];
  /** The version is not a version of its scheme. */
  readonly invalid?: true;
}

/** Options for a test that needs the real data. */
export const realDataOptions: { readonly skip: string | false } = {
  skip: existsSync(FOLDER) ? false : 'the real data is not beside this repository',
};

export const realFeedPath = (feed: RealFeed): string => join(FOLDER, `${feed}.ndjson.gz`);

export function readKnownLookups(feed: RealFeed): KnownLookup[] {
  const lines = readLines(join(FOLDER, `${feed}.expected.ndjson.gz`));
  // The shape is described in the README beside it.
  return lines.map((line) => JSON.parse(line) as KnownLookup);
}

/**
 * A record of the sample of OSV records, which writes packages and lists of versions in a form of its own.
 */
interface SampleRecord {
  readonly source: string;
  readonly id: string;
  readonly modified: string;
  readonly affected: readonly {
    readonly package: string;
    readonly ecosystem: string;
    readonly ranges: readonly OsvRangeJson[];
    readonly versions?: readonly string[];
  }[];
}

/** The sample of real OSV records that `source` published, in the form of OSV. */
export function readOsvSample(source: 'osv.dev' | 'github/advisory-database'): OsvJson[] {
  return readLines(join(FOLDER, 'osv-npm-sample.ndjson.gz'))
    .map((line) => JSON.parse(line) as SampleRecord) // the shape is described in the README beside it
    .filter((record) => record.source === source)
    .map(({ affected, ...record }) => ({
      ...record,
      affected: affected.map(({ package: name, ecosystem, ranges, versions = [] }) => ({
        package: { ecosystem, name },
        ranges,
        versions,
      })),
    }));
}

function readLines(path: string): string[] {
  return gunzipSync(readFileSync(path))
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

/** What one lookup of the other ecosystems must find. */
export interface KnownRecords {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
  /** Of the records that apply and are not withdrawn, as their source publishes them. */
  readonly ids: readonly string[];
}

const ECOSYSTEMS = join(FOLDER, 'ecosystems');

/** The types of whose ecosystems there are real records and lookups. */
export const REAL_ECOSYSTEMS: readonly ProductType[] = PRODUCT_TYPES.filter((type) =>
  existsSync(join(ECOSYSTEMS, `osv-${type}.ndjson.gz`)),
);

/** The OSV records of a type's ecosystem, as NDJSON. */
export function readOsvRecords(type: ProductType): string {
  return gunzipSync(readFileSync(join(ECOSYSTEMS, `osv-${type}.ndjson.gz`))).toString();
}

export function readKnownRecords(type: ProductType): KnownRecords[] {
  const lines = readLines(join(ECOSYSTEMS, `${type}.expected.ndjson.gz`));
  // The shape is described in the README of the data.
  return lines.map((line) => JSON.parse(line) as KnownRecords);
}
