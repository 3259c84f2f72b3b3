// The headers of the pages' files: what a browser may do with them. Everything that a page needs comes from the server itself, so
// that text from the data, should a page ever mistake it for markup, can neither run nor send the key anywhere.

import type { ReplyHeader } from '../../http/replies/reply-headers.ts';

type Policy = Readonly<Record<string, string>>;

/** Of the console. A style attribute in markup is refused, too; a script may set styles of an element. */
const CONSOLE_POLICY: Policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'font-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/** Swagger UI writes style attributes. */
const DOCS_POLICY: Policy = { ...CONSOLE_POLICY, 'style-src': "'self' 'unsafe-inline'" };

/** What a browser would otherwise let a page ask its user for, or do. Copying needs the clipboard. */
const REFUSED = [
  ...[
    'accelerometer',
    'autoplay',
    'camera',
    'display-capture',
    'encrypted-media',
    'fullscreen',
    'geolocation',
  ],
  ...[
    'gyroscope',
    'hid',
    'idle-detection',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'picture-in-picture',
  ],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'web-share', 'xr-spatial-tracking'],
];

const COMMON: readonly ReplyHeader[] = [
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', REFUSED.map((feature) => `${feature}=()`).join(', ')],
];

export const CONSOLE_HEADERS = headersWith(CONSOLE_POLICY);
export const DOCS_HEADERS = headersWith(DOCS_POLICY);

function headersWith(policy: Policy): readonly ReplyHeader[] {
  const directives = Object.entries(policy).map(([name, sources]) => `${name} ${sources}`);
  return [['Content-Security-Policy', directives.join('; ')], ...COMMON];
}
