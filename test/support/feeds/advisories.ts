// Feed records for tests: a valid record with the members that a test cares about changed, and files of them.

import { writeFileSync } from 'node:fs';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type FeedJson = { readonly [key: string]: Json };

/** A valid feed record; `changes` replace its members. */
export function feedRecord(id: number, changes: FeedJson = {}): FeedJson {
  return {
    id,
    title: `Advisory ${id}`,
    description: `What ${id} is about.`,
    disclosed_at: '2026-01-02T03:04:05Z',
    created_at: '2026-01-03T03:04:05Z',
    url: `https://advisories.example/${id}`,
    vuln_type: 'SQL Injection',
    cves: [`CVE-2026-${id}`],
    product: { id: 7, type: 'plugin', slug: 'gallery', name: 'Gallery' },
    cvss: { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
    cwe: { id: 89, name: 'SQL Injection' },
    references: [{ url: `https://advisories.example/${id}/fix` }],
    affected: [span(null, '1.5.0', 'exclusive', '1.5.0')],
    ...changes,
  };
}

/** A span as the feed writes it. */
export function span(
  from: string | null,
  to: string | null,
  bound: 'exclusive' | 'inclusive' | 'last-affected' | null = to === null ? null : 'inclusive',
  fixedIn: string | null = null,
): FeedJson {
  return { from_version: from, to_version: to, to_bound: bound, fixed_in: fixedIn };
}

/** An npm product as the feed writes it. */
export const npmProduct = (name: string, id = 11): FeedJson => ({ id, type: 'npm', slug: name, name });

export function writeFeed(path: string, records: readonly FeedJson[]): void {
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}
