// Peers as the addon knows them, each time in new buffers. What is remembered must equal what
// `canonicalAddress` makes of the text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import { canonicalAddress } from '../../../src/http/callers/address.ts';
import { PeerAddresses } from '../../../src/http/transport/peer-addresses.ts';
import { printedSeed } from '../../support/seed.ts';

/** The form in which the addon writes an address. */
function textOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const group = (i: number): string => Buffer.from(bytes.slice(2 * i, 2 * i + 2)).toString('hex');
  return bytes.length === 0 ? '' : Array.from({ length: 8 }, (_, i) => group(i)).join(':');
}

class StandInPeer {
  textCount = 0;
  readonly #bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    this.#bytes = bytes;
  }

  getRemoteAddress(): ArrayBuffer {
    return Uint8Array.from(this.#bytes).buffer;
  }

  getRemoteAddressAsText(): ArrayBuffer {
    this.textCount++;
    return Uint8Array.from(Buffer.from(textOf(this.#bytes))).buffer;
  }
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

test('a peer has one text, also as an IPv4-mapped one, which is made once', () => {
  const peers = new PeerAddresses();
  const peer = new StandInPeer([192, 0, 2, 1]);
  const mapped = new StandInPeer([...MAPPED, 192, 0, 2, 1]);
  for (let i = 0; i < 3; i++)
    assert.deepEqual([peers.of(peer), peers.of(mapped)], ['192.0.2.1', '192.0.2.1']);
  assert.deepEqual([peer.textCount, mapped.textCount], [1, 0]);
});

test('a socket that is gone has none', () => {
  assert.equal(new PeerAddresses().of(new StandInPeer([])), '');
});

test('the unspecified addresses are not taken for a place that nobody has had', () => {
  const peers = new PeerAddresses();
  assert.equal(peers.of(new StandInPeer(Array(16).fill(0))), '::');
  assert.equal(peers.of(new StandInPeer([0, 0, 0, 0])), '0.0.0.0');
});

test('more peers than are remembered, and some that differ in one bit, all have their own', (t) => {
  const dice = new Dice(printedSeed(t));
  const peers = new PeerAddresses();
  const seen: (readonly number[])[] = [];
  for (let i = 0; i < 5_000; i++) {
    const bytes = Array.from({ length: dice.chance(0.5) ? 4 : 16 }, () => dice.whole(0, 255));
    const near = bytes.with(dice.whole(0, bytes.length - 1), dice.whole(0, 255));
    const again = seen.length === 0 ? bytes : seen[dice.whole(0, seen.length - 1)];
    for (const each of [bytes, near, again]) {
      assert.equal(peers.of(new StandInPeer(each)), canonicalAddress(textOf(each)));
      seen.push(each);
    }
  }
});
