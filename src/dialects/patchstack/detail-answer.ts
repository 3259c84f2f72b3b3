// The page of one advisory: its prepared list item, which already says most of it, and its detail record.

import { NONE } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import type { NamedLink } from '../../index/items/detail-record.ts';
import { formatInstant, formatLegacyInstant } from '../../index/items/instant.ts';
import { formatPsid } from '../../index/lookup/alias-table.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';

const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true }); // U+FEFF may begin a version like any character

/** The members of a list item that the page repeats. */
interface ListedItem {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly disclosed_at: string;
  readonly created_at: string;
  readonly vuln_type: string;
  readonly is_exploited: boolean;
  readonly product: { readonly name: string; readonly slug: string };
  readonly cvss: { readonly score: number | null; readonly vector: string | null };
  readonly references: readonly string[];
  readonly version_info: { readonly affected: string };
}

/** The body of GET /vulnerability/{id} as JSON. */
export function renderDetail(memory: ThreadMemory, generation: Generation, ordinal: number): string {
  const { columns, items } = generation.parts;
  const item = JSON.parse(
    fromUtf8.decode(items.bytes.subarray(items.itemStart[ordinal], items.itemStart[ordinal + 1] - 1)),
  ) as ListedItem; // the shape is ours: list-item.ts wrote it
  const [description, cves, referenceTitles, urlSlug, credit, submitter, affectedVersions, withdrawnAt] =
    generation.records.detailAt(ordinal, memory.records);
  const lowestFix = items.lowestFix[ordinal];
  return JSON.stringify({
    vulnerability: {
      id: item.id,
      psid: formatPsid(columns.advisoryPsid[ordinal]),
      title: item.title,
      description,
      disclosure_date: formatLegacyInstant(columns.advisoryDisclosedAt[ordinal]),
      disclosed_at: item.disclosed_at,
      created_at: item.created_at,
      is_exploited: item.is_exploited,
      url: urlSlug,
      direct_url: item.url,
      ...(withdrawnAt === null ? {} : { withdrawn_at: formatInstant(withdrawnAt) }),
    },
    product: {
      name: item.product.name,
      slug: item.product.slug,
      type: PRODUCT_TYPE_TABLE[columns.productType[columns.advisoryProduct[ordinal]]].label,
    },
    type: item.vuln_type,
    cvss: item.cvss,
    owasp: generation.records.termAt(columns.advisoryOwasp[ordinal]),
    references_url: item.references.map((url, i) => ({ url, title: referenceTitles[i] })),
    cve: cves,
    versions: {
      affected_in: item.version_info.affected,
      fixed_in: lowestFix === NONE ? '' : versionText(generation, lowestFix),
    },
    versions_list: affectedVersions.length === 0 ? null : affectedVersions.join(', '),
    credit: formatLink(credit),
    submitter: formatLink(submitter),
  });
}

function versionText(generation: Generation, version: number): string {
  const { versionText, versionTextStart } = generation.parts.columns;
  return fromUtf8.decode(versionText.subarray(versionTextStart[version], versionTextStart[version + 1]));
}

function formatLink(link: NamedLink | null): { name: string; url: string } | null {
  return link === null ? null : { name: link[0], url: link[1] };
}
