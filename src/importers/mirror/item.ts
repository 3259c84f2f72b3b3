// One item of a listing to a draft with the numbers that the server gave it, so that a server of the copy
// answers with the same bytes.

import { type ProductType, productTypeFacts } from '../../index/product-type.ts';
import { checkSurrogates, type FieldProblem, mustBe } from '../record/feed-schema.ts';
import { isObject, type JsonObject } from '../record/json.ts';
import { checkRecord } from '../record/record.ts';
import type { DraftRecord } from '../source.ts';
import { addFixes, type PatchedRange, readAffected } from './affected.ts';
import { fittingReading } from './scheme.ts';

export type ReadItem =
  | { readonly kind: 'draft'; readonly record: DraftRecord; readonly warnings: readonly string[] }
  | { readonly kind: 'reject'; readonly problems: readonly FieldProblem[] };

/** Requires: an object of parsed JSON; the type of its product. */
export function readItem(item: JsonObject, type: ProductType): ReadItem {
  const problems: FieldProblem[] = [];
  const info = item.version_info;
  const { affected, fixed = '', patched_ranges: patched = [] } = isObject(info) ? info : {};
  if (typeof affected !== 'string') {
    problems.push({ field: 'version_info.affected', message: mustBe('a string', affected) });
  }
  if (typeof fixed !== 'string') {
    problems.push({ field: 'version_info.fixed', message: mustBe('a string', fixed) });
  }
  if (!isPatchedRanges(patched)) {
    const message = mustBe('a list of ranges with three strings each', patched);
    problems.push({ field: 'version_info.patched_ranges', message });
  }
  if (typeof affected !== 'string' || typeof fixed !== 'string' || !isPatchedRanges(patched)) {
    return { kind: 'reject', problems };
  }
  const reading = fittingReading(type, fixed, (scheme) => {
    const read = readAffected(affected, scheme);
    const { spans, warnings } = addFixes(read.spans, patched, fixed, scheme);
    return {
      scheme,
      spans,
      hasBad: read.bad.length > 0,
      bad: read.bad,
      warnings: [...read.warnings, ...warnings],
    };
  });
  if (reading.spans.length === 0) {
    return {
      kind: 'reject',
      problems: reading.bad.map((message) => ({ field: 'version_info.affected', message })),
    };
  }
  const isDefaultScheme = reading.scheme === productTypeFacts(type).scheme;
  const record = {
    ...factsOf(item, type),
    affected: reading.spans,
    ...(isDefaultScheme ? {} : { version_scheme: reading.scheme }),
  };
  checkRecord(record, problems);
  checkSurrogates(record, problems);
  if (problems.length > 0) return { kind: 'reject', problems };
  const warnings = [
    ...reading.warnings,
    ...reading.bad.map((sentence) => `version_info.affected: ${sentence} It was left out.`),
    ...(isDefaultScheme ? [] : [`its versions were read in the order of the scheme ${reading.scheme}.`]),
  ];
  return { kind: 'draft', record: record as DraftRecord, warnings }; // checkRecord found nothing wrong
}

/** As in a feed record; the record is checked afterwards, so values are taken as they are. */
function factsOf(item: JsonObject, type: ProductType): JsonObject {
  const { advisory_details: details, cve, ghsa, references, product } = item;
  const { id, slug, name } = isObject(product) ? product : {};
  return {
    id: item.id,
    title: bareTitle(item.title, type),
    disclosed_at: item.disclosed_at,
    created_at: item.created_at,
    url: item.url,
    vuln_type: item.vuln_type,
    ...(details === undefined || details === '' ? {} : { details }),
    // The server took one prefix off, so exactly one is put back.
    ...(cve === '' || cve === undefined ? {} : { cves: [typeof cve === 'string' ? `CVE-${cve}` : cve] }),
    ...(ghsa === '' || ghsa === undefined ? {} : { ghsa }),
    is_exploited: item.is_exploited,
    patch_priority: item.patch_priority,
    product: { id, type, slug, name },
    cvss: item.cvss,
    cwe: item.cwe,
    capec: item.capec,
    references: Array.isArray(references) ? references.map((url: unknown) => ({ url })) : references,
  };
}

/** Without the prefix that every title of a platform carries in answers, unless it has that twice. */
function bareTitle(title: unknown, type: ProductType): unknown {
  const { titlePrefix } = productTypeFacts(type);
  if (typeof title !== 'string' || titlePrefix === '' || !title.startsWith(titlePrefix)) return title;
  const bare = title.slice(titlePrefix.length);
  return bare.startsWith(titlePrefix) ? title : bare;
}

function isPatchedRanges(value: unknown): value is readonly PatchedRange[] {
  return (
    Array.isArray(value) &&
    value.every(
      (range) =>
        isObject(range) &&
        typeof range.from_version === 'string' &&
        typeof range.to_version === 'string' &&
        typeof range.fixed_in === 'string',
    )
  );
}
