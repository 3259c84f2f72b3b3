// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Parameter, Ref, Response, Schema } from '../../http/openapi/model.ts';
import { UPPER_BOUNDS } from '../../index/lookup/interval.ts';
import { PRODUCT_TYPE_TABLE, PRODUCT_TYPES } from '../../index/product-type.ts';
import {
  dataResponse,
  errorResponse,
  keyedResponses,
  notModified,
  refusedResponse,
  unknownPath,
} from '../error-object-openapi.ts';
import { closedObject, schemaRef } from '../openapi-parts.ts';

const TAG = 'flat v2';
const text: Schema = { type: 'string' };
const nullableText: Schema = { type: ['string', 'null'] };
const flag: Schema = { type: 'boolean' };

const instant: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$',
};

const FlatVulnerability: Schema = {
  ...closedObject(
    {
      id: { type: 'integer', minimum: 1 },
      product_id: { type: 'integer' },
      title: text,
      description: text,
      disclosure_date: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
        description: '`disclosed_at` in its older form, UTC.',
      },
      disclosed_at: instant,
      created_at: instant,
      url: { ...text, description: 'The last part of the public page’s path.' },
      product_slug: text,
      product_name: text,
      product_name_premium: nullableText,
      product_type: { type: 'string', enum: PRODUCT_TYPE_TABLE.map(({ label }) => label) },
      vuln_type: text,
      cvss_score: { type: ['number', 'null'] },
      cve: { type: 'array', items: text, description: 'All CVE ids, without `CVE-`.' },
      is_exploited: flag,
      patch_priority: { type: 'integer', minimum: 1, maximum: 3 },
      affected_in: { ...text, minLength: 1 },
      fixed_in: {
        ...text,
        description:
          'On lookups the fix of the range that the version is in, elsewhere the highest; empty when there is none.',
      },
      patched_in_ranges: {
        type: 'array',
        items: closedObject({ from_version: text, to_version: text, fixed_in: text }),
      },
      direct_url: { ...text, description: 'Public page of the vulnerability.' },
      matched_range: closedObject({
        from_version: nullableText,
        to_version: nullableText,
        to_bound: { type: ['string', 'null'], enum: [...UPPER_BOUNDS, null] },
        fixed_in: nullableText,
      }),
    },
    ['matched_range'],
  ),
  description: 'An advisory without inner objects; `matched_range` on lookups only.',
};

const listOfItems: Schema = { type: 'array', items: schemaRef('FlatVulnerability') };

const person: Schema = { ...closedObject({ name: text, url: text }), type: ['object', 'null'] };

const schemas = {
  FlatVulnerability,
  FlatVulnerabilities: closedObject({ vulnerabilities: listOfItems }),
  FlatBatch: closedObject({
    vulnerabilities: {
      type: 'object',
      additionalProperties: { oneOf: [{ type: 'boolean' }, listOfItems] },
      description: 'One member for each distinct slug, in the order of the request.',
    },
  }),
  FlatBatchRequest: {
    type: 'array',
    maxItems: 50,
    items: {
      type: 'object',
      required: ['name', 'version'],
      properties: {
        type: { type: 'string', enum: [...PRODUCT_TYPES] },
        name: { type: 'string', minLength: 1, description: 'Product slug. At most 256 bytes.' },
        version: { type: 'string', description: 'A version, or `*`.' },
        exists: { type: 'boolean', default: false, description: 'Answer with a boolean.' },
      },
    },
  },
  FlatVulnerabilityRecord: {
    ...closedObject(
      {
        vulnerability: schemaRef('FlatVulnerability'),
        product: closedObject({ name: text, slug: text, type: text }),
        type: text,
        cvss: closedObject({ score: { type: ['number', 'null'] }, vector: nullableText }),
        owasp: text,
        references_url: { type: 'array', items: closedObject({ url: text, title: text }) },
        cve: { type: 'array', items: text },
        versions: closedObject({ affected_in: text, fixed_in: text }),
        versions_list: nullableText,
        credit: person,
        submitter: person,
        copyrights: {
          type: 'array',
          items: closedObject({ name: text, notice: text, license: text, license_url: text }),
        },
      },
      ['copyrights'],
    ),
    description: 'An item under `vulnerability`, and the other members of the contract’s page.',
  },
} as const satisfies { readonly [name: string]: Schema };

function reference(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` };
}

function operation(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly (Parameter | Ref)[],
  responses: { readonly [status: string]: Response },
  isPrepared = false,
): Operation {
  return {
    operationId,
    summary,
    description,
    tags: [TAG],
    parameters: [...parameters, reference('RequestId')],
    responses: { ...responses, ...keyedResponses(isPrepared) },
  };
}

const invalidParameter = refusedResponse('A part of the path is outside its domain.', ['invalid_parameter']);
const PRODUCT = ['ProductType', 'ProductName'].map(reference);

export const findProduct = operation(
  'findFlatProductVulnerabilities',
  'Find the vulnerabilities of a product’s version',
  'An unknown product has none.',
  [...PRODUCT, reference('ProductVersion'), reference('IfNoneMatch')],
  {
    '200': dataResponse('By descending id.', schemaRef('FlatVulnerabilities')),
    '304': notModified,
    '422': invalidParameter,
  },
);

export const productExists = operation(
  'isFlatProductVulnerable',
  'Say whether a product’s version is vulnerable',
  'An unknown product is not.',
  [...PRODUCT, reference('ConcreteVersion'), reference('IfNoneMatch')],
  {
    '200': dataResponse('The answer.', closedObject({ vulnerable: flag })),
    '304': notModified,
    '422': invalidParameter,
  },
);

export const listLatest = operation(
  'listFlatLatest',
  'List the 20 vulnerabilities that were added last',
  'By descending `created_at`.',
  [reference('IfNoneMatch')],
  { '200': dataResponse('At most 20.', schemaRef('FlatVulnerabilities')), '304': notModified },
);

export const listAll = operation(
  'listFlatVulnerabilities',
  'List everything in one answer',
  'Made once per snapshot; after a swap, the list of the previous snapshot is sent until the new one is ready. Ask for gzip.',
  [reference('IfNoneMatch')],
  { '200': dataResponse('By descending id.', schemaRef('FlatVulnerabilities')), '304': notModified },
  true,
);

export const getVulnerability = operation(
  'getFlatVulnerability',
  'Get everything on one vulnerability',
  'A withdrawn vulnerability still answers.',
  [reference('VulnerabilityId'), reference('IfNoneMatch')],
  {
    '200': dataResponse('The vulnerability.', schemaRef('FlatVulnerabilityRecord')),
    '304': notModified,
    '404': refusedResponse('No vulnerability has this id.', ['unknown_vulnerability']),
    '422': refusedResponse('The id is malformed, or several vulnerabilities share it.', [
      'invalid_parameter',
      'ambiguous_id',
    ]),
  },
);

const batchAnswer = dataResponse(
  'By slug: a list, or a boolean where each item of the slug has `exists`.',
  schemaRef('FlatBatch'),
  {
    headers: {
      'Vulndex-Ambiguous-Slugs': {
        description: 'Slugs that came more than once: their lists are unions. Percent-encoded.',
        schema: { type: 'string', minLength: 1, maxLength: 1100 },
      },
      'Vulndex-Unread-Versions': {
        description: 'Slugs whose version cannot be read: everything on record is listed. Percent-encoded.',
        schema: { type: 'string', minLength: 1, maxLength: 1100 },
      },
    },
  },
);

export const checkBatch: Operation = {
  ...operation(
    'checkFlatBatch',
    'Check up to 50 products at once',
    'An item without a type stands for the plugin, the theme and WordPress itself of that name.',
    [],
    {
      '200': batchAnswer,
      '400': refusedResponse('The body is not JSON.', ['invalid_body']),
      '413': errorResponse('The body is larger than 64 KiB.', ['body_too_large']),
      '422': refusedResponse('The body is not an array of at most 50 items, or the answer is over 8 MiB.', [
        'invalid_batch',
      ]),
    },
  ),
  requestBody: {
    description: 'The products to check.',
    required: true,
    content: { 'application/json': { schema: schemaRef('FlatBatchRequest') } },
  },
};

export const openApi: OpenApiPart = {
  description:
    'Below `/database/api/v2` the same data in the flat shape that PHP clients of WordPress sites read. Errors there are ' +
    '`{"error", "code", "request_id"}`.',
  security: [{ PSKey: [] }, { Bearer: [] }],
  tags: [{ name: TAG, description: 'The flat shape below `/database/api/v2`.' }],
  components: {
    schemas,
    headers: {},
    parameters: {},
    responses: { PatchstackFlatNotFound: unknownPath },
    securitySchemes: {},
  },
};
