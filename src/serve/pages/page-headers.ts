// The headers of the pages' files: what a browser may do with them. Everything that a page needs comes
// from the server itself, so that text from the data, should a page ever mistake it for markup, can
// neither run nor send the key anywhere.

import type { ReplyHeader } from '../../http/replies/reply-headers.ts';

/**
 * A style attribute in markup is refused, too; a script may set styles of an
 * element, as Preact and Swagger UI do.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** What a browser would otherwise let a page ask its user for, or do. Copying needs the clipboard. */
const REFUSED = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

export const PAGE_HEADERS: readonly ReplyHeader[] = [
  ['Content-Security-Policy', POLICY.join('; ')],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', REFUSED.map((feature) => `${feature}=()`).join(', ')],
];
