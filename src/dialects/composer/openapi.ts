// This dialect's part of the OpenAPI document: its operations and the form of its errors.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Ref, RequestBody, Schema } from '../../http/openapi/model.ts';
import {
  acceptEncoding,
  contentOf,
  dataResponse,
  jsonBody,
  KEY_SECURITY,
  notModified,
  parameterRefs,
  sharedParameters,
} from '../openapi-parts.ts';
import { refusal, serviceRefusals } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';
import { MAX_BODY_BYTES, MAX_NAMES, MAX_OUTPUT_BYTES } from './limits.ts';
import { composerError } from './problems.ts';

const TAG = 'Composer';
const FORM = 'application/x-www-form-urlencoded';
const instant = s.matching('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\+00:00$');

const constraint = s.described(
  'As composer/semver reads it, every affected version and more where it cannot be said exactly.',
  s.someText,
);

const advisory: Schema = s.object({
  advisoryId: s.someText,
  packageName: s.someText,
  remoteId: s.someText,
  title: s.described('Ends in the affected ranges where `affectedVersions` holds more.', s.text),
  link: s.nullableText,
  cve: s.nullableText,
  affectedVersions: constraint,
  source: s.someText,
  reportedAt: instant,
  composerRepository: s.text,
  severity: s.wordOrNull(['low', 'medium', 'high', 'critical']),
  sources: s.listOfAtLeast(1, s.object({ name: s.someText, remoteId: s.someText })),
});

const entry: Schema = s.object({
  package: s.someText,
  constraint,
  url: s.nullableText,
  reason: s.text,
  id: s.someText,
});

const warnings = s.described(
  'What the answer does not say, as Composer prints it.',
  s.listOfAtLeast(1, s.object({ message: s.someText, versions: s.exactly('*') })),
);

const advisories = s.object(
  { advisories: { type: 'object', additionalProperties: s.listOfAtLeast(1, advisory) }, warnings },
  ['warnings'],
);
const filter = s.object({ filter: s.object({ malware: s.list(entry) }, ['malware']), warnings }, [
  'warnings',
]);

const packagesFile = s.object({
  packages: s.list(s.text, { maxItems: 0 }),
  'metadata-url': s.someText,
  'security-advisories': s.object({ metadata: { type: 'boolean', const: false }, 'api-url': s.uri }),
  filter: s.object({
    metadata: { type: 'boolean', const: true },
    lists: s.object({ malware: s.object({ enabled: s.flag }) }),
    'api-url': s.uri,
  }),
});

const invalidSnapshot = refusal(composerError, 'The parameter `snapshot` is not the id of a snapshot.', [
  'invalid_parameter',
]);

const LIMITS =
  `Takes at most ${MAX_BODY_BYTES} bytes, plain or with the content coding gzip or deflate, and ${MAX_NAMES} packages. Answers ` +
  `have at most ${MAX_OUTPUT_BYTES} bytes. A slash may follow the path. Costs one request, or one for each package, but at ` +
  'most 50, where the key’s tier counts the items of a batch.';

function asking(
  operationId: string,
  summary: string,
  description: string,
  requestBody: RequestBody,
  schema: Schema | Ref,
): Operation {
  const names = { schema: { ...s.someText, maxLength: 1100 } };
  return {
    operationId,
    summary,
    description: `${description} ${LIMITS}`,
    tags: [TAG],
    parameters: [...parameterRefs('Snapshot'), sharedParameters.RequestId],
    requestBody,
    responses: {
      '200': dataResponse('About those packages that there is something about.', schema, {
        headers: {
          'Vulndex-Unread-Names': {
            description: 'What was asked about and is not the name of a package. Percent-encoded.',
            ...names,
          },
          'Vulndex-Unknown-Lists': {
            description: 'Lists that were asked for and are not here. Percent-encoded.',
            ...names,
          },
        },
      }),
      '400': refusal(composerError, 'The body does not decode, or is not what the endpoint takes.', [
        'invalid_body',
        'invalid_encoding',
        'unsupported_parameter',
      ]),
      '413': refusal(composerError, 'The body, the number of packages or the answer would be too large.', [
        'body_too_large',
        'too_many_packages',
        'answer_too_large',
      ]),
      '415': refusal(
        composerError,
        'The body has a content coding that is not known.',
        ['unsupported_encoding'],
        { headers: { 'Accept-Encoding': acceptEncoding } },
      ),
      '422': invalidSnapshot,
    },
  };
}

export const getPackagesFile: Operation = {
  operationId: 'getComposerPackages',
  summary: 'What this repository has: advisories, a list of malware and no packages',
  description:
    'Addresses in it are absolute: those of `--public-url`, else as the request or a trusted proxy says.',
  tags: [TAG],
  parameters: parameterRefs('Snapshot', 'RequestId'),
  responses: {
    '200': dataResponse('The file.', packagesFile, { isTagged: false }),
    '400': refusal(composerError, 'The request does not say the address of the server.', ['invalid_host']),
    '422': invalidSnapshot,
  },
};

const ABOUT_ADVISORIES =
  'Composer compares versions with `affectedVersions` itself. Packages without advisories are not in the answer. The ' +
  'parameter `updatedSince` is refused.';

export const findAdvisories = asking(
  'findComposerAdvisories',
  'All advisories of packages',
  ABOUT_ADVISORIES,
  {
    description: 'The packages.',
    required: true,
    content: contentOf(FORM, s.object({ packages: s.listOfAtLeast(1, s.someText) })),
  },
  advisories,
);

/** As the question in a body, but for what only a body can be. */
export const getAdvisories: Operation = {
  operationId: 'getComposerAdvisories',
  summary: 'All advisories of packages, named in the query',
  description: `${ABOUT_ADVISORIES} ${LIMITS}`,
  tags: [TAG],
  parameters: [
    {
      name: 'packages[]',
      in: 'query',
      required: true,
      description: 'The packages; also `packages[0]` and so on.',
      schema: s.listOfAtLeast(1, s.someText),
    },
    ...parameterRefs('Snapshot', 'IfNoneMatch', 'RequestId'),
  ],
  responses: {
    '200': findAdvisories.responses['200'],
    '304': notModified,
    '400': refusal(composerError, 'The query does not name packages, or asks for what changed.', [
      'invalid_body',
      'unsupported_parameter',
    ]),
    '413': refusal(composerError, 'The number of packages or the answer would be too large.', [
      'too_many_packages',
      'answer_too_large',
    ]),
    '422': invalidSnapshot,
  },
};

export const findMalware = asking(
  'findComposerMalware',
  'Packages that are malware',
  'For `filter` of Composer 2.10. A list of another name than `malware` is not here; a warning and a header name it.',
  jsonBody(
    'The packages, and the lists to look in.',
    s.object({ packages: s.texts, lists: s.listOfAtLeast(1, s.text) }, ['lists']),
  ),
  filter,
);

export const openApi: OpenApiPart = {
  description:
    'Below `/composer` a repository for `composer audit` and for blocking. Errors there are `{"error", "code", "request_id"}`, ' +
    'with the sentence as `warning` too, which Composer prints.',
  security: KEY_SECURITY,
  tags: [
    { name: TAG, description: 'For Composer; the key is the password of `http-basic` in its auth.json.' },
  ],
  sharedResponses: serviceRefusals(composerError),
  components: {
    responses: {
      ComposerNotFound: refusal(composerError, 'No such path.', ['not_found'], { headers: {} }),
    },
  },
};
