// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Schema } from '../../http/openapi/model.ts';
import { MAX_BODY_BYTES, MAX_OUTPUT_BYTES } from '../batch-request.ts';
import { errorObject, errorObjectResponses, unknownPath } from '../error-object.ts';
import { UNREAD_VERSIONS } from '../lookup-headers.ts';
import { acceptEncoding, dataResponse, jsonBody, KEY_SECURITY, parameterRefs } from '../openapi-parts.ts';
import { refusal } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';
import { MAX_COORDINATES } from './coordinates.ts';

const TAG = 'OSS Index v3';

const vulnerability: Schema = s.object(
  {
    id: s.described('The source’s id, as the OSV mount gives it.', s.someText),
    displayName: s.someText,
    title: s.described('Begins with the CVE, or else the id, in brackets.', s.someText),
    description: s.described(
      'The beginning of the text, other ids, and whether the score is an estimate.',
      s.text,
    ),
    cvssScore: s.described('Without one, the most that the severity may mean.', {
      type: 'number',
      minimum: 0,
      maximum: 10,
    }),
    cvssVector: s.described('Left out if it lacks a base metric.', s.someText),
    cwe: s.matching('^CWE-\\d+$'),
    cve: s.matching('^CVE-'),
    reference: s.described('The page of the advisory.', s.uri),
    externalReferences: s.list(s.uri),
  },
  ['cvssVector', 'cwe', 'cve'],
);

const report: Schema = s.object({
  coordinates: s.described('As sent.', s.someText),
  description: s.described('What was not checked, or not read; mostly empty.', s.text),
  reference: s.described('The coordinates as a URI.', s.uri),
  vulnerabilities: s.list(s.ref('OssIndexVulnerability')),
});

export const getReports: Operation = {
  operationId: 'ossIndexComponentReport',
  summary: 'Find the vulnerabilities of many packages',
  description:
    `At most ${MAX_COORDINATES} package URLs in ${MAX_BODY_BYTES} bytes, plain or with the content coding gzip or deflate, of any ` +
    'content type. A report without vulnerabilities is clean only if its description is empty. A version that cannot be ' +
    'read counts as any version. Costs one request, or one for each coordinate, but at most 50, where the key’s tier ' +
    'counts the items of a batch.',
  tags: [TAG],
  parameters: parameterRefs('Snapshot', 'RequestId'),
  requestBody: jsonBody('Package URLs.', s.ref('OssIndexCoordinates')),
  responses: {
    '200': dataResponse('A report for each, in their order.', s.list(s.ref('OssIndexReport')), {
      headers: {
        'Vulndex-Ambiguous-Slugs': {
          description: 'Bare slugs that a plugin and a theme have: the report holds the records of both.',
          schema: s.someText,
        },
        'Vulndex-Ignored-Purl-Parts': {
          description: 'What was not read of the purls: `?NAME` for each qualifier, and `#subpath`.',
          schema: s.someText,
        },
        [UNREAD_VERSIONS]: {
          description: 'Coordinates whose version counted as any version. Percent-encoded.',
          schema: { ...s.someText, maxLength: 1100 },
        },
      },
    }),
    '400': refusal(
      errorObject,
      'The body does not decode, is not what the endpoint takes, or a coordinate is not valid.',
      ['invalid_body', 'invalid_coordinates', 'invalid_encoding'],
    ),
    '413': refusal(
      errorObject,
      `The body is too large, or the answer has more than ${MAX_OUTPUT_BYTES} bytes.`,
      ['body_too_large', 'answer_too_large'],
    ),
    '415': refusal(
      errorObject,
      'The body has a content coding that is not known.',
      ['unsupported_encoding'],
      {
        headers: { 'Accept-Encoding': acceptEncoding },
      },
    ),
    '422': refusal(errorObject, 'The parameter `snapshot` is not the id of a snapshot.', [
      'invalid_parameter',
    ]),
  },
};

export const openApi: OpenApiPart = {
  description:
    'Below `/oss-index` the component reports of OSS Index, version 3. Errors there are `{"error", "code", "request_id"}`.',
  security: KEY_SECURITY,
  tags: [
    {
      name: TAG,
      description: 'For Dependency-Check, auditjs, nancy and jake; they send their key by Basic.',
    },
  ],
  sharedResponses: errorObjectResponses,
  components: {
    schemas: {
      OssIndexCoordinates: {
        type: 'object',
        required: ['coordinates'],
        properties: { coordinates: s.list(s.someText, { maxItems: MAX_COORDINATES }) },
      },
      OssIndexReport: report,
      OssIndexVulnerability: vulnerability,
    },
    responses: { OssIndexNotFound: unknownPath },
  },
};
