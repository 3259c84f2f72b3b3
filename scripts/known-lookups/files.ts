// Where the sample is stored, and its format: one JSON object per line.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Advisory, KnownLookup } from './scan.ts';

function inFixtures(name: string): string {
  return fileURLToPath(new URL(`../../test/fixtures/known-lookups/${name}`, import.meta.url));
}

export const KNOWN_FEED = inFixtures('feed.ndjson');
export const KNOWN_LOOKUPS = inFixtures('lookups.ndjson');

function readLines(path: string): unknown[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

export function readKnownFeed(): Advisory[] {
  return readLines(KNOWN_FEED) as Advisory[]; // make.ts wrote it
}

export function readKnownLookups(): KnownLookup[] {
  return readLines(KNOWN_LOOKUPS) as KnownLookup[]; // make.ts wrote it
}

export function writeLines(path: string, values: readonly object[]): void {
  writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
