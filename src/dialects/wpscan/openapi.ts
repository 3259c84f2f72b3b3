// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Schema } from '../../http/openapi/model.ts';
import { errorObject, errorObjectResponses, unknownPath } from '../error-object.ts';
import { dataResponse, KEY_SECURITY, parameterRefs } from '../openapi-parts.ts';
import { refusal } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';

const TAG = 'WPScan v3';
const instant = s.matching('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z$');

const entry: Schema = s.object({
  id: s.described('The PSID.', s.psid),
  title: s.described('Ends in the affected range where `fixed_in` is null though the range ends.', s.text),
  created_at: instant,
  updated_at: instant,
  published_date: instant,
  vuln_type: s.text,
  references: s.object({ cve: s.texts, url: s.texts }),
  fixed_in: s.described('Null when no fix is known.', s.nullableText),
  introduced_in: s.described('Null when every version before `fixed_in` is affected.', s.nullableText),
  cvss: s.objectOrNull({ score: s.nullableNumber, vector: s.nullableText }),
});

const products: Schema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: s.object({
    friendly_name: s.nullableText,
    latest_version: { type: 'null' },
    last_updated: { type: 'null' },
    popular: { type: 'boolean', const: false },
    vulnerabilities: s.described('By descending id, an entry for each affected range.', s.list(entry)),
  }),
};

function operation(
  operationId: string,
  summary: string,
  description: string,
  variable: { readonly name: string; readonly description: string },
): Operation {
  return {
    operationId,
    summary,
    description,
    tags: [TAG],
    parameters: [
      { ...variable, in: 'path', required: true, schema: s.someText },
      ...parameterRefs('IfNoneMatch', 'RequestId'),
    ],
    responses: {
      '200': dataResponse('Under the name that was asked for.', products),
      '404': refusal(errorObject, 'There is no data.', ['unknown_product']),
      '422': refusal(errorObject, 'The path is malformed.', ['invalid_parameter']),
    },
  };
}

const ALL = 'Everything on record: clients compare `introduced_in <= version < fixed_in` themselves.';

export const getPlugin = operation('getWpscanPlugin', 'List the vulnerabilities of a plugin', ALL, {
  name: 'slug',
  description: 'The plugin’s slug, in any case.',
});

export const getTheme = operation('getWpscanTheme', 'List the vulnerabilities of a theme', ALL, {
  name: 'slug',
  description: 'The theme’s slug, in any case.',
});

export const getWordpress = operation(
  'getWpscanWordpress',
  'List the vulnerabilities of a version of WordPress',
  'Only what applies to the version. Where the dots can be put back in two ways, both are answered.',
  { name: 'version', description: 'Without dots: `611` is 6.1.1.' },
);

export const openApi: OpenApiPart = {
  description:
    'Below `/wpscan` products in the shape of WPScan’s API, version 3. Errors there are `{"error", "code", "request_id"}`.',
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'For WP-CLI scanners; they also send their key as `Token token=`.' }],
  sharedResponses: errorObjectResponses,
  components: { responses: { WpscanNotFound: unknownPath } },
};
