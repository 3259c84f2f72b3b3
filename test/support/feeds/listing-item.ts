// An item of a server's listing, as a mirror reads it.

import type { FeedJson } from './advisories.ts';

/** An item of /all with the members that a test cares about changed. */
export function listingItem(changes: FeedJson = {}): FeedJson {
  return {
    id: 17,
    title: 'Gallery <= 1.5 - XSS',
    disclosed_at: '2026-01-02T03:04:05+00:00',
    created_at: '2026-01-03T03:04:05+00:00',
    url: 'https://advisories.example/17',
    vuln_type: 'XSS',
    cve: '2026-1',
    is_exploited: false,
    patch_priority: 2,
    product: { id: 7, name: 'Gallery', slug: 'gallery' },
    cvss: { score: 6.4, vector: null },
    cwe: { id: 79, name: null },
    capec: { id: null, name: null },
    references: ['https://a.example', 'no url'],
    ghsa: '',
    version_info: { affected: '<= 1.5', patched_ranges: [], fixed: '1.6' },
    advisory_details: 'Details.',
    ...changes,
  };
}
