// The JSON Schemas of what this server adds to the contract: explanations, suggestions and statistics.

import type { Schema } from '../../../http/openapi/model.ts';
import { PRODUCT_TYPES } from '../../../index/product-type.ts';
import { PART_KINDS } from '../../../index/versions/key-parts.ts';
import { VERSION_SCHEMES } from '../../../index/versions/version-key.ts';
import * as s from '../../schema-words.ts';
import { SEVERITIES } from '../../severity.ts';
import { EXCLUSIONS } from '../explain.ts';
import { COUNTED_SEVERITIES, MAX_SOURCES, MOST_AFFECTED } from '../statistics-file.ts';

const index = { type: ['integer', 'null'], minimum: 0 };
const schemeName = s.oneOfWords(VERSION_SCHEMES);
const builtAt = s.matching('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$');

function countOf(names: readonly string[]): Schema {
  return s.object(s.membersOf(names, s.count));
}

export const ownSchemas: { readonly [name: string]: Schema } = {
  Explanation: s.object({
    type: s.oneOfWords(PRODUCT_TYPES),
    name: s.text,
    version: s.text,
    known_product: s.described('Whether the data names the product.', s.flag),
    readings: s.described(
      'How the version was read, by each version scheme of the product’s vulnerabilities.',
      s.list(s.ref('VersionReading')),
    ),
    vulnerable: s.described('Whether any vulnerability applies.', s.flag),
    update_to: s.described(
      'If a vulnerability applies, the lowest version that the product’s data names which is not below the one asked for and to which none applies; null when there is none.',
      s.nullableText,
    ),
    lowest_clear: s.described(
      'The lowest version that the product’s data names to which no vulnerability applies, also below the one asked for; null when there is none.',
      s.nullableText,
    ),
    fewest_left: s.described(
      'Where `update_to` is null: the lowest version not below the one asked for that leaves the fewest vulnerabilities, and the ids of those. Null if none leaves fewer, or if the vulnerabilities have several version schemes.',
      s.objectOrNull({ version: s.text, advisories: s.list(s.count) }),
    ),
    axes: s.described(
      'For each version scheme of the vulnerabilities listed, the versions that the ranges listed name. Ranges point to them, so nobody else needs to compare versions.',
      s.list(s.ref('VersionAxis')),
    ),
    advisories: s.described(
      'Every published vulnerability of the product, by descending id. Withdrawn ones apply to no version and are left out.',
      s.list(s.ref('ExplainedVulnerability')),
    ),
    omitted_ranges: s.described('How many ranges are not listed.', s.count),
  }),
  ProductNames: s.object({
    products: {
      ...s.list(
        s.object({
          name: s.described('As the data has it: a slug, or the name of a package.', s.text),
          advisories: s.described(
            'How many published vulnerabilities it has; 0 if all of them were withdrawn.',
            s.count,
          ),
        }),
      ),
      maxItems: 20,
      description: 'By name, in the order of its bytes.',
    },
  }),
  Statistics: s.object({
    snapshot: s.described('The snapshot that was counted.', s.snapshotId),
    built_at: s.described('When it was compiled, UTC.', builtAt),
    advisories: s.object({
      total: s.described('Published ones.', s.count),
      withdrawn: s.described('Withdrawn ones. They are in no other count.', s.count),
      exploited: s.described('With `is_exploited`.', s.count),
      without_fix: s.described('With no range that names a fixed version.', s.count),
      by_type: countOf(PRODUCT_TYPES),
      by_severity: s.described(
        'As `/explain` has it; `unknown` where that is null.',
        countOf(COUNTED_SEVERITIES),
      ),
      by_month: s.described(
        'By the month of `disclosed_at`, in UTC, ascending; months without any are left out.',
        s.list(
          s.object({
            month: s.matching('^\\d{4}-\\d\\d$'),
            ...s.membersOf(COUNTED_SEVERITIES, s.count),
          }),
        ),
      ),
    }),
    products: s.described('Products with a published vulnerability.', countOf(PRODUCT_TYPES)),
    most_affected: s.described(
      'Of each type the products with the most published vulnerabilities, by descending count.',
      s.object(
        s.membersOf(
          PRODUCT_TYPES,
          s.list(s.object({ name: s.text, advisories: s.count }), { maxItems: MOST_AFFECTED }),
        ),
      ),
    ),
    sources: {
      ...s.list(
        s.object({
          ...s.sourceMembers,
          advisories: s.count,
        }),
      ),
      maxItems: MAX_SOURCES,
      description:
        'Those that differ in name, notice or licence, by descending count. A vulnerability counts for each of its sources.',
    },
    omitted_sources: s.described('How many sources are not listed.', s.count),
    kept: s.described(
      'The snapshots that the server holds now, the newest first: what `snapshot` and `since` may name.',
      s.list(s.object({ id: s.snapshotId, built_at: builtAt })),
    ),
  }),
  VersionReading: s.object({
    version_scheme: schemeName,
    parts: {
      type: ['array', 'null'],
      description:
        'The parts that are compared, in order; null when the scheme does not order the text. Missing from them is what does not count: trailing zeros where missing parts are zero, build metadata, the letters of a word.',
      items: s.object({
        kind: {
          type: 'string',
          enum: [...PART_KINDS],
          description:
            'A `fraction` compares like digits after a decimal point. A `word` is `dev`, `alpha`, `beta`, `rc` or `pl`, or `unknown` for any other. `empty` is nothing after the last separator. A `surplus` decides only between versions that are otherwise equal. An `identifier` belongs to a pre-release. A `local` part is ignored: advisories are about the release that it was made of, unless they name the local version.',
        },
        text: s.text,
      }),
    },
  }),
  VersionAxis: s.object({
    version_scheme: schemeName,
    versions: s.described(
      'Each bound and each fix once, ascending and as published; `update_to` and `lowest_clear` are among them, on one of the axes, while no range is omitted. Equal versions, such as `1.0` and `1.0.0` under semver, are one. A lower bound of `0` under semver is no bound, and a fix that the scheme does not order has no place.',
      s.list(s.text),
    ),
    below: {
      type: ['integer', 'null'],
      minimum: 0,
      description:
        'How many of `versions` are below the version asked for; null when the scheme does not order it.',
    },
    exact: {
      type: ['boolean', 'null'],
      description: 'Whether `versions[below]` equals the version asked for; null as `below`.',
    },
  }),
  ExplainedVulnerability: s.object({
    id: s.advisoryId,
    title: s.text,
    url: s.uri,
    cve: s.text,
    ghsa: s.text,
    severity: s.described(
      '`critical` for malware; otherwise the word of its source, or the band of its CVSS score. Null when nothing is known.',
      s.wordOrNull(SEVERITIES),
    ),
    cvss: {
      oneOf: [s.cvss, { type: 'null' }],
      description: 'As in lists; null when there is neither score nor vector.',
    },
    is_exploited: s.flag,
    version_scheme: s.described('How its versions are ordered.', schemeName),
    applies: s.flag,
    matched_range: {
      oneOf: [s.ref('MatchedRange'), { type: 'null' }],
      description: 'The range that decided, as in a lookup; null when the vulnerability does not apply.',
    },
    ranges: s.list(
      s.object({
        ...s.rangeMembers,
        decides: s.described(
          'Of the ranges that contain the version, the one with the greatest lower bound.',
          s.flag,
        ),
        excluded_by: s.described(
          'What excludes the version: it is below `from_version`, or beyond `to_version`, or its version scheme does not order it. Null when the range contains it.',
          s.wordOrNull(EXCLUSIONS),
        ),
        comparison: s.described('The comparison made, for example `1.0 <= 1.2 < 1.5`.', s.text),
        axis: s.described('The index of the axis in `axes`.', s.count),
        from_at: s.described(
          'The index of `from_version` in the `versions` of the axis; null when the range is unbounded below.',
          index,
        ),
        to_at: s.described('The same of `to_version`; null when the range is unbounded above.', index),
        fixed_at: s.described(
          'The same of `fixed_in`; null when there is none, or its scheme does not order it.',
          index,
        ),
      }),
    ),
    sources: s.list(
      s.object({
        ...s.sourceMembers,
        fields: {
          type: ['array', 'null'],
          items: s.text,
          description:
            'The members of the record that came from this source; null when it has no other source.',
        },
      }),
    ),
  }),
};
