// How connections are made: directly or through a proxy, with which certificates trusted.

import { lookup } from 'node:dns';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { type Addresses, isPrivateAddress, publicLookup } from './private-address.ts';
import { type Environment, proxyFor } from './proxy.ts';
import { SourceError } from './source-error.ts';
import { isValidUrl } from './valid-url.ts';

const CONNECT_MS = 30_000;
/** Between two pieces of an answer, and before its first. */
const SILENCE_MS = 60_000;

export const SYSTEM_ADDRESSES: Addresses = { lookup, isPrivate: isPrivateAddress };

/** Keeps one pool of connections for each proxy, and two for none: one reaches public addresses alone. */
export class Connections {
  readonly #environment: Environment;
  readonly #trusted: readonly string[] | undefined;
  readonly #addresses: Addresses;
  readonly #dispatchers = new Map<string, Dispatcher>();

  /**
   * `caFile`: certificates in PEM that are trusted besides the usual ones. Throws SourceError if it has none.
   */
  constructor(caFile: string | undefined, environment: Environment, addresses = SYSTEM_ADDRESSES) {
    this.#addresses = addresses;
    this.#environment = environment;
    this.#trusted = caFile === undefined ? undefined : trustedWith(caFile, environment);
  }

  /** `isPublicOnly`: not to a private address; through a proxy it is the proxy that chooses the address. */
  to(url: URL, isPublicOnly = false): Dispatcher {
    const proxy = proxyFor(url, this.#environment);
    const pool = proxy ?? (isPublicOnly ? 'public' : 'any');
    const known = this.#dispatchers.get(pool);
    if (known !== undefined) return known;
    const made = this.#connect(proxy, isPublicOnly);
    this.#dispatchers.set(pool, made);
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    this.#dispatchers.clear();
  }

  #connect(proxy: string | undefined, isPublicOnly: boolean): Dispatcher {
    const tls = this.#trusted === undefined ? {} : { ca: [...this.#trusted] };
    const limits = { headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS };
    if (proxy === undefined) {
      const resolve = isPublicOnly ? publicLookup(this.#addresses) : this.#addresses.lookup;
      return new Agent({ ...limits, connect: { ...tls, timeout: CONNECT_MS, lookup: resolve } });
    }
    if (!isValidUrl(proxy) || !/^https?:$/.test(new URL(proxy).protocol)) {
      throw new SourceError('the proxy in HTTPS_PROXY or HTTP_PROXY is not an http or https URL; correct it');
    }
    return new ProxyAgent({
      ...limits,
      uri: proxy,
      requestTls: { ...tls, timeout: CONNECT_MS },
      proxyTls: { ...tls, timeout: CONNECT_MS },
      proxyTunnel: false, // for http URLs alone: many proxies allow tunnels to port 443 only
    });
  }
}

/**
 * All certificates to trust. A list replaces Node's, so Node's own and those of NODE_EXTRA_CA_CERTS are in
 * it.
 */
function trustedWith(caFile: string, environment: Environment): string[] {
  const extra = environment.NODE_EXTRA_CA_CERTS;
  const more = extra === undefined || extra === '' ? [] : [readCertificates(extra)];
  return [...rootCertificates, ...more, readCertificates(caFile)];
}

function readCertificates(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new SourceError(
      `${path}: the certificates cannot be read (${(error as Error).message}); check the path`,
      {
        cause: error,
      },
    );
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new SourceError(
      `${path}: this file has no certificate in PEM; it must contain "-----BEGIN CERTIFICATE-----"`,
    );
  }
  return text;
}
