// Network addresses as text: one form for each, whatever a socket or a header wrote, and the block that
// counts as one client. Which address is the client's is decided in trusted-proxies.ts.

import { isIP, SocketAddress } from 'node:net';

const GROUPS = 8;
/** The block ::ffff:0:0/96, as the system writes it. */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * The address in its shortest form, in lower case: IPv4 dotted, also for an IPv4-mapped IPv6 address; IPv6
 * compressed (RFC 5952), without a zone. '' if the text is not an address.
 */
export function canonicalAddress(text: string): string {
  switch (isIP(text)) {
    case 4:
      return text;
    case 6: {
      const { address } = new SocketAddress({ address: text, family: 'ipv6' });
      return MAPPED.exec(address)?.[1] ?? address;
    }
    default:
      return '';
  }
}

/**
 * The block of addresses that one client is assumed to have: the address for IPv4, its /64 for IPv6, because
 * networks assign no less to a single machine. Requires: from `canonicalAddress`, not ''.
 */
export function clientBlock(address: string): string {
  if (!address.includes(':')) return address;
  const [head, tail] = address.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return blockOf(before);
  const after = groupsOf(tail);
  const afterCount = tail.includes('.') ? after.length + 1 : after.length; // dotted: the last two groups
  return blockOf([...before, ...Array<string>(GROUPS - before.length - afterCount).fill('0'), ...after]);
}

function groupsOf(part: string): readonly string[] {
  return part === '' ? [] : part.split(':');
}

function blockOf([a, b, c, d]: readonly string[]): string {
  return `${a}:${b}:${c}:${d}::/64`;
}
