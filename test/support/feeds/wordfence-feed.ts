// Feeds in the form of Wordfence Intelligence 3, invented: a record with the members that a test cares about
// changed, and any number of random ones. Knows the wire format and nothing of the importer.

import { Dice } from '../../../src/generator/dice.ts';
import type { FeedJson } from './advisories.ts';

export const NOTICE = 'Copyright 2012-2026 Example Defender Inc.';
export const CVE_NOTICE = 'Copyright 1999-2026 The Example Numbering Corporation';

/** An id as the feed has it: a UUID, from a number. */
export function wordfenceId(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-7d5a-4b88-9f54-af0a097e3295`;
}

export function wordfencePage(id: string): string {
  return `https://www.wordfence.com/threat-intel/vulnerabilities/id/${id}?source=api-prod`;
}

export interface Interval extends FeedJson {
  readonly from_version: string;
  readonly from_inclusive: boolean;
  readonly to_version: string;
  readonly to_inclusive: boolean;
}

/** Written as in mathematics: `[1.0, 2.0)`, `[*, 1.5]`. */
export function interval(text: string): Interval {
  const parts = /^([[(])(.+), (.+)([\])])$/.exec(text);
  if (parts === null) throw new RangeError(`not an interval: ${text}`);
  const [, open, from, to, close] = parts;
  return { from_version: from, from_inclusive: open === '[', to_version: to, to_inclusive: close === ']' };
}

/** A software entry; the label of each interval is its text. */
export function software(slug: string, intervals: readonly string[], changes: FeedJson = {}): FeedJson {
  return {
    type: 'plugin',
    name: `Plugin ${slug}`,
    slug,
    affected_versions: Object.fromEntries(intervals.map((text) => [text, interval(text)])),
    patched: false,
    patched_versions: [],
    remediation: '',
    ...changes,
  };
}

/** A record of the production feed, under `wordfenceId(number)`. */
export function wordfenceRecord(number: number, changes: FeedJson = {}): FeedJson {
  const id = wordfenceId(number);
  return {
    id,
    title: `Plugin gallery <= 1.5 - Vulnerability ${number}`,
    software: [software('gallery', ['[*, 1.5]'])],
    informational: false,
    description: `What ${number} is about.`,
    references: [wordfencePage(id), `https://advisories.example/${number}`],
    cwe: { id: 79, name: 'Cross-site Scripting', description: 'Input is put into a page as it is.' },
    cvss: { vector: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', score: 6.4, rating: 'Medium' },
    cve: `CVE-2026-${10_000 + number}`,
    cve_link: `https://www.cve.org/CVERecord?id=CVE-2026-${10_000 + number}`,
    researchers: ['Ada', 'Grace'],
    published: '2026-01-02 03:04:05',
    updated: '2026-02-03 04:05:06',
    copyrights: {
      message: 'This record contains material that is subject to copyright.',
      defiant: {
        notice: NOTICE,
        license: 'Copy it with this notice.',
        license_url: 'https://defender.example/terms',
      },
      mitre: {
        notice: CVE_NOTICE,
        license: 'Copy it with that notice.',
        license_url: 'https://numbers.example/terms',
      },
    },
    ...changes,
  };
}

/** The text of a feed with these records under their ids. */
export function wordfenceJson(records: readonly FeedJson[]): string {
  return JSON.stringify(Object.fromEntries(records.map((record) => [record.id as string, record])));
}

const SCANNER_OMITS = new Set(['description', 'cwe', 'cvss', 'cve', 'cve_link', 'researchers', 'updated']);

/** The same record as the scanner variant of the feed has it. */
export function scannerRecord(record: FeedJson): FeedJson {
  const kept = Object.entries(record).filter(([name]) => !SCANNER_OMITS.has(name));
  return {
    ...Object.fromEntries(kept),
    software: (record.software as readonly FeedJson[]).map(({ remediation, ...entry }) => entry),
  };
}

const RATINGS = [
  { vector: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', score: 6.4, rating: 'Medium' },
  { vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', score: 9.8, rating: 'Critical' },
  { vector: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', score: 8.8, rating: 'High' },
  null,
];

/**
 * Random records with valid intervals of every kind, bar those whose ends cross. `numbers` are 1 to `count`.
 */
export function* inventedWordfence(count: number, seed: number): Generator<FeedJson> {
  const dice = new Dice(seed);
  for (let number = 1; number <= count; number++) {
    const products = dice.chance(0.05) ? 2 : 1;
    yield wordfenceRecord(number, {
      software: Array.from({ length: products }, (_, at) => inventedSoftware(dice, number, at)),
      informational: dice.chance(0.02),
      cvss: dice.pick(RATINGS),
      ...(dice.chance(0.1) ? { cve: null, cve_link: null } : {}),
      ...(dice.chance(0.2) ? { researchers: [] } : {}),
    });
  }
}

function inventedSoftware(dice: Dice, number: number, at: number): FeedJson {
  const type = at === 1 ? 'theme' : dice.chance(0.03) ? 'core' : 'plugin';
  const slug = type === 'core' ? 'wordpress' : `${type}-${dice.whole(1, Math.max(2, number))}`;
  // Ascending, each interval above the one before: versions are drawn from a line of majors.
  const intervals: string[] = [];
  let major = dice.whole(0, 3);
  const pieces = dice.chance(0.8) ? 1 : dice.whole(2, 4);
  const patched: string[] = [];
  for (let piece = 0; piece < pieces; piece++) {
    const isLast = piece === pieces - 1;
    const from = piece === 0 && dice.chance(0.7) ? '*' : `${major}.${dice.whole(0, 3)}${suffix(dice)}`;
    const to = isLast && dice.chance(0.05) ? '*' : `${major}.${dice.whole(4, 12)}${suffix(dice)}`;
    const open = dice.chance(0.03) ? '(' : '[';
    const isClosed = dice.chance(0.85);
    intervals.push(`${open}${from}, ${to}${isClosed ? ']' : ')'}`);
    if (to !== '*' && dice.chance(0.8)) patched.push(isClosed ? `${major}.${dice.whole(13, 20)}` : to);
    major += dice.whole(1, 3);
  }
  return software(slug, intervals, { type, patched: patched.length > 0, patched_versions: patched });
}

function suffix(dice: Dice): string {
  return dice.chance(0.85)
    ? dice.chance(0.5)
      ? `.${dice.whole(0, 9)}`
      : ''
    : dice.pick(['-beta', 'rc1', '.0.0', 'pl2', '.0']);
}
