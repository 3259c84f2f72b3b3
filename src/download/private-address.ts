// Addresses that are not of the public network: those of this machine, of its network, and where clouds tell
// a machine its credentials.

import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const PRIVATE = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8], // 0.0.0.0 reaches this machine
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  PRIVATE.addSubnet(address, bits, 'ipv4'); // also as ::ffff:a.b.c.d
}
for (const [address, bits] of [
  ['::', 127], // :: and ::1
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(address, bits, 'ipv6');
}

/** How names become addresses, and which of those are private. Tests have their own. */
export interface Addresses {
  readonly lookup: LookupFunction;
  readonly isPrivate: (address: string) => boolean;
}

export function isPrivateAddress(address: string): boolean {
  const [plain] = address.split('%', 1); // without its zone
  const family = isIP(plain);
  return family !== 0 && PRIVATE.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

export const PRIVATE_CODE = 'EPRIVATE';

/** The address that a URL names, if it names one and not a host. */
export function literalAddress({ hostname }: URL): string | undefined {
  const text = hostname.replace(/^\[|\]$/g, '');
  return isIP(text) === 0 ? undefined : text;
}

/** Whether the host of the URL is, or has, a private address; a name that is not known has none. */
export async function isAtPrivateAddress(url: URL, { lookup, isPrivate }: Addresses): Promise<boolean> {
  const literal = literalAddress(url);
  if (literal !== undefined) return isPrivate(literal);
  return new Promise((resolve) => {
    lookup(url.hostname, { all: true }, (error, found) => {
      resolve(error === null && addressesOf(found).some(({ address }) => isPrivate(address)));
    });
  });
}

/** The look-up of a connection that fails with PRIVATE_CODE for a name with a private address. */
export function publicLookup({ lookup, isPrivate }: Addresses): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = error === null ? addressesOf(found) : [];
      const refused = addresses.find(({ address }) => isPrivate(address));
      if (error !== null || refused === undefined) {
        if (error !== null || options.all) callback(error, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
        return;
      }
      const problem = new Error(`${hostname} is at ${refused.address}, a private address`);
      callback(Object.assign(problem, { code: PRIVATE_CODE }), []);
    });
  };
}

function addressesOf(found: string | LookupAddress[]): LookupAddress[] {
  return typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
}
