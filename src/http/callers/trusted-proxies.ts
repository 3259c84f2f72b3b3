// Whose request is it? The address of the peer, unless the peer is a proxy that the operator trusts: then
// the address that the proxy wrote into `Forwarded` (RFC 7239) or `X-Forwarded-For`. Anyone can send
// these headers, and each proxy appends to what it received, so they are read from the right, and only as
// far as trusted proxies wrote them:
//
//   X-Forwarded-For: 1.1.1.1, 203.0.113.9, 10.0.0.2      peer 10.0.0.1, trusted 10.0.0.0/8
//                    \ forged  \ the client \ a proxy of ours

import { BlockList, isIP } from 'node:net';
import type { RequestView } from '../request-view.ts';
import { canonicalAddress } from './address.ts';

/** Longer lists than any chain of proxies writes are not read. */
const MAX_LIST_CHARS = 2048;
const PREFIX_BITS = { 4: 32, 6: 128 } as const;
const MAPPED_BITS = 96;

interface Network {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly prefix: number;
}

/** What is wrong with a text that should be an address or a CIDR block, or undefined. */
export function networkProblem(text: string): string | undefined {
  return networkOf(text) === undefined
    ? `${JSON.stringify(text)} is not an IP address or a CIDR block, such as 10.0.0.1, 10.0.0.0/8 or fd00::/8`
    : undefined;
}

export class TrustedProxies {
  readonly #networks = new BlockList();

  /** Requires: texts without a `networkProblem`. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const network = networkOf(text);
      if (network === undefined) throw new Error(networkProblem(text));
      this.#networks.addSubnet(network.address, network.prefix, network.family);
    }
  }

  /** The client's address as `canonicalAddress` writes it; '' when even the peer's is not known. */
  clientOf(request: Pick<RequestView, 'address' | 'list'>): string {
    const { address: peer } = request;
    if (!this.#trusts(peer)) return peer;
    const standard = request.list('forwarded');
    const usual = request.list('x-forwarded-for');
    if (standard === '') return usual === '' ? peer : this.#lastOutside(peer, addressesInList(usual));
    const client = this.#lastOutside(peer, addressesInForwarded(standard));
    // The proxy wrote one of them, the client may have sent the other, and nothing says which: only if both
    // name the same client can it be believed.
    if (usual === '' || this.#lastOutside(peer, addressesInList(usual)) === client) return client;
    return peer;
  }

  /**
   * The first address from the right that is not a trusted proxy's. What is not an
   * address ends the search before it.
   */
  #lastOutside(peer: string, addresses: readonly string[]): string {
    let last = peer;
    for (const address of [...addresses].reverse()) {
      if (address === '') return last;
      last = address;
      if (!this.#trusts(address)) return last;
    }
    return last;
  }

  #trusts(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#networks.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}

function networkOf(text: string): Network | undefined {
  const [base, bits, ...rest] = text.split('/');
  const family = isIP(base);
  const address = canonicalAddress(base);
  if ((family !== 4 && family !== 6) || rest.length > 0 || base.includes('%')) return undefined;
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return undefined;
  const given = bits === undefined ? PREFIX_BITS[family] : Number(bits);
  // An IPv4-mapped block is one of IPv4: the peer's address is written so.
  const prefix = family === 6 && isIP(address) === 4 ? given - MAPPED_BITS : given;
  const written = isIP(address) === 4 ? 4 : 6;
  if (prefix < 0 || prefix > PREFIX_BITS[written]) return undefined;
  return { address, family: written === 4 ? 'ipv4' : 'ipv6', prefix };
}

/** The elements of X-Forwarded-For as canonical addresses, '' for one that is not an address. */
function addressesInList(list: string): readonly string[] {
  if (list.length > MAX_LIST_CHARS) return [''];
  return list.split(',').map((element) => nodeAddress(element.trim()));
}

// A token or a quoted string after `name=`, with what may follow it (RFC 7239, 4).
const PAIR = /([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*([;,]|$)[ \t]*/y;

/**
 * The `for` of each element of Forwarded as a canonical address, '' for one that is not an address. A list
 * that breaks the grammar anywhere says nothing: with a quote that it never closes, a client could
 * otherwise hide what a proxy appended.
 */
function addressesInForwarded(list: string): readonly string[] {
  if (list.length > MAX_LIST_CHARS) return [''];
  const addresses: string[] = [];
  let client: string | undefined;
  let end = ',';
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < list.length) {
    const pair = PAIR.exec(list);
    if (pair === null) return [''];
    const [, name, token, quoted] = pair;
    end = pair[4];
    if (name.toLowerCase() === 'for') {
      if (client !== undefined) return ['']; // no element may name it twice
      client = nodeAddress(token ?? quoted.replace(/\\(.)/g, '$1'));
    }
    if (end === ';') continue;
    addresses.push(client ?? '');
    client = undefined;
  }
  return end === ';' ? [''] : addresses;
}

/** The address of a node, without its port; '' for `unknown`, a hidden name, or anything else. */
function nodeAddress(node: string): string {
  const port = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::[\w.-]{1,32})?$/.exec(node);
  return canonicalAddress(port?.[1] ?? port?.[2] ?? node);
}
