// This dialect's part of the OpenAPI document: its description, responses and headers. operations.ts
// describes the routes, schemas.ts the bodies.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Header, Response } from '../../http/openapi/model.ts';
import {
  acceptEncoding,
  dataResponse,
  headerRef,
  KEY_SECURITY,
  notModified,
  responseRef,
  sentAlways,
  headers as sharedHeaders,
} from '../openapi-parts.ts';
import { type ErrorFormat, refusal, serviceRefusalRefs, serviceRefusals } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';
import { HELD_ECOSYSTEMS } from './ecosystems.ts';
import { grpcCode, PROBLEMS } from './problems.ts';
import { schemas } from './schemas.ts';

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}

const description = `**OSV.** The API of osv.dev and the files of its bucket. Ecosystems are ${listed(HELD_ECOSYSTEMS)}. The packages of
WordPress are \`plugin/SLUG\`, \`theme/SLUG\` and \`wordpress\`; a bare slug means the plugin or theme that has it. Qualifiers and
subpath of a purl are ignored, and \`Vulndex-Ignored-Purl-Parts\` names them. An ecosystem or a type of
purl that the server does not hold, or has no advisory of, is not an error: its answer is empty, and
\`Vulndex-Unknown-Ecosystems\` names it. In a batch this also applies to names that OSV does not define. Errors have the gRPC \`code\` and a \`message\`.`;

export function dataAnswer(description: string, schema: string): Response {
  return dataResponse(description, s.ref(schema), {
    headers: {
      'Vulndex-Ambiguous-Slugs': headerRef('OsvAmbiguousSlugs'),
      'Vulndex-Ignored-Purl-Parts': headerRef('OsvIgnoredPurlParts'),
    },
  });
}

export function fileAnswer(description: string, mediaType: string): Response {
  return dataResponse(description, s.text, {
    mediaType,
    headers: { 'X-Goog-Hash': headerRef('OsvChecksum') },
  });
}

/** Requires: codes whose statuses have the same gRPC code. */
const grpcError: ErrorFormat<keyof typeof PROBLEMS> = {
  mediaType: 'application/json',
  schema: ([code]) =>
    s.object({
      code: { type: 'integer', const: grpcCode(PROBLEMS[code].status) },
      message: s.someText,
    }),
};

const headers: { readonly [name: string]: Header } = {
  ...sharedHeaders,
  OsvIgnoredPurlParts: {
    description: 'What was not read of the purls: `?NAME` for each qualifier, and `#subpath`.',
    schema: s.someText,
  },
  OsvAmbiguousSlugs: {
    description: 'Bare slugs that a plugin and a theme have: the answer holds the records of both.',
    schema: s.someText,
  },
  OsvChecksum: sentAlways(
    'CRC-32C of the file, big-endian, in base64.',
    s.matching('^crc32c=[A-Za-z0-9+/]{6}==$'),
  ),
  OsvAcceptEncoding: acceptEncoding,
};

const ofService = serviceRefusals(grpcError, {
  '429': { description: 'The key’s quota, or its burst, is used up.' },
  '500': { description: 'A fault of the server; quote the `X-Request-Id` when reporting it.' },
  '503': {
    description:
      'No data is loaded yet, the files are not ready, or the server is shutting down. Try again, or another replica.',
  },
});

const responses: { readonly [name: string]: Response } = {
  OsvInvalid: refusal(grpcError, 'The query is not valid; in a batch, `message` names its place.', [
    'invalid_argument',
  ]),
  OsvNotFound: refusal(grpcError, 'No such record, file or path.', ['unknown_record'], { headers: {} }),
  OsvNotModified: notModified,
  OsvUnauthenticated: ofService[401],
  OsvForbidden: ofService[403],
  OsvMethodNotAllowed: ofService[405],
  OsvUnknownSnapshot: ofService[412],
  OsvInvalidSnapshot: refusal(grpcError, 'The parameter `snapshot` is not the id of a snapshot.', [
    'invalid_parameter',
  ]),
  OsvTooLarge: refusal(grpcError, 'The body is too large.', ['body_too_large']),
  OsvUnsupportedEncoding: refusal(
    grpcError,
    'The body has a content coding that is not known.',
    ['unsupported_encoding'],
    { headers: { 'Accept-Encoding': headerRef('OsvAcceptEncoding') } },
  ),
  OsvRateLimited: ofService[429],
  OsvInternalError: ofService[500],
  OsvUnavailable: ofService[503],
};

export const openApi: OpenApiPart = {
  description,
  security: KEY_SECURITY,
  tags: [{ name: 'osv', description: 'Queries by OSV clients, and files for those that keep a copy.' }],
  sharedResponses: {
    ...serviceRefusalRefs('Osv'),
    '304': responseRef('OsvNotModified'),
    '422': responseRef('OsvInvalidSnapshot'),
  },
  components: { schemas, headers, responses },
};
