// This dialect's part of the OpenAPI document: its description, responses and headers. operations.ts describes the routes,
// schemas.ts the bodies.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Header, Ref, Response } from '../../http/openapi/model.ts';
import {
  cacheHeaders,
  closedObject,
  headerRef,
  limitHeaders,
  schemaRef,
  headers as sharedHeaders,
} from '../openapi-parts.ts';
import { schemas } from './schemas.ts';

const description = `**OSV.** The API of osv.dev and the files of its bucket. Ecosystems are \`npm\` and \`WordPress\`, whose packages are
\`plugin/SLUG\`, \`theme/SLUG\` and \`wordpress\`; a bare slug means the plugin or theme that has it. An ecosystem or a type of
purl that the server does not hold is not an error: its answer is empty, and \`Vulndex-Unknown-Ecosystems\` names it. In a batch
this also applies to names that OSV does not define. Errors have the gRPC \`code\` and a \`message\`.`;

const dataHeaders = {
  'X-Request-Id': headerRef('EchoedRequestId'),
  ...limitHeaders,
  ...cacheHeaders,
};

export function dataAnswer(description: string, schema: string): Response {
  return {
    description,
    headers: {
      ...dataHeaders,
      'Vulndex-Unknown-Ecosystems': headerRef('OsvUnknownEcosystems'),
      'Vulndex-Ambiguous-Slugs': headerRef('OsvAmbiguousSlugs'),
    },
    content: { 'application/json': { schema: schemaRef(schema) } },
  };
}

export function fileAnswer(description: string, mediaType: string): Response {
  return {
    description,
    headers: { ...dataHeaders, 'X-Goog-Hash': headerRef('OsvChecksum') },
    content: { [mediaType]: { schema: { type: 'string' } } },
  };
}

function refusal(description: string, code: number, more: { readonly [name: string]: Ref } = {}): Response {
  const schema = closedObject({
    code: { type: 'integer', const: code },
    message: { type: 'string', minLength: 1 },
  });
  return {
    description,
    headers: { 'X-Request-Id': headerRef('RequestId'), ...more },
    content: { 'application/json': { schema } },
  };
}

const headers: { readonly [name: string]: Header } = {
  ...sharedHeaders,
  OsvUnknownEcosystems: {
    description: 'Ecosystems, and purl types as `pkg:TYPE`, that the server does not hold.',
    schema: { type: 'string', minLength: 1 },
  },
  OsvAmbiguousSlugs: {
    description: 'Bare slugs that a plugin and a theme have: the answer holds the records of both.',
    schema: { type: 'string', minLength: 1 },
  },
  OsvChecksum: {
    description: 'CRC-32C of the file, big-endian, in base64.',
    required: true,
    schema: { type: 'string', pattern: '^crc32c=[A-Za-z0-9+/]{6}==$' },
  },
  OsvAcceptEncoding: {
    description: 'The content codings that a body may have.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
};

const responses: { readonly [name: string]: Response } = {
  OsvInvalid: refusal('The query is not valid; in a batch, `message` names its place.', 3, limitHeaders),
  OsvNotFound: refusal('No such record, file or path.', 5),
  OsvNotModified: {
    description: 'Nothing changed since the answer whose `ETag` came as `If-None-Match`.',
    headers: dataHeaders,
  },
  OsvUnauthenticated: refusal('No key, or one that is unknown, expired or disabled.', 16, {
    'WWW-Authenticate': headerRef('WwwAuthenticate'),
  }),
  OsvForbidden: refusal('The key’s tier does not include this endpoint.', 7),
  OsvMethodNotAllowed: refusal('What every other method on this path answers.', 12, {
    Allow: headerRef('Allow'),
  }),
  OsvUnknownSnapshot: refusal(
    'The snapshot in the parameter `snapshot` is not held here, or no longer.',
    9,
    limitHeaders,
  ),
  OsvInvalidSnapshot: refusal('The parameter `snapshot` is not the id of a snapshot.', 3, limitHeaders),
  OsvTooLarge: refusal('The body is too large.', 3, limitHeaders),
  OsvUnsupportedEncoding: refusal('The body has a content coding that is not known.', 3, {
    'Accept-Encoding': headerRef('OsvAcceptEncoding'),
  }),
  OsvRateLimited: refusal('The key’s quota, or its burst, is used up.', 8, {
    'Retry-After': headerRef('RetryAfter'),
    RateLimit: headerRef('SpentRateLimit'),
    'RateLimit-Policy': headerRef('SpentRateLimitPolicy'),
    Warning: headerRef('Warning'),
  }),
  OsvInternalError: refusal('A fault of the server; quote the `X-Request-Id` when reporting it.', 13),
  OsvUnavailable: refusal(
    'No data is loaded yet, the files are not ready, or the server is shutting down. Try again, or another replica.',
    14,
    { 'Retry-After': headerRef('RetryAfter') },
  ),
};

export const openApi: OpenApiPart = {
  description,
  security: [{ PSKey: [] }, { Bearer: [] }],
  tags: [{ name: 'osv', description: 'Queries by OSV clients, and files for those that keep a copy.' }],
  components: { schemas, headers, parameters: {}, responses, securitySchemes: {} },
};
