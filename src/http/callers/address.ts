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
  const [a, b, c, d] = groupsOf(address);
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`;
}

/** The eight groups of 16 bits. Requires: an IPv6 address. */
function groupsOf(text: string): readonly number[] {
  const zone = text.indexOf('%');
  const [head, tail] = (zone < 0 ? text : text.slice(0, zone)).split('::');
  const before = partsOf(head);
  if (tail === undefined) return before;
  const after = partsOf(tail);
  return [...before, ...Array<number>(GROUPS - before.length - after.length).fill(0), ...after];
}

function partsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a, b, c, d] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
