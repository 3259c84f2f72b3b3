// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Parameter, Ref, Schema } from '../../http/openapi/model.ts';
import { PRODUCT_TYPE_TABLE, PRODUCT_TYPES } from '../../index/product-type.ts';
import { errorObject, errorObjectResponses, unknownPath } from '../error-object.ts';
import { UNREAD_VERSIONS } from '../lookup-headers.ts';
import { dataResponse, jsonBody, KEY_SECURITY, parameterRefs } from '../openapi-parts.ts';
import { notYetPrepared, refusal } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';
import { AMBIGUOUS_SLUGS } from './batch.ts';

const TAG = 'flat v2';
const instant = s.matching('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$');

const FlatVulnerability: Schema = {
  ...s.object(
    {
      id: s.positive,
      product_id: s.integer,
      title: s.text,
      description: s.text,
      disclosure_date: s.described('`disclosed_at` in its older form, UTC.', s.phpInstant),
      disclosed_at: instant,
      created_at: instant,
      url: s.described('The last part of the public page’s path.', s.text),
      product_slug: s.text,
      product_name: s.text,
      product_name_premium: s.nullableText,
      product_type: s.oneOfWords(PRODUCT_TYPE_TABLE.map(({ label }) => label)),
      vuln_type: s.text,
      cvss_score: s.nullableNumber,
      cve: s.described('All CVE ids, without `CVE-`.', s.texts),
      is_exploited: s.flag,
      patch_priority: { type: 'integer', minimum: 1, maximum: 3 },
      affected_in: s.someText,
      fixed_in: s.described(
        'On lookups the fix of the range that the version is in, elsewhere the highest; empty when there is none.',
        s.text,
      ),
      patched_in_ranges: s.patchedRanges,
      direct_url: s.described('Public page of the vulnerability.', s.text),
      matched_range: s.object(s.rangeMembers),
    },
    ['matched_range'],
  ),
  description: 'An advisory without inner objects; `matched_range` on lookups only.',
};

const listOfItems = s.list(s.ref('FlatVulnerability'));

const schemas = {
  FlatVulnerability,
  FlatVulnerabilities: s.object({ vulnerabilities: listOfItems }),
  FlatBatch: s.object({
    vulnerabilities: {
      type: 'object',
      additionalProperties: { oneOf: [s.flag, listOfItems] },
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
        type: s.oneOfWords(PRODUCT_TYPES),
        name: s.described('Product slug. At most 256 bytes.', s.someText),
        version: s.described('A version, or `*`.', s.text),
        exists: { type: 'boolean', default: false, description: 'Answer with a boolean.' },
      },
    },
  },
  FlatVulnerabilityRecord: {
    ...s.object(
      {
        vulnerability: s.ref('FlatVulnerability'),
        product: s.object({ name: s.text, slug: s.text, type: s.text }),
        type: s.text,
        cvss: s.cvss,
        owasp: s.text,
        references_url: s.list(s.object({ url: s.text, title: s.text })),
        cve: s.texts,
        versions: s.object({ affected_in: s.text, fixed_in: s.text }),
        versions_list: s.nullableText,
        credit: s.person,
        submitter: s.person,
        copyrights: s.copyrights,
      },
      ['copyrights'],
    ),
    description: 'An item under `vulnerability`, and the other members of the contract’s page.',
  },
} as const satisfies { readonly [name: string]: Schema };

function operation(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly (Parameter | Ref)[],
  responses: Operation['responses'],
): Operation {
  return {
    operationId,
    summary,
    description,
    tags: [TAG],
    parameters: [...parameters, ...parameterRefs('RequestId')],
    responses,
  };
}

const invalidParameter = refusal(errorObject, 'A part of the path is outside its domain.', [
  'invalid_parameter',
]);

export const findProduct = operation(
  'findFlatProductVulnerabilities',
  'Find the vulnerabilities of a product’s version',
  'An unknown product has none.',
  parameterRefs('ProductType', 'ProductName', 'ProductVersion', 'IfNoneMatch'),
  {
    '200': dataResponse('By descending id.', s.ref('FlatVulnerabilities')),
    '422': invalidParameter,
  },
);

export const productExists = operation(
  'isFlatProductVulnerable',
  'Say whether a product’s version is vulnerable',
  'An unknown product is not.',
  parameterRefs('ProductType', 'ProductName', 'ConcreteVersion', 'IfNoneMatch'),
  {
    '200': dataResponse('The answer.', s.object({ vulnerable: s.flag })),
    '422': invalidParameter,
  },
);

export const listLatest = operation(
  'listFlatLatest',
  'List the 20 vulnerabilities that were added last',
  'By descending `created_at`.',
  parameterRefs('IfNoneMatch'),
  { '200': dataResponse('At most 20.', s.ref('FlatVulnerabilities')) },
);

export const listAll = operation(
  'listFlatVulnerabilities',
  'List everything in one answer',
  'Made once per snapshot; after a swap, the list of the previous snapshot is sent until the new one is ready. Ask for gzip.',
  parameterRefs('IfNoneMatch'),
  {
    '200': dataResponse('By descending id.', s.ref('FlatVulnerabilities')),
    '503': notYetPrepared(errorObject),
  },
);

export const getVulnerability = operation(
  'getFlatVulnerability',
  'Get everything on one vulnerability',
  'A withdrawn vulnerability still answers.',
  parameterRefs('VulnerabilityId', 'IfNoneMatch'),
  {
    '200': dataResponse('The vulnerability.', s.ref('FlatVulnerabilityRecord')),
    '404': refusal(errorObject, 'No vulnerability has this id.', ['unknown_vulnerability']),
    '422': refusal(errorObject, 'The id is malformed, or several vulnerabilities share it.', [
      'invalid_parameter',
      'ambiguous_id',
    ]),
  },
);

const batchAnswer = dataResponse(
  'By slug: a list, or a boolean where each item of the slug has `exists`.',
  s.ref('FlatBatch'),
  {
    headers: {
      [AMBIGUOUS_SLUGS]: {
        description: 'Slugs that came more than once: their lists are unions. Percent-encoded.',
        schema: { ...s.someText, maxLength: 1100 },
      },
      [UNREAD_VERSIONS]: {
        description: 'Slugs whose version cannot be read: everything on record is listed. Percent-encoded.',
        schema: { ...s.someText, maxLength: 1100 },
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
      '400': refusal(errorObject, 'The body is not JSON.', ['invalid_body']),
      '413': refusal(errorObject, 'The body is larger than 64 KiB.', ['body_too_large'], { headers: {} }),
      '422': refusal(
        errorObject,
        'The body is not an array of at most 50 items, or the answer is over 8 MiB.',
        ['invalid_batch'],
      ),
    },
  ),
  requestBody: jsonBody('The products to check.', s.ref('FlatBatchRequest')),
};

export const openApi: OpenApiPart = {
  description:
    'Below `/database/api/v2` the same data in the flat shape that PHP clients of WordPress sites read. Errors there are ' +
    '`{"error", "code", "request_id"}`.',
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'The flat shape below `/database/api/v2`.' }],
  sharedResponses: errorObjectResponses,
  components: { schemas, responses: { PatchstackFlatNotFound: unknownPath } },
};
