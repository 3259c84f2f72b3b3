// What a registry wants to be sent after a 401: the credentials themselves, or a token that they are
// exchanged for.

import type { HttpClient } from '../../../download/client.ts';
import { shownUrl } from '../../../download/http-error.ts';
import { isValidUrl } from '../../../download/valid-url.ts';
import { end, wholeOf } from '../body.ts';
import { openOverHttp } from '../http-object.ts';
import { ObjectError } from '../objects.ts';
import type { Credentials } from './docker-config.ts';

interface Login {
  readonly client: HttpClient;
  readonly shownAs: string;
  readonly repository: string;
  /** The header WWW-Authenticate. */
  readonly challenge: string;
  readonly credentials: Credentials;
  /** Whether tokens may be asked for without encryption. */
  readonly mayBeHttp: boolean;
  readonly signal: AbortSignal;
}

const MAX_TOKEN_BYTES = 64 << 10;
const CLIENT_ID = 'vulndex';

/** The value of Authorization. Throws ObjectError. */
export async function logIn(login: Login): Promise<string> {
  const { challenge, credentials, shownAs } = login;
  if (/^bearer\s/i.test(challenge)) return `Bearer ${await askForToken(login)}`;
  if (!/^basic\b/i.test(challenge)) {
    throw new ObjectError(`${shownAs}: the registry asks for a login of an unknown kind; use another`, false);
  }
  if (credentials.kind === 'password') return basic(credentials);
  throw new ObjectError(`${shownAs}: the registry asks for a login; run \`docker login\` for it`, false);
}

/** Of a user and password. */
function basic({ user, password }: Extract<Credentials, { kind: 'password' }>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

async function askForToken(login: Login): Promise<string> {
  const { client, shownAs, repository, challenge, credentials, mayBeHttp, signal } = login;
  const { realm = '', service, scope = `repository:${repository}:pull` } = parametersOf(challenge);
  const url = isValidUrl(realm) ? new URL(realm) : undefined;
  const isAllowed = url?.protocol === 'https:' || (mayBeHttp && url?.protocol === 'http:');
  if (url === undefined || !isAllowed) {
    const where = url === undefined ? 'nowhere' : shownUrl(url);
    throw new ObjectError(
      `${shownAs}: the registry sends for tokens to ${where}, not to an https URL`,
      false,
    );
  }
  const asked = new URLSearchParams({ ...(service === undefined ? {} : { service }), scope });
  const isExchange = credentials.kind === 'identity-token';
  if (isExchange) {
    asked.set('grant_type', 'refresh_token');
    asked.set('client_id', CLIENT_ID);
    asked.set('refresh_token', credentials.token);
  } else for (const [name, value] of asked) url.searchParams.set(name, value);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const authorization = credentials.kind === 'password' ? { authorization: basic(credentials) } : {};
  const { head, body } = await openOverHttp(client, url, {
    ...(isExchange ? { method: 'POST', headers: form, body: asked.toString() } : { headers: authorization }),
    answers: [401],
    signal,
  });
  if (head.status >= 300) {
    await end(body);
    const problem = credentials.kind === 'none' ? 'without a login' : 'for these credentials';
    const remedy = `run \`docker login\` for ${new URL(url).host}'s registry`;
    throw new ObjectError(`${shownAs}: no token ${problem} (status ${head.status}); ${remedy}`, false);
  }
  const text = (await wholeOf(body, MAX_TOKEN_BYTES, `${shownAs}: the token`)).toString();
  const token = tokenIn(text);
  // Not the text: it may hold one in a form that is not known here.
  if (token === undefined) throw new ObjectError(`${shownAs}: ${shownUrl(url)} sent no token`, true);
  return token;
}

function tokenIn(text: string): string | undefined {
  try {
    const { token, access_token } = JSON.parse(text) as Record<string, unknown>;
    const found = token ?? access_token;
    return typeof found === 'string' && /^[\w.~+/=-]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Of a challenge: `name="value"`, by name in lower case. */
function parametersOf(challenge: string): Readonly<Record<string, string>> {
  const found = challenge.matchAll(/([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g);
  return Object.fromEntries(
    Array.from(found, ([, name, quoted, bare]) => [
      name.toLowerCase(),
      bare ?? quoted.replaceAll(/\\(.)/g, '$1'),
    ]),
  );
}
