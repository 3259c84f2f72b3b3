// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Schema } from '../../http/openapi/model.ts';
import {
  dataResponse,
  keyedResponses,
  notModified,
  refusedResponse,
  unknownPath,
} from '../error-object-openapi.ts';
import { closedObject, closedObjectOrNull } from '../openapi-parts.ts';

const TAG = 'WPScan v3';
const text: Schema = { type: 'string' };
const nullableText: Schema = { type: ['string', 'null'] };
const instant: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z$',
};

const entry: Schema = closedObject({
  id: { type: 'string', pattern: '^[0-9a-f]{12}$', description: 'The PSID.' },
  title: {
    ...text,
    description: 'Ends in the affected range where `fixed_in` is null though the range ends.',
  },
  created_at: instant,
  updated_at: instant,
  published_date: instant,
  vuln_type: text,
  references: closedObject({ cve: { type: 'array', items: text }, url: { type: 'array', items: text } }),
  fixed_in: { ...nullableText, description: 'Null when no fix is known.' },
  introduced_in: { ...nullableText, description: 'Null when every version before `fixed_in` is affected.' },
  cvss: closedObjectOrNull({ score: { type: ['number', 'null'] }, vector: nullableText }),
});

const products: Schema = {
  type: 'object',
  minProperties: 1,
  additionalProperties: closedObject({
    friendly_name: nullableText,
    latest_version: { type: 'null' },
    last_updated: { type: 'null' },
    popular: { type: 'boolean', const: false },
    vulnerabilities: {
      type: 'array',
      items: entry,
      description: 'By descending id, an entry for each affected range.',
    },
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
      { ...variable, in: 'path', required: true, schema: { type: 'string', minLength: 1 } },
      { $ref: '#/components/parameters/IfNoneMatch' },
      { $ref: '#/components/parameters/RequestId' },
    ],
    responses: {
      '200': dataResponse('Under the name that was asked for.', products),
      '304': notModified,
      '404': refusedResponse('There is no data.', ['unknown_product']),
      '422': refusedResponse('The path is malformed.', ['invalid_parameter']),
      ...keyedResponses(),
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
  security: [{ PSKey: [] }, { Bearer: [] }],
  tags: [{ name: TAG, description: 'For WP-CLI scanners; they also send their key as `Token token=`.' }],
  components: {
    schemas: {},
    headers: {},
    parameters: {},
    responses: { WpscanNotFound: unknownPath },
    securitySchemes: {},
  },
};
