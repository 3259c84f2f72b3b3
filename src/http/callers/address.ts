// Network addresses as text: one form for each, whatever a socket or a header wrote, and the block that
// counts as one client. Which address is the client's is decided in trusted-proxies.ts.

import { isIP } from 'node:net';

const GROUPS = 8;

/**
 * The address in its shortest form, in lower case: IPv4 dotted, also for an IPv4-mapped IPv6 address; IPv6
 * compressed (RFC 5952), without a zone. '' if the text is not an address.
 */
export function canonicalAddress(text: string): string {
  switch (isIP(text)) {
    case 4:
      return text;
    case 6: {
      const groups = groupsOf(text);
      return mappedIn(groups) ?? compressed(groups);
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

/** The IPv4 address in ::ffff:0:0/96, or undefined. */
function mappedIn(groups: readonly number[]): string | undefined {
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return undefined;
  const [high, low] = groups.slice(6);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function compressed(groups: readonly number[]): string {
  let start = 0;
  let length = 1; // a single group of zero is written as it is
  for (let at = 0; at < GROUPS; at++) {
    let end = at;
    while (end < GROUPS && groups[end] === 0) end++;
    if (end - at > length) {
      start = at;
      length = end - at;
    }
  }
  const hex = groups.map((group) => group.toString(16));
  if (length === 1) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}
