// The operations of this dialect: what each route takes, and the statuses that not every route of its kind
// has.

import type { Operation } from '../../http/openapi/model.ts';
import { errorObject } from '../error-object.ts';
import { UNREAD_VERSIONS } from '../lookup-headers.ts';
import { acceptEncoding, dataResponse, jsonBody, sharedParameters } from '../openapi-parts.ts';
import { refusal } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';
import { MAX_BODY_BYTES, MAX_NAMES, MAX_OUTPUT_BYTES, MAX_VERSIONS } from './body.ts';
import { TAG } from './openapi.ts';
import { MAX_NODES, MAX_PATHS } from './tree.ts';

const LIMITS =
  `Takes at most ${MAX_BODY_BYTES} bytes, plain or with the content coding gzip or deflate, which has at most as many when ` +
  `decoded; ${MAX_NAMES} names and ${MAX_VERSIONS} versions. Answers have at most ${MAX_OUTPUT_BYTES} bytes. Costs one ` +
  'request, or one for each name, but at most 50, where the key’s tier counts the items of a batch.';

function audit(
  operationId: string,
  summary: string,
  description: string,
  { takes, answers }: { readonly takes: string; readonly answers: string },
): Operation {
  return {
    operationId,
    summary,
    description: `${description} ${LIMITS}`,
    tags: [TAG],
    parameters: [sharedParameters.RequestId],
    requestBody: jsonBody('What to audit.', s.ref(takes)),
    responses: {
      '200': dataResponse('What is vulnerable.', s.ref(answers), {
        headers: {
          'npm-notice': {
            description: 'What was not audited, and why, as npm prints it.',
            schema: { ...s.someText, maxLength: 4096 },
          },
          [UNREAD_VERSIONS]: {
            description: 'Packages with advisories at a text that is not a version. Percent-encoded.',
            schema: { ...s.someText, maxLength: 1100 },
          },
        },
      }),
      '400': refusal(errorObject, 'The body does not decode, or is not what the endpoint takes.', [
        'invalid_body',
        'invalid_encoding',
      ]),
      '413': refusal(
        errorObject,
        'The body, the number of packages or the answer would be too large: audit parts of the tree.',
        ['body_too_large', 'too_many_packages', 'answer_too_large'],
      ),
      '415': refusal(
        errorObject,
        'The body has a content coding that is not known.',
        ['unsupported_encoding'],
        { headers: { 'Accept-Encoding': acceptEncoding } },
      ),
      '422': refusal(errorObject, 'The parameter `snapshot` is not the id of a snapshot.', [
        'invalid_parameter',
      ]),
    },
  };
}

export const auditBulk = audit(
  'npmAuditBulk',
  'Find the advisories for a list of packages',
  'For npm 7 to 12, pnpm 11 and later, yarn, bun and deno. Lists an advisory if it applies to at least one of the versions.',
  { takes: 'NpmBulkRequest', answers: 'NpmBulkAnswer' },
);

const treeBodies = { takes: 'NpmTree', answers: 'NpmReport' };

export const auditQuick = audit(
  'npmAuditQuick',
  'Audit a tree of dependencies',
  `Retired upstream; for pnpm 10 and npm 10. A tree has at most ${MAX_NODES} nodes. For each version, ${MAX_PATHS} paths are listed.`,
  treeBodies,
);

export const auditFull = audit(
  'npmAuditFull',
  'Audit a tree of dependencies, at its older path',
  'The same as the quick endpoint.',
  treeBodies,
);
