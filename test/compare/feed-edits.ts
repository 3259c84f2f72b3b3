// Edits of feed records for tests of comparisons: one for each field that a comparison reports. Each makes
// sure that the stored value changes, or says that it does not apply to the record.

import type { FieldName } from '../../src/compare/fields.ts';
import { type ProductType, productTypeFacts } from '../../src/index/product-type.ts';
import { type VersionScheme, versionKey } from '../../src/index/versions/version-key.ts';
import type { FeedJson } from '../support/feeds/advisories.ts';

/** The changed members, or undefined if the edit does not apply. `n` is a fresh number. */
type Edit = (record: FeedJson, n: number) => FeedJson | undefined;

type Span = { readonly [key: string]: string | null };

const spansOf = (record: FeedJson): readonly Span[] => (record.affected ?? []) as readonly Span[];
const listOf = (value: unknown): readonly FeedJson[] => (value ?? []) as readonly FeedJson[];
const objectOf = (value: unknown): FeedJson => (value ?? {}) as FeedJson;
const factsOf = ({ product }: FeedJson) => productTypeFacts(objectOf(product).type as ProductType); // as invented
const schemeOf = (record: FeedJson) => (record.version_scheme ?? factsOf(record).scheme) as VersionScheme;
/** Versions may be dates such as 20211220, and a fix below the end of its span is none. */
const ABOVE_DATES = 999_999_999_999;
const second = (n: number): string => new Date(Date.UTC(2020, 0, 1) + n * 1000).toISOString();

/** Not `withdrawn_at`, which makes another kind of difference. */
export const FEED_EDITS: Readonly<Record<Exclude<FieldName, 'withdrawn_at'>, Edit>> = {
  psid: (_, n) => ({ psid: (0xffff_0000_0000 + n).toString(16) }),
  title: ({ title }, n) => ({ title: `${title} ${n}` }),
  description: (_, n) => ({ description: `Description "${n}" é` }),
  details: (_, n) => ({ details: `# Details ${n}` }),
  disclosed_at: (_, n) => ({ disclosed_at: second(n) }),
  created_at: (_, n) => ({ created_at: second(n) }),
  modified_at: (_, n) => ({ modified_at: second(n) }),
  kind: ({ kind }) => ({ kind: kind === 'malware' ? 'informational' : 'malware' }),
  source_id: (_, n) => ({ source_id: `source-${n}` }),
  sources: (_, n) => ({ sources: [{ name: `Source ${n}`, notice: 'Copyright' }] }),
  url: ({ url }, n) => ({ url: `${url}?${n}` }),
  url_slug: (_, n) => ({ url_slug: `slug-${n}` }),
  vuln_type: (_, n) => ({ vuln_type: `Type ${n}` }),
  cves: ({ cves }, n) => ({ cves: [...listOf(cves), `CVE-1999-${n}`] }),
  ghsa: (_, n) => ({ ghsa: `GHSA-${n}` }),
  aliases: ({ aliases }, n) => ({ aliases: [...listOf(aliases), `ALIAS-${n}`] }),
  severity: (_, n) => ({ severity: `word ${n}` }),
  epss: (_, n) => ({ epss: { score: n / 1e9, percentile: 0.5 } }),
  kev_date: (_, n) => ({ kev_date: new Date(n * 86_400_000).toISOString().slice(0, 10) }),
  is_exploited: ({ is_exploited }) => ({ is_exploited: is_exploited !== true }),
  patch_priority: ({ patch_priority }) => ({ patch_priority: patch_priority === 3 ? 2 : 3 }),
  product: ({ product }, n) => ({ product: { ...objectOf(product), premium_name: `Premium ${n}` } }),
  cvss: ({ cvss }, n) => ({ cvss: { ...objectOf(cvss), vector: `CVSS:3.1/AV:N/${n}` } }),
  cwe: (_, n) => ({ cwe: { id: n, name: null } }),
  capec: (_, n) => ({ capec: { id: n, name: `Pattern ${n}` } }),
  owasp: (_, n) => ({ owasp: `A${n}` }),
  references: ({ references }, n) => {
    const [first, ...others] = listOf(references);
    // A title alone, or another page.
    if (first !== undefined && n % 2 === 0) return { references: [{ ...first, title: `${n}` }, ...others] };
    return { references: [...listOf(references), { url: `https://pages.example/${n}` }] };
  },
  affected: (record, n) => {
    const spans = spansOf(record);
    const from = { from_version: `999.${n}`, to_version: null, to_bound: null, fixed_in: null };
    return { affected: n % 2 === 0 ? [...spans, from] : [from, ...spans] };
  },
  'affected[].fixed_in': (record, n) => {
    const [first, ...others] = spansOf(record);
    // The compiler drops a fix that the advisory itself affects, so none of its spans may be unbounded.
    if (first === undefined || spansOf(record).some(({ to_version }) => to_version === null))
      return undefined;
    const fix = `${ABOVE_DATES}.${n}.0`;
    const keyOf = (version: string) => versionKey(schemeOf(record), version) ?? new Uint8Array();
    // With an epoch the end can be above it, and Composer has no numbers of its length.
    if (Buffer.compare(keyOf(fix), keyOf(first.to_version ?? '')) < 0) return undefined;
    return { affected: [{ ...first, fixed_in: fix }, ...others] };
  },
  affected_versions: (record, n) => ({
    affected_versions: [...listOf(record.affected_versions), `997.0.${n}`],
  }),
  version_scheme: (record) => {
    // A span with two ends may be empty under another scheme, and that would make the line bad.
    const isSafe = spansOf(record).every(({ from_version }) => from_version === null);
    const isOther = record.version_scheme === undefined && factsOf(record).allowsOtherSchemes;
    return isSafe && isOther ? { version_scheme: 'php' } : undefined;
  },
  credit: (_, n) => ({ credit: { name: `Finder ${n}`, url: 'https://finder.example' } }),
  submitter: (_, n) => ({ submitter: { name: `Submitter ${n}`, url: 'https://submitter.example' } }),
  ecosystem_specific: (_, n) => ({ ecosystem_specific: { imports: [{ path: `example.com/${n}` }] } }),
};
