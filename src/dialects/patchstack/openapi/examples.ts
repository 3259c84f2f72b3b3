// Examples of the main answers. Every product, person and vulnerability in them is invented.

import { PRODUCT_TYPES, type ProductType } from '../../../index/product-type.ts';

const gallery = {
  id: 912034,
  title: 'WordPress Imaginary Gallery plugin <= 2.4.1 - SQL Injection vulnerability',
  disclosed_at: '2026-04-21T08:38:34+00:00',
  created_at: '2026-04-21T10:02:11+00:00',
  url: 'https://advisories.example/imaginary-gallery-2-4-1-sql-injection',
  vuln_type: 'SQL Injection',
  cve: '2026-900001',
  is_exploited: false,
  patch_priority: 3,
  product: { id: 8801, name: 'Imaginary Gallery', slug: 'imaginary-gallery' },
  cvss: { score: 9.3, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:N/A:L' },
  cwe: { id: 89, name: 'SQL Injection' },
  capec: { id: null, name: null },
  references: ['https://plugins.example/imaginary-gallery/changelog'],
  ghsa: '',
  version_info: {
    affected: '>= 1.0 < 1.9.3 || >= 2.0 <= 2.4.1',
    fixed: '2.4.2',
    patched_ranges: [
      { from_version: '1.0', to_version: '1.9.3', fixed_in: '1.9.3' },
      { from_version: '2.0', to_version: '2.4.1', fixed_in: '2.4.2' },
    ],
  },
};

const matchedGallery = {
  ...gallery,
  version_info: { ...gallery.version_info, fixed: '1.9.3' },
  matched_range: { from_version: '2.0', to_version: '2.4.1', to_bound: 'inclusive', fixed_in: '2.4.2' },
};

export const offsetPage = {
  vulnerabilities: [gallery],
  pagination: {
    current_page: 3,
    per_page: 1,
    total: 3,
    total_pages: 3,
    has_next_page: false,
    has_previous_page: true,
    next_page: null,
    previous_page: 2,
    from: 3,
    to: 3,
  },
};

export const cursorPage = {
  vulnerabilities: [gallery],
  cursor: { next_cursor: 'djE6OTEyMDM0', has_more: true, per_page: 1 },
};

export const changesPage = {
  since: '0123456789abcdef',
  snapshot: '89abcdef01234567',
  changes: [
    { id: gallery.id, change: 'changed', vulnerability: gallery },
    { id: 911876, change: 'withdrawn' },
  ],
  cursor: { next_cursor: null, has_more: false, per_page: 100 },
};

export const productVulnerabilities = { vulnerabilities: [matchedGallery] };

export const batchRequest = [
  { type: 'plugin', name: 'imaginary-gallery', version: '2.3' },
  { type: 'theme', name: 'paper-boat', version: '1.0', exists: true },
  { type: 'npm', name: '@imaginary/parser', version: 'latest' },
];

export const batchResult = [
  { type: 'plugin', name: 'imaginary-gallery', version: '2.3', vulnerabilities: [matchedGallery] },
  { type: 'theme', name: 'paper-boat', version: '1.0', vulnerable: false },
  {
    type: 'npm',
    name: '@imaginary/parser',
    version: 'latest',
    error: { code: 'invalid_version', message: 'version is not a version of this type of product' },
  },
];

export const explanation = {
  type: 'plugin',
  name: 'imaginary-gallery',
  version: '2.3-beta',
  known_product: true,
  readings: [
    {
      version_scheme: 'wordpress',
      parts: [
        { kind: 'number', text: '2' },
        { kind: 'number', text: '3' },
        { kind: 'word', text: 'beta' },
      ],
    },
  ],
  vulnerable: true,
  update_to: '2.4.2',
  lowest_clear: '1.9.3',
  fewest_left: null,
  axes: [
    {
      version_scheme: 'wordpress',
      versions: ['1.0', '1.9.3', '2.0', '2.4.1', '2.4.2'],
      below: 3,
      exact: false,
    },
  ],
  advisories: [
    {
      id: gallery.id,
      title: gallery.title,
      url: gallery.url,
      cve: gallery.cve,
      ghsa: gallery.ghsa,
      severity: 'critical',
      cvss: gallery.cvss,
      is_exploited: gallery.is_exploited,
      version_scheme: 'wordpress',
      applies: true,
      matched_range: matchedGallery.matched_range,
      ranges: [
        {
          from_version: '1.0',
          to_version: '1.9.3',
          to_bound: 'exclusive',
          fixed_in: '1.9.3',
          decides: false,
          excluded_by: 'to_version',
          comparison: '2.3-beta >= 1.9.3',
          ...{ axis: 0, from_at: 0, to_at: 1, fixed_at: 1 },
        },
        {
          ...matchedGallery.matched_range,
          decides: true,
          excluded_by: null,
          comparison: '2.0 <= 2.3-beta <= 2.4.1',
          ...{ axis: 0, from_at: 2, to_at: 3, fixed_at: 4 },
        },
      ],
      sources: [
        {
          name: 'Example Feed',
          notice: '',
          license: 'CC0-1.0',
          license_url: '',
          fields: ['title', 'affected'],
        },
      ],
    },
  ],
  omitted_ranges: 0,
};

export const productNames = {
  products: [
    { name: 'imaginary-frame', advisories: 1 },
    { name: 'imaginary-gallery', advisories: 3 },
  ],
};

/** A value for each type of products. */
function ofTypes<Value>(named: Partial<Record<ProductType, Value>>, other: Value): object {
  return Object.fromEntries(PRODUCT_TYPES.map((type) => [type, named[type] ?? other]));
}

export const statistics = {
  snapshot: '89abcdef01234567',
  built_at: '2026-04-22T00:00:00.000Z',
  advisories: {
    total: 3,
    withdrawn: 1,
    exploited: 0,
    without_fix: 1,
    by_type: ofTypes<number>({ plugin: 2, npm: 1 }, 0),
    by_severity: { critical: 1, high: 1, medium: 0, low: 0, none: 0, unknown: 1 },
    by_month: [
      { month: '2025-12', critical: 0, high: 1, medium: 0, low: 0, none: 0, unknown: 1 },
      { month: '2026-04', critical: 1, high: 0, medium: 0, low: 0, none: 0, unknown: 0 },
    ],
  },
  products: ofTypes<number>({ plugin: 1, npm: 1 }, 0),
  most_affected: ofTypes<readonly object[]>(
    {
      plugin: [{ name: 'imaginary-gallery', advisories: 2 }],
      npm: [{ name: 'imaginary-parser', advisories: 1 }],
    },
    [],
  ),
  sources: [{ name: 'Example Feed', notice: '', license: 'CC0-1.0', license_url: '', advisories: 3 }],
  omitted_sources: 0,
  kept: [
    { id: '89abcdef01234567', built_at: '2026-04-22T00:00:00.000Z' },
    { id: '0123456789abcdef', built_at: '2026-04-21T00:00:00.000Z' },
  ],
};

export const vulnerabilityRecord = {
  vulnerability: {
    id: gallery.id,
    psid: '8611371cd6b6',
    title: gallery.title,
    description: 'A request parameter reaches a database query unescaped.',
    disclosure_date: '2026-04-21 08:38:34',
    disclosed_at: gallery.disclosed_at,
    created_at: gallery.created_at,
    is_exploited: gallery.is_exploited,
    url: 'imaginary-gallery-2-4-1-sql-injection',
    direct_url: gallery.url,
  },
  product: { name: gallery.product.name, slug: gallery.product.slug, type: 'Plugin' },
  type: gallery.vuln_type,
  cvss: gallery.cvss,
  owasp: 'A3: Injection',
  references_url: [{ url: 'https://plugins.example/imaginary-gallery/changelog', title: 'Changelog' }],
  cve: [gallery.cve],
  versions: { affected_in: gallery.version_info.affected, fixed_in: '1.9.3' },
  versions_list: null,
  credit: { name: 'Ada Example', url: 'https://people.example/ada' },
  submitter: null,
};
