// The texts of addresses of peers that asked before. The addon hands out an address as bytes or as a text,
// each in a new buffer; making a text of it for every request would cost as much again. A table of fixed
// size, in which each address has one place: many peers, or some that collide, only cost misses.

import { randomInt } from 'node:crypto';
import { MULTIPLIER } from '../../index/memory/multiplier.ts';
import { canonicalAddress } from '../callers/address.ts';

/** What the addon knows of a peer: 4 or 16 bytes, or none if the socket is gone; and the same as a text. */
export interface Peer {
  getRemoteAddress(): ArrayBuffer;
  getRemoteAddressAsText(): ArrayBuffer;
}

/** A power of two. Some 100 KB for each thread. */
const PLACES = 1024;
const WORDS = 4;
/** The third word of ::ffff:0:0/96 as it lies in memory: an IPv4 address is kept as an IPv4-mapped one. */
const MAPPED = new Int32Array(Uint8Array.of(0, 0, 0xff, 0xff).buffer)[0];

export class PeerAddresses {
  /** Nobody else can tell which addresses share a place. */
  readonly #seed = randomInt(2 ** 32) | 0;
  readonly #words = new Int32Array(PLACES * WORDS);
  readonly #texts = new Array<string | undefined>(PLACES).fill(undefined);

  /** The address as `canonicalAddress` writes it; '' when it is not known. */
  of(peer: Peer): string {
    const bytes = peer.getRemoteAddress();
    const words = new Int32Array(bytes);
    switch (bytes.byteLength) {
      case 4:
        return this.#textOf(peer, 0, 0, MAPPED, words[0]);
      case 16:
        return this.#textOf(peer, words[0], words[1], words[2], words[3]);
      default:
        return '';
    }
  }

  #textOf(peer: Peer, a: number, b: number, c: number, d: number): string {
    let hash = Math.imul(this.#seed ^ a, MULTIPLIER);
    hash = Math.imul(hash ^ (hash >>> 15) ^ b, MULTIPLIER);
    hash = Math.imul(hash ^ (hash >>> 15) ^ c, MULTIPLIER);
    hash = Math.imul(hash ^ (hash >>> 15) ^ d, MULTIPLIER);
    const place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    const at = place * WORDS;
    const words = this.#words;
    const known = this.#texts[place];
    const isKnown = words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d;
    if (isKnown && known !== undefined) return known;
    const text = canonicalAddress(Buffer.from(peer.getRemoteAddressAsText()).toString('latin1'));
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    words[at + 3] = d;
    this.#texts[place] = text;
    return text;
  }
}
