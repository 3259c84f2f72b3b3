// The server's own address, for documents that must name themselves. The operator's --public-url rules;
// without it, the request says how the client reached us, and a trusted proxy how it was reached itself.
//
// Such a document differs between hosts, so nothing here may share it: its route is a `read` route, because
// other handlers do not see the request; it is not remembered (`isRemembered`); and its tag, if it has one,
// is made of its bytes and not of the snapshot alone.

import { TrustedProxies } from '../callers/trusted-proxies.ts';
import { serviceProblem } from '../replies/problems.ts';
import { type Refusal, refuse } from '../replies/responses.ts';
import type { RequestView } from './request-view.ts';

/** A name of at most 253 characters, an IPv4 address or an IPv6 address in brackets; then a port. */
const AUTHORITY = /^(?:[a-z\d](?:[a-z\d._-]{0,251}[a-z\d])?\.?|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/;
const MAX_PORT = 65_535;
const SCHEME = /^https?$/;

const NO_ADDRESS =
  'This document names its own address, and the request does not say it: send one Host header with a name or an ' +
  'address and an optional port, or start the server with --public-url.';

type AddressedRequest = Pick<RequestView, 'path' | 'address' | 'list'>;

export class OwnAddress {
  readonly #publicUrl: string | undefined;
  readonly #proxies: TrustedProxies;

  /** `publicUrl` is without a slash at its end. */
  constructor(publicUrl: string | undefined = undefined, proxies: TrustedProxies = new TrustedProxies([])) {
    this.#publicUrl = publicUrl;
    this.#proxies = proxies;
  }

  /**
   * The address of the mount below which a document was asked for, without a slash at its end. `below` is
   * the document's own path there, as its route has it. A Host that is not an authority is refused and not
   * ignored: a document that names no address, or another one, would send its clients elsewhere.
   */
  ofMount(request: AddressedRequest, below: string): string | Refusal {
    const origin = this.#publicUrl ?? this.#originOf(request);
    if (origin === undefined) return refuse(serviceProblem('invalid_host', NO_ADDRESS));
    const { path } = request;
    const mount = path.endsWith(below) ? path.slice(0, path.length - below.length) : path;
    return origin + mount.replace(/\/+$/, '');
  }

  #originOf(request: AddressedRequest): string | undefined {
    const forwarded = this.#proxies.addressedBy(request);
    const host = (forwarded.host || request.list('host').trim()).toLowerCase();
    const scheme = (forwarded.proto || 'http').toLowerCase(); // the server itself has no TLS
    const authority = AUTHORITY.exec(host);
    if (authority === null || !SCHEME.test(scheme)) return undefined;
    return Number(authority[1] ?? 0) > MAX_PORT ? undefined : `${scheme}://${host}`;
  }
}
