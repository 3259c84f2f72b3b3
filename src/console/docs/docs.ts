// The page of the API at /docs/: shows the served OpenAPI document with Swagger UI, whose script index.html loads. Fetches nothing
// but the document and what "try it out" asks for.

import { keptKey } from '../app/key.ts';

/** The name of the header PSKey among the security schemes of the document. */
const KEY_SCHEME = 'PSKey';

interface SwaggerUi {
  preauthorizeApiKey(scheme: string, key: string): void;
}

declare const SwaggerUIBundle: (options: {
  readonly url: string;
  readonly dom_id: string;
  readonly deepLinking: boolean;
  readonly validatorUrl: null;
  readonly persistAuthorization: boolean;
  readonly tryItOutEnabled: boolean;
  readonly onComplete: () => void;
}) => SwaggerUi;

const ui = SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#docs',
  deepLinking: false,
  validatorUrl: null, // by default the document is sent to a service of others, unless it is on localhost
  persistAuthorization: false,
  tryItOutEnabled: true,
  onComplete: () => {
    const key = keptKey();
    if (key !== '') ui.preauthorizeApiKey(KEY_SCHEME, key);
  },
});
