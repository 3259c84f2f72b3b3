// A repository of a registry, read as a store: a tag names an artifact whose layers are the files of a
// published folder, each with its path as the title, as `oras push` makes it. The tag moves; everything else
// is named by its hash. So the tag of `latest.json` here is the hash of the artifact, and the rules for a
// manifest hold as with any store.

import { createHash } from 'node:crypto';
import type { HttpHead } from '../../download/body.ts';
import { HttpClient, type HttpClientOptions } from '../../download/client.ts';
import type { Environment } from '../../download/proxy.ts';
import { isValidUrl } from '../../download/valid-url.ts';
import { MANIFEST_NAME, MAX_MANIFEST_BYTES } from '../manifest.ts';
import { end, wholeOf } from './body.ts';
import { openOverHttp } from './http-object.ts';
import { type AskedObject, ObjectError, type ObjectReply, type ObjectSource } from './objects.ts';
import { credentialsFor } from './oci/docker-config.ts';
import { logIn } from './oci/registry-login.ts';
import { isLoopback } from './plain-http.ts';

interface OciOptions extends Pick<HttpClientOptions, 'caFile' | 'environment'> {
  /** Whether a registry that is not this machine is asked without encryption. */
  readonly mayBeHttp?: boolean;
}

const LOCATION = /^oci:\/\/([\w.-]+(?::\d+)?|\[[\da-f:]+\](?::\d+)?)\/([a-z\d._/-]+?)(?::([\w.-]{1,128}))?$/i;
const ACCEPTED = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
/** What registries take at most. */
const MAX_ARTIFACT_BYTES = 4 << 20;
const TITLE = 'org.opencontainers.image.title';
const DIGEST = /^sha256:[0-9a-f]{64}$/;

interface Layer {
  readonly digest: string;
  readonly size: number;
}

interface Artifact {
  readonly digest: string;
  readonly layers: ReadonlyMap<string, Layer>;
}

interface Request {
  readonly path: string;
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Throws ObjectError, SourceError. */
export function openOci(location: string, options: OciOptions = {}): ObjectSource {
  return new OciSource(location, options);
}

class OciSource implements ObjectSource {
  readonly shownAs: string;
  readonly #registry: string;
  readonly #repository: string;
  readonly #tag: string;
  readonly #isPlain: boolean;
  readonly #environment: Environment;
  readonly #client: HttpClient;
  /** Texts that messages must not show; grows with what logins bring. */
  readonly #secrets: string[] = [];
  #authorization: string | undefined;
  /** What the tag named last. */
  #artifact: Artifact | undefined;

  constructor(location: string, { mayBeHttp = false, environment = process.env, ...more }: OciOptions) {
    const [, host, repository, tag = 'latest'] = LOCATION.exec(location) ?? [];
    if (host === undefined || !isValidUrl(`http://${host}`)) {
      const shown = location.replace(/\/\/[^/]*@/, '//');
      const expected = 'oci://REGISTRY/REPOSITORY:TAG, with the login of `docker login`';
      throw new ObjectError(`${shown}: this is not a place in a registry; expected ${expected}`, false);
    }
    this.shownAs = `oci://${host}/${repository}:${tag}`;
    this.#registry = host === 'docker.io' ? 'registry-1.docker.io' : host;
    this.#repository = repository;
    this.#tag = tag;
    this.#isPlain = mayBeHttp || isLoopback(new URL(`http://${host}`));
    this.#environment = environment;
    this.#client = new HttpClient({ ...more, environment, secrets: this.#secrets });
  }

  async get(name: string, asked: AskedObject): Promise<ObjectReply> {
    if (name === MANIFEST_NAME) return this.#getManifest(asked);
    this.#artifact ??= await this.#readArtifact(this.#tag, asked.signal);
    const layer = this.#artifact?.layers.get(name);
    return layer === undefined ? { kind: 'absent' } : this.#getBlob(layer, asked);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #getManifest({ etag, signal }: AskedObject): Promise<ObjectReply> {
    // Registries count what is read by GET.
    const path = `manifests/${this.#tag}`;
    const { head, body } = await this.#send({ path, method: 'HEAD', headers: { accept: ACCEPTED }, signal });
    await end(body);
    if (head.status === 404) return { kind: 'absent' };
    const storeTimeMs = timeOf(head);
    const digest = head.header('docker-content-digest') ?? this.#tag;
    if (etag === `"${digest}"`) return { kind: 'unchanged', storeTimeMs };
    const artifact = await this.#readArtifact(DIGEST.test(digest) ? digest : this.#tag, signal);
    this.#artifact = artifact;
    const layer = artifact?.layers.get(MANIFEST_NAME);
    if (artifact === undefined || layer === undefined) return { kind: 'absent' };
    const reply = await this.#getBlob(layer, { signal });
    if (reply.kind !== 'found') return reply;
    const bytes = await wholeOf(reply.body, MAX_MANIFEST_BYTES, `${this.shownAs}: ${MANIFEST_NAME}`);
    this.#requireDigest(bytes, layer.digest, MANIFEST_NAME);
    return {
      kind: 'found',
      etag: `"${artifact.digest}"`,
      bytes: bytes.length,
      from: 0,
      storeTimeMs,
      body: (async function* () {
        yield bytes;
      })(),
    };
  }

  /** Undefined if the registry has none. */
  async #readArtifact(reference: string, signal: AbortSignal): Promise<Artifact | undefined> {
    const { head, body } = await this.#send({
      path: `manifests/${reference}`,
      headers: { accept: ACCEPTED },
      signal,
    });
    if (head.status === 404) {
      await end(body);
      return undefined;
    }
    const bytes = await wholeOf(body, MAX_ARTIFACT_BYTES, `${this.shownAs}: the artifact`);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (DIGEST.test(reference)) this.#requireDigest(bytes, reference, 'the artifact');
    return { digest, layers: this.#layersIn(bytes) };
  }

  #layersIn(bytes: Buffer): ReadonlyMap<string, Layer> {
    const layers = new Map<string, Layer>();
    let listed: unknown;
    try {
      ({ layers: listed } = JSON.parse(bytes.toString()) as { layers?: unknown });
    } catch {
      // told below
    }
    if (!Array.isArray(listed)) {
      const remedy = 'name the tag of one that was pushed from a published folder';
      throw new ObjectError(`${this.shownAs}: this is not an artifact with files; ${remedy}`, false);
    }
    for (const each of listed as readonly (Partial<Layer> & {
      readonly annotations?: Record<string, unknown>;
    })[]) {
      const title = each?.annotations?.[TITLE];
      const { digest, size } = each ?? {};
      if (typeof title !== 'string' || typeof digest !== 'string' || !DIGEST.test(digest)) continue;
      if (typeof size === 'number') layers.set(title.replace(/^\.\//, ''), { digest, size });
    }
    return layers;
  }

  async #getBlob(
    { digest, size }: Layer,
    { etag, from = 0, rangeOf, signal }: AskedObject,
  ): Promise<ObjectReply> {
    const tag = `"${digest}"`;
    if (etag === tag) return { kind: 'unchanged' };
    const isRange = from > 0 && from < size && rangeOf === tag;
    const headers = isRange ? { range: `bytes=${from}-` } : {};
    const { head, body } = await this.#send({ path: `blobs/${digest}`, headers, signal });
    if (head.status === 404) {
      await end(body);
      return { kind: 'absent' };
    }
    const [, start = '0'] = /^bytes (\d+)-/.exec(head.header('content-range') ?? '') ?? [];
    const isPart = head.status === 206;
    if (head.status >= 300 || (isPart && (!isRange || Number(start) !== from))) {
      await end(body);
      throw new ObjectError(`${this.shownAs}: status ${head.status} for a part of ${digest}`, true);
    }
    return { kind: 'found', etag: tag, bytes: size, from: isPart ? from : 0, body };
  }

  /** An answer, after a login if the registry wants one. 404 is an answer. */
  async #send({ path, method = 'GET', headers = {}, signal }: Request) {
    const scheme = this.#isPlain ? 'http' : 'https';
    const url = new URL(`${scheme}://${this.#registry}/v2/${this.#repository}/${path}`);
    for (let isLoggedIn = false; ; isLoggedIn = true) {
      const own = this.#authorization === undefined ? {} : { authorization: this.#authorization };
      const reply = await openOverHttp(this.#client, url, {
        method,
        headers: own,
        openHeaders: { ...headers, 'accept-encoding': 'identity' },
        answers: [401],
        signal,
      });
      if (reply.head.status !== 401) return reply;
      await end(reply.body);
      if (isLoggedIn) {
        const remedy = `run \`docker login ${this.#registry}\` with a login that may read it`;
        throw new ObjectError(`${this.shownAs}: the registry does not accept the login; ${remedy}`, false);
      }
      this.#authorization = await this.#logIn(reply.head.header('www-authenticate') ?? '', signal);
    }
  }

  async #logIn(challenge: string, signal: AbortSignal): Promise<string> {
    const credentials = await credentialsFor(this.#registry, this.#environment);
    if (credentials.kind === 'password') this.#secrets.push(credentials.password);
    if (credentials.kind === 'identity-token') this.#secrets.push(credentials.token);
    const authorization = await logIn({
      client: this.#client,
      shownAs: this.shownAs,
      repository: this.#repository,
      challenge,
      credentials,
      mayBeHttp: this.#isPlain,
      signal,
    });
    this.#secrets.push(authorization.replace(/^\w+ /, ''));
    this.#secrets.splice(0, this.#secrets.length - 8); // of logins that are over
    return authorization;
  }

  #requireDigest(bytes: Uint8Array, digest: string, what: string): void {
    const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (found === digest) return;
    throw new ObjectError(`${this.shownAs}: ${what} is ${found} and not ${digest}; push it again`, true);
  }
}

function timeOf(head: HttpHead): number | undefined {
  const ms = Date.parse(head.header('date') ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
