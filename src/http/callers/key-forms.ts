// The forms in which clients send a key, for all dialects:
//
//   PSKey: K                       our own clients; wins over any other header, even if the key in it is invalid
//   Authorization: Bearer K        most clients; wordfence-cli sends `Bearer cli-K`
//   Authorization: Token token=K   clients of WPScan, with or without quotes
//   Authorization: Basic ...       npm's `_auth`, `https://user:K@host/` (the password) and `https://K@host/` (the user)
//
// Schemes are read in any case. What a key is worth is decided in auth.ts.

import type { KeyReading } from '../routing/dialect.ts';
import type { RequestView } from '../transport/request-view.ts';

/** The headers that may carry a key. */
export const KEY_HEADERS: readonly string[] = ['PSKey', 'Authorization'];

// No key that is longer can be valid, and neither can credentials around it.
const MAX_BASIC_CHARS = 2048;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The key as sent, or '' if there is none in a form above. */
export function readKey(request: Pick<RequestView, 'header'>): string {
  const psKey = request.header('pskey');
  return psKey === '' ? authorizationKey(request.header('authorization')) : psKey;
}

/** How clients of most dialects send their key. */
export const KEY_READING: KeyReading = {
  headers: KEY_HEADERS,
  read: readKey,
  advice: 'Send your API key in the header "PSKey: <key>", or as "Authorization: Bearer <key>".',
  challenge: 'Bearer',
};

/** The key in the value of an Authorization header, or ''. */
export function authorizationKey(value: string): string {
  const space = value.indexOf(' ');
  if (space < 0) return '';
  switch (value.slice(0, space).toLowerCase()) {
    case 'bearer':
      return bearerKey(value.slice(space).trim());
    case 'token':
      return tokenKey(value.slice(space).trim());
    case 'basic':
      return basicKey(value.slice(space).trim());
    default:
      return '';
  }
}

/** No key made by `keys add` begins with `cli-`; a key of the operator's own that does is sent as PSKey. */
function bearerKey(token: string): string {
  return token.length > 4 && token.startsWith('cli-') ? token.slice(4) : token;
}

/** Whether the only key is in the form in which wordfence-cli always sends its licence. */
export function isLicence(request: Pick<RequestView, 'header'>): boolean {
  return request.header('pskey') === '' && /^bearer +cli-./i.test(request.header('authorization'));
}

function tokenKey(parameters: string): string {
  const found = /^token=(?:"([^"]*)"|([^\s,;"]+))/i.exec(parameters);
  return found?.[1] ?? found?.[2] ?? '';
}

/** The password, or the user name if the password is empty. */
function basicKey(credentials: string): string {
  // Too long to be a valid key, so it is refused as one.
  if (credentials.length > MAX_BASIC_CHARS) return credentials;
  if (!BASE64.test(credentials)) return '';
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return text;
  return colon === text.length - 1 ? text.slice(0, colon) : text.slice(colon + 1);
}
