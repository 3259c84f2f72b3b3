// The page of one advisory: fields copied from its prepared list item, columns, and its detail record.
// Dialects that have another form of the advisory itself share what follows it.

import { isExploited, NONE } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import type { NamedLink } from '../index/items/detail-record.ts';
import { formatInstant, formatLegacyInstant } from '../index/items/instant.ts';
import { ItemView } from '../index/items/item-view.ts';
import { formatPsid } from '../index/lookup/alias-table.ts';
import type { ByteWriter } from '../index/memory/byte-writer.ts';
import type { ThreadMemory } from '../index/memory/thread-memory.ts';
import { PRODUCT_TYPE_TABLE } from '../index/product-type.ts';
import { memberWriters } from './member-writers.ts';
import { sourceMembers, withNotices } from './source-members.ts';

/** Appends the body of GET /vulnerability/{id} to the memory's `out`. */
export function writeDetail(
  { out, records }: Pick<ThreadMemory, 'out' | 'records'>,
  generation: Generation,
  ordinal: number,
): void {
  const { columns } = generation.parts;
  const view = new ItemView(generation).enter(ordinal);
  const [description, , , urlSlug, , , , withdrawnAt] = generation.records.detailAt(ordinal, records);
  const { listed, other } = memberWriters(out, view);
  listed('{"vulnerability":{"id":', 'id');
  other(',"psid":', formatPsid(columns.advisoryPsid[ordinal]));
  listed(',"title":', 'title');
  other(',"description":', description);
  other(',"disclosure_date":', formatLegacyInstant(generation.disclosedAt(ordinal)));
  other(',"disclosed_at":', formatInstant(generation.disclosedAt(ordinal)));
  other(',"created_at":', formatInstant(generation.createdAt(ordinal)));
  other(',"is_exploited":', isExploited(columns.advisoryFlags[ordinal]));
  other(',"url":', urlSlug);
  listed(',"direct_url":', 'url');
  if (withdrawnAt !== null) other(',"withdrawn_at":', formatInstant(withdrawnAt));
  out.text('}');
  writeDetailRest({ out, records }, generation, ordinal);
  out.text('}');
}

/** Appends the page's members after the first, `vulnerability`, with a comma before each. */
export function writeDetailRest(
  { out, records }: Pick<ThreadMemory, 'out' | 'records'>,
  generation: Generation,
  ordinal: number,
): void {
  const { columns, items } = generation.parts;
  const view = new ItemView(generation).enter(ordinal);
  const [, cves, referenceTitles, , credit, submitter, affectedVersions] = generation.records.detailAt(
    ordinal,
    records,
  );
  const { listed, other } = memberWriters(out, view);
  listed(',"product":{"name":', 'productName');
  listed(',"slug":', 'productSlug');
  other(',"type":', PRODUCT_TYPE_TABLE[columns.productType[columns.advisoryProduct[ordinal]]].label);
  listed('},"type":', 'vulnType');
  listed(',"cvss":{"score":', 'cvssScore');
  listed(',"vector":', 'cvssVector');
  other('},"owasp":', generation.traitAt('traitsOwasp', ordinal));
  out.text(',"references_url":[');
  writeReferences(out, view, referenceTitles);
  other('],"cve":', cves);
  listed(',"versions":{"affected_in":', 'affected');
  const lowestFix = items.lowestFix[ordinal];
  other(',"fixed_in":', lowestFix === NONE ? '' : generation.versionText(lowestFix));
  other('},"versions_list":', affectedVersions.length === 0 ? null : affectedVersions.join(', '));
  other(',"credit":', linkOf(credit));
  other(',"submitter":', linkOf(submitter));
  const sources = withNotices(generation.traitAt('traitsSources', ordinal));
  if (sources.length > 0) other(',"copyrights":', sources.map(sourceMembers));
}

function writeReferences(out: ByteWriter, view: ItemView, titles: readonly string[]): void {
  let before = '{"url":';
  let count = 0;
  for (let isOne = view.firstReference(); isOne; isOne = view.nextReference()) {
    out.text(before);
    out.copy(view.bytes, view.start, view.end);
    out.text(',"title":');
    out.text(JSON.stringify(titles[count++]));
    out.text('}');
    before = ',{"url":';
  }
}

function linkOf(link: NamedLink | null): { name: string; url: string } | null {
  return link === null ? null : { name: link[0], url: link[1] };
}
