// Whose request is it? The address of the peer, unless the peer is a proxy that the operator trusts: then
// the address that the proxy wrote into `Forwarded` (RFC 7239) or `X-Forwarded-For`. Anyone can send
// these headers, and each proxy appends to what it received, so they are read from the right, and only as
// far as trusted proxies wrote them:
//
//   X-Forwarded-For: 1.1.1.1, 203.0.113.9, 10.0.0.2      peer 10.0.0.1, trusted 10.0.0.0/8
//                    \ forged  \ the client \ a proxy of ours

import { BlockList, isIP } from 'node:net';
import type { RequestView } from '../transport/request-view.ts';
import { canonicalAddress } from './address.ts';

/** Longer lists than any chain of proxies writes are not read. */
const MAX_LIST_CHARS = 2048;
const PREFIX_BITS = { 4: 32, 6: 128 } as const;
const MAPPED_BITS = 96;

/** What a proxy says of the request that it got; '' where it does not. */
interface Addressed {
  readonly proto: string;
  readonly host: string;
}

/** One element of Forwarded. */
interface Element extends Addressed {
  /** A canonical address, '' for one that is not an address. */
  readonly client: string;
}

/** In place of a list that cannot be read. */
const UNREADABLE: readonly Element[] = [{ client: '', proto: '', host: '' }];

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
  /** Asking an empty list takes 1 us. */
  readonly #hasAny: boolean;

  /** Requires: texts without a `networkProblem`. */
  constructor(texts: readonly string[]) {
    this.#hasAny = texts.length > 0;
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
    const client = this.#lastOutside(peer, clientsOf(elementsOf(standard)));
    // The proxy wrote one of them, the client may have sent the other, and nothing says which: only if both
    // name the same client can it be believed.
    if (usual === '' || this.#lastOutside(peer, addressesInList(usual)) === client) return client;
    return peer;
  }

  /**
   * How the outermost trusted proxy was addressed: the scheme and the host of the request to it, each ''
   * where no trusted proxy says it, or where the two forms of saying it disagree.
   */
  addressedBy(request: Pick<RequestView, 'address' | 'list'>): Addressed {
    const { address: peer } = request;
    if (!this.#trusts(peer)) return { proto: '', host: '' };
    const elements = elementsOf(request.list('forwarded'));
    const standard = elements.slice(-this.#trustedWriters(peer, clientsOf(elements)));
    const writers = this.#trustedWriters(peer, addressesInList(request.list('x-forwarded-for')));
    const agreed = (name: 'proto' | 'host'): string => {
      const said = standard.find((element) => element[name] !== '')?.[name] ?? '';
      const usual = writtenBy(writers, request.list(`x-forwarded-${name}`));
      if (said === '' || usual === '') return said || usual;
      return said.toLowerCase() === usual.toLowerCase() ? said : '';
    };
    return { proto: agreed('proto'), host: agreed('host') };
  }

  /**
   * How many elements from the right were written by trusted proxies, at least one: each was written by the
   * peer that the element to its right names.
   */
  #trustedWriters(peer: string, addresses: readonly string[]): number {
    let count = 0;
    let writer = peer;
    for (const address of [...addresses].reverse()) {
      if (!this.#trusts(writer)) break;
      count++;
      writer = address;
    }
    return Math.max(count, 1);
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
    if (!this.#hasAny) return false;
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

/** What the outermost of so many proxies wrote in a list, to which each appends, or which it replaces. */
function writtenBy(writers: number, list: string): string {
  if (list === '' || list.length > MAX_LIST_CHARS) return '';
  const values = list.split(',').map((value) => value.trim());
  return values[Math.max(0, values.length - writers)];
}

function clientsOf(elements: readonly Element[]): readonly string[] {
  return elements.map(({ client }) => client);
}

/**
 * The elements of Forwarded. A list that breaks the grammar anywhere says nothing: with a quote that it never
 * closes, a client could otherwise hide what a proxy appended.
 */
function elementsOf(list: string): readonly Element[] {
  if (list.length > MAX_LIST_CHARS) return UNREADABLE;
  const elements: Element[] = [];
  let pairs = new Map<string, string>();
  let end = ',';
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < list.length) {
    const pair = PAIR.exec(list);
    if (pair === null) return UNREADABLE;
    const [, name, token, quoted] = pair;
    end = pair[4];
    const key = name.toLowerCase();
    if (pairs.has(key)) return UNREADABLE; // no element may have it twice
    pairs.set(key, token ?? quoted.replace(/\\(.)/g, '$1'));
    if (end === ';') continue;
    const [client, proto, host] = ['for', 'proto', 'host'].map((each) => pairs.get(each) ?? '');
    elements.push({ client: nodeAddress(client), proto, host });
    pairs = new Map();
  }
  return end === ';' ? UNREADABLE : elements;
}

/** The address of a node, without its port; '' for `unknown`, a hidden name, or anything else. */
function nodeAddress(node: string): string {
  const port = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::[\w.-]{1,32})?$/.exec(node);
  return canonicalAddress(port?.[1] ?? port?.[2] ?? node);
}
