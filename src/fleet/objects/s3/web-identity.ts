// Keys for a role in exchange for a token that Kubernetes mounts and renews (AWS_WEB_IDENTITY_TOKEN_FILE,
// AWS_ROLE_ARN). They last an hour or so, and are asked for again five minutes before their end.

import { readFileSync } from 'node:fs';
import type { HttpClient } from '../../../download/client.ts';
import type { Environment } from '../../../download/proxy.ts';
import { wholeOf } from '../body.ts';
import { ObjectError } from '../objects.ts';
import { amazonHost } from './place.ts';
import { s3Refusal } from './refusals.ts';
import { type AwsCredentials, setting } from './settings.ts';
import { textOf } from './xml.ts';

const EARLY_MS = 5 * 60_000;
const MAX_ANSWER_BYTES = 64 << 10;
const REFUSALS = [400, 403, 404];

interface HeldKeys {
  readonly credentials: AwsCredentials;
  readonly endsMs: number;
}

export class WebIdentity {
  readonly #environment: Environment;
  readonly #client: HttpClient;
  readonly #endpoint: string;
  readonly #nowMs: () => number;
  #held: HeldKeys | undefined;

  constructor(environment: Environment, client: HttpClient, region: string, nowMs: () => number) {
    this.#environment = environment;
    this.#client = client;
    this.#endpoint = setting(environment, 'AWS_ENDPOINT_URL_STS') ?? `https://${amazonHost('sts', region)}/`;
    this.#nowMs = nowMs;
  }

  /** Undefined if no token is mounted. Throws ObjectError. */
  async find(signal: AbortSignal): Promise<AwsCredentials | undefined> {
    const tokenFile = setting(this.#environment, 'AWS_WEB_IDENTITY_TOKEN_FILE');
    const role = setting(this.#environment, 'AWS_ROLE_ARN');
    if (tokenFile === undefined || role === undefined) return undefined;
    if (this.#held !== undefined && this.#nowMs() < this.#held.endsMs - EARLY_MS) {
      return this.#held.credentials;
    }
    this.#held = await this.#exchange(readToken(tokenFile), role, signal);
    return this.#held.credentials;
  }

  async #exchange(token: string, role: string, signal: AbortSignal): Promise<HeldKeys> {
    const asked = new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role,
      RoleSessionName: setting(this.#environment, 'AWS_ROLE_SESSION_NAME') ?? 'vulndex',
      WebIdentityToken: token,
    });
    const what = `keys for the role in AWS_ROLE_ARN`;
    const answer = await this.#client
      .open(new URL(this.#endpoint), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: asked.toString(),
        answers: REFUSALS,
        signal,
      })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw new ObjectError(`${what}: ${(error as Error).message}`, true, { cause: error });
      });
    if (answer.head.status >= 400) throw await s3Refusal(what, answer);
    const xml = (await wholeOf(answer.body, MAX_ANSWER_BYTES, what)).toString();
    const [id, secret, sessionToken, end] = [
      'AccessKeyId',
      'SecretAccessKey',
      'SessionToken',
      'Expiration',
    ].map((name) => textOf(xml, name));
    const endsMs = Date.parse(end ?? '');
    if (id === undefined || secret === undefined || sessionToken === undefined || Number.isNaN(endsMs)) {
      throw new ObjectError(`${what}: the answer has none; check AWS_ENDPOINT_URL_STS and AWS_REGION`, false);
    }
    return { credentials: { accessKeyId: id, secretAccessKey: secret, sessionToken }, endsMs };
  }
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = `${file}: it cannot be read (${code ?? message}); check AWS_WEB_IDENTITY_TOKEN_FILE`;
    throw new ObjectError(problem, true, { cause: error });
  }
}
