// This dialect's part of the OpenAPI document: description, tags and components. Schemas, responses and
// operations are in openapi/; routes.ts gives each operation its path.

import type { OpenApiPart } from '../../http/dialect.ts';
import { headers, KEY_SECURITY, responseRef } from '../openapi-parts.ts';
import { serviceRefusalRefs } from '../openapi-refusals.ts';
import { parameters } from './openapi/operations.ts';
import { problemSchemas } from './openapi/problem-schemas.ts';
import { responses } from './openapi/responses.ts';
import { schemas } from './openapi/schemas.ts';

const description = `Published vulnerabilities of WordPress plugins, themes and core, and of packages of npm, Packagist, PyPI, Go, RubyGems,
crates.io, Maven and NuGet: lists for copying, lookups by product and version, records by id. Read-only.

- **Key.** Send it as \`PSKey\`, or as \`Authorization: Bearer\`.
- **Errors** are \`application/problem+json\` with a \`code\` from a closed list: branch on that, show \`detail\`.
- **Limits.** \`RateLimit\` says what is left; after a 429 wait \`Retry-After\` seconds. A batch costs one request.
- **Caching.** Send \`If-None-Match\` with the last \`ETag\`; 304 means your copy is current.
- **Parameters** an endpoint does not know are ignored; one given twice is refused.
- \`HEAD\` answers as \`GET\`, without a body.`;

export const openApi: OpenApiPart = {
  description,
  security: KEY_SECURITY,
  tags: [
    { name: 'lists', description: 'Everything, page by page.' },
    { name: 'lookups', description: 'One product, one batch, one vulnerability.' },
    { name: 'service', description: 'About the service itself; no key needed.' },
  ],
  sharedResponses: { ...serviceRefusalRefs(''), '304': responseRef('NotModified') },
  components: {
    schemas: { ...schemas, ...problemSchemas },
    headers,
    parameters,
    responses,
    securitySchemes: {
      PSKey: { type: 'apiKey', in: 'header', name: 'PSKey', description: 'The usual way.' },
      Bearer: { type: 'http', scheme: 'bearer', description: 'For clients that can send nothing else.' },
    },
  },
};
