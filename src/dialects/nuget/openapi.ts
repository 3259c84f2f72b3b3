// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Response } from '../../http/openapi/model.ts';
import { errorObject, errorObjectResponses, unknownPath } from '../error-object.ts';
import {
  dataResponse,
  headerRef,
  inPath,
  KEY_SECURITY,
  limitHeaders,
  parameterRefs,
} from '../openapi-parts.ts';
import { notYetPrepared, refusal } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';

const TAG = 'NuGet';

const vulnerability = s.object({
  severity: s.described('0 low, 1 medium, 2 high, 3 critical or not known.', {
    type: 'integer',
    minimum: 0,
    maximum: 3,
  }),
  url: s.uri,
  versions: s.described(
    'The affected versions, as NuGet reads a range; more where it cannot be said exactly.',
    s.someText,
  ),
});

const withoutDataHeader = { 'Vulndex-Unknown-Ecosystems': headerRef('UnknownEcosystems') };
const noData = refusal(
  errorObject,
  'The snapshot has no advisory about a NuGet package, or there is no such page.',
  ['no_nuget_data', 'unknown_page'],
  { headers: { ...limitHeaders, ...withoutDataHeader } },
);

function operation(
  operationId: string,
  summary: string,
  description: string,
  responses: Operation['responses'],
  parameters: NonNullable<Operation['parameters']> = [],
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

function untagged(
  description: string,
  schema: Parameters<typeof dataResponse>[1],
  headers: Response['headers'] = {},
): Response {
  return dataResponse(description, schema, { isTagged: false, headers });
}

export const getServiceIndex = operation(
  'getNugetServiceIndex',
  'What this source has',
  'The one resource `VulnerabilityInfo/6.7.0`.',
  {
    '200': untagged(
      'The service index.',
      s.object({
        version: s.exactly('3.0.0'),
        resources: s.listOfAtLeast(1, s.object({ '@id': s.uri, '@type': s.someText })),
      }),
      withoutDataHeader,
    ),
  },
);

export const getPageIndex = operation(
  'getNugetPageIndex',
  'The pages of known vulnerabilities',
  'A name has the digest of its page, which clients keep by that name.',
  {
    '200': untagged(
      'The pages.',
      s.listOfAtLeast(
        1,
        s.object({
          '@name': s.matching('^[A-Za-z0-9_-]{1,32}$'),
          '@id': s.uri,
          '@updated': s.someText,
          comment: s.someText,
        }),
      ),
    ),
    '404': noData,
    '503': notYetPrepared(errorObject),
  },
);

export const getPage = operation(
  'getNugetPage',
  'One page of known vulnerabilities',
  'Made once per snapshot; after a swap, that of the previous snapshot is sent until the new one is ready.',
  {
    '200': dataResponse('By the name of a package, in lower case.', {
      type: 'object',
      additionalProperties: s.listOfAtLeast(1, s.ref('NugetVulnerability')),
    }),
    '404': noData,
    '503': notYetPrepared(errorObject, ['earlier_snapshot']),
  },
  [
    inPath('built', 'As the index has it: when its snapshot was built, in milliseconds since 1970.'),
    inPath('page', '`base.json` or `update.json`.'),
    ...parameterRefs('IfNoneMatch'),
  ],
);

export const openApi: OpenApiPart = {
  description:
    'Below `/nuget` the vulnerability information of a NuGet source, for NuGetAudit. Errors there are `{"error", "code", "request_id"}`.',
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'Pages that NuGet downloads whole, and decides by itself.' }],
  sharedResponses: errorObjectResponses,
  components: {
    schemas: { NugetVulnerability: vulnerability },
    responses: { NugetNotFound: unknownPath },
  },
};
