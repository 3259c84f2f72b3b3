// Who asks a bucket: keys in variables come first, then the token that Kubernetes mounts for a role, then the
// profile of the credentials file. Without any of them requests are anonymous.

import type { HttpClient } from '../../../download/client.ts';
import type { Environment } from '../../../download/proxy.ts';
import { type AwsCredentials, credentialsOf, profileCredentials, setting } from './settings.ts';
import { WebIdentity } from './web-identity.ts';

export class CredentialChain {
  readonly #environment: Environment;
  readonly #webIdentity: WebIdentity;

  constructor(environment: Environment, client: HttpClient, region: string, nowMs: () => number) {
    this.#environment = environment;
    this.#webIdentity = new WebIdentity(environment, client, region, nowMs);
  }

  /** Undefined for anonymous requests. Throws ObjectError. */
  async find(signal: AbortSignal): Promise<AwsCredentials | undefined> {
    const fromVariables = credentialsOf(
      {
        aws_access_key_id: setting(this.#environment, 'AWS_ACCESS_KEY_ID'),
        aws_secret_access_key: setting(this.#environment, 'AWS_SECRET_ACCESS_KEY'),
        aws_session_token: setting(this.#environment, 'AWS_SESSION_TOKEN'),
      },
      (missing) => `${missing.toUpperCase()} is not set, although its other half is; set both or neither`,
    );
    return fromVariables ?? (await this.#webIdentity.find(signal)) ?? profileCredentials(this.#environment);
  }
}
