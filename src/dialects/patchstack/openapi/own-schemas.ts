// The JSON Schemas of what this server adds to the contract: explanations, suggestions and statistics.

import type { Schema } from '../../../http/openapi/model.ts';
import { UPPER_BOUNDS } from '../../../index/lookup/interval.ts';
import { PRODUCT_TYPES } from '../../../index/product-type.ts';
import { PART_KINDS } from '../../../index/versions/key-parts.ts';
import { VERSION_SCHEMES } from '../../../index/versions/version-key.ts';
import {
  advisoryId,
  closedObject,
  closedObjectOrNull,
  count,
  cvss,
  described,
  flag,
  listOf,
  matching,
  membersOf,
  nullableText,
  oneOfWords,
  schemaRef,
  snapshotId,
  text,
  uri,
  wordOrNull,
} from '../../schema-words.ts';
import { SEVERITIES } from '../../severity.ts';
import { EXCLUSIONS } from '../explain.ts';
import { COUNTED_SEVERITIES, MAX_SOURCES, MOST_AFFECTED } from '../statistics-file.ts';

const index = { type: ['integer', 'null'], minimum: 0 };
const schemeName = oneOfWords(VERSION_SCHEMES);
const builtAt = matching('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$');

function countOf(names: readonly string[]): Schema {
  return closedObject(membersOf(names, count));
}

export const ownSchemas: { readonly [name: string]: Schema } = {
  Explanation: closedObject({
    type: oneOfWords(PRODUCT_TYPES),
    name: text,
    version: text,
    known_product: described('Whether the data names the product.', flag),
    readings: described(
      'How the version was read, by each version scheme of the product’s vulnerabilities.',
      listOf(schemaRef('VersionReading')),
    ),
    vulnerable: described('Whether any vulnerability applies.', flag),
    update_to: described(
      'The lowest version that the product’s data names which is not below the one asked for and to which no vulnerability applies; null when there is none.',
      nullableText,
    ),
    lowest_clear: described(
      'The lowest version that the product’s data names to which no vulnerability applies, also below the one asked for; null when there is none.',
      nullableText,
    ),
    fewest_left: described(
      'Where `update_to` is null: the lowest version not below the one asked for that leaves the fewest vulnerabilities, and the ids of those. Null if none leaves fewer, or if the vulnerabilities have several version schemes.',
      closedObjectOrNull({ version: text, advisories: listOf(count) }),
    ),
    axes: described(
      'For each version scheme of the vulnerabilities listed, the versions that the ranges listed name. Ranges point to them, so nobody else needs to compare versions.',
      listOf(schemaRef('VersionAxis')),
    ),
    advisories: described(
      'Every published vulnerability of the product, by descending id. Withdrawn ones apply to no version and are left out.',
      listOf(schemaRef('ExplainedVulnerability')),
    ),
    omitted_ranges: described('How many ranges are not listed.', count),
  }),
  ProductNames: closedObject({
    products: {
      ...listOf(
        closedObject({
          name: described('As the data has it: a slug, or the name of an npm package.', text),
          advisories: described(
            'How many published vulnerabilities it has; 0 if all of them were withdrawn.',
            count,
          ),
        }),
      ),
      maxItems: 20,
      description: 'By name, in the order of its bytes.',
    },
  }),
  Statistics: closedObject({
    snapshot: described('The snapshot that was counted.', snapshotId),
    built_at: described('When it was compiled, UTC.', builtAt),
    advisories: closedObject({
      total: described('Published ones.', count),
      withdrawn: described('Withdrawn ones. They are in no other count.', count),
      exploited: described('With `is_exploited`.', count),
      without_fix: described('With no range that names a fixed version.', count),
      by_type: countOf(PRODUCT_TYPES),
      by_severity: described(
        'As `/explain` has it; `unknown` where that is null.',
        countOf(COUNTED_SEVERITIES),
      ),
      by_month: described(
        'By the month of `disclosed_at`, in UTC, ascending; months without any are left out.',
        listOf(
          closedObject({
            month: matching('^\\d{4}-\\d\\d$'),
            ...membersOf(COUNTED_SEVERITIES, count),
          }),
        ),
      ),
    }),
    products: described('Products with a published vulnerability.', countOf(PRODUCT_TYPES)),
    most_affected: described(
      'Of each type the products with the most published vulnerabilities, by descending count.',
      closedObject(
        membersOf(
          PRODUCT_TYPES,
          listOf(closedObject({ name: text, advisories: count }), { maxItems: MOST_AFFECTED }),
        ),
      ),
    ),
    sources: {
      ...listOf(
        closedObject({ name: text, notice: text, license: text, license_url: text, advisories: count }),
      ),
      maxItems: MAX_SOURCES,
      description:
        'Those that differ in name, notice or licence, by descending count. A vulnerability counts for each of its sources.',
    },
    omitted_sources: described('How many sources are not listed.', count),
    kept: described(
      'The snapshots that the server holds now, the newest first: what `snapshot` and `since` may name.',
      listOf(closedObject({ id: snapshotId, built_at: builtAt })),
    ),
  }),
  VersionReading: closedObject({
    version_scheme: schemeName,
    parts: {
      type: ['array', 'null'],
      description:
        'The parts that are compared, in order; null when the scheme does not order the text. Missing from them is what does not count: trailing zeros where missing parts are zero, build metadata, the letters of a word.',
      items: closedObject({
        kind: {
          type: 'string',
          enum: [...PART_KINDS],
          description:
            'A `fraction` compares like digits after a decimal point. A `word` is `dev`, `alpha`, `beta`, `rc` or `pl`, or `unknown` for any other. `empty` is nothing after the last separator. A `surplus` decides only between versions that are otherwise equal. An `identifier` belongs to a pre-release.',
        },
        text,
      }),
    },
  }),
  VersionAxis: closedObject({
    version_scheme: schemeName,
    versions: described(
      'Each bound and each fix once, ascending and as published; `update_to` and `lowest_clear` are among them, on one of the axes, while no range is omitted. Equal versions, such as `1.0` and `1.0.0` under semver, are one. A lower bound of `0` under semver is no bound, and a fix that the scheme does not order has no place.',
      listOf(text),
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
  ExplainedVulnerability: closedObject({
    id: advisoryId,
    title: text,
    url: uri,
    cve: text,
    ghsa: text,
    severity: described(
      '`critical` for malware; otherwise the word of its source, or the band of its CVSS score. Null when nothing is known.',
      wordOrNull(SEVERITIES),
    ),
    cvss: {
      oneOf: [cvss, { type: 'null' }],
      description: 'As in lists; null when there is neither score nor vector.',
    },
    is_exploited: flag,
    version_scheme: described('How its versions are ordered.', schemeName),
    applies: flag,
    matched_range: {
      oneOf: [schemaRef('MatchedRange'), { type: 'null' }],
      description: 'The range that decided, as in a lookup; null when the vulnerability does not apply.',
    },
    ranges: listOf(
      closedObject({
        from_version: nullableText,
        to_version: nullableText,
        to_bound: wordOrNull(UPPER_BOUNDS),
        fixed_in: nullableText,
        decides: described(
          'Of the ranges that contain the version, the one with the greatest lower bound.',
          flag,
        ),
        excluded_by: described(
          'What excludes the version: it is below `from_version`, or beyond `to_version`, or its version scheme does not order it. Null when the range contains it.',
          wordOrNull(EXCLUSIONS),
        ),
        comparison: described('The comparison made, for example `1.0 <= 1.2 < 1.5`.', text),
        axis: described('The index of the axis in `axes`.', count),
        from_at: described(
          'The index of `from_version` in the `versions` of the axis; null when the range is unbounded below.',
          index,
        ),
        to_at: described('The same of `to_version`; null when the range is unbounded above.', index),
        fixed_at: described(
          'The same of `fixed_in`; null when there is none, or its scheme does not order it.',
          index,
        ),
      }),
    ),
    sources: listOf(
      closedObject({
        name: text,
        notice: text,
        license: text,
        license_url: text,
        fields: {
          type: ['array', 'null'],
          items: text,
          description:
            'The members of the record that came from this source; null when it has no other source.',
        },
      }),
    ),
  }),
};
