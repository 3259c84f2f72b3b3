// The page of the API at /docs/: shows the served OpenAPI document with Swagger UI, whose script index.html
// loads. Fetches nothing but the document and what "try it out" asks for.

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
  readonly defaultModelsExpandDepth: number;
  readonly requestInterceptor: (request: { url: string }) => { url: string };
  readonly onComplete: () => void;
}) => SwaggerUi;

/** The server's root: the page is one folder below it. */
const base = new URL('..', location.href);

/** The document's addresses begin at the root of the host; a proxy may have put the server below a path. */
function belowBase(address: string): string {
  const url = new URL(address, location.href);
  if (url.origin === base.origin && !url.pathname.startsWith(base.pathname))
    url.pathname = base.pathname + url.pathname.slice(1);
  return url.href;
}

const ui = SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#docs',
  deepLinking: false,
  validatorUrl: null, // by default the document is sent to a service of others, unless it is on localhost
  persistAuthorization: false,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0, // dozens of schemas: folded until somebody wants them
  requestInterceptor: (request) => {
    request.url = belowBase(request.url);
    return request;
  },
  onComplete: () => {
    document.getElementById('servers')?.setAttribute('aria-label', 'Server'); // its label is not tied to it
    const key = keptKey();
    if (key !== '') ui.preauthorizeApiKey(KEY_SCHEME, key);
  },
});
