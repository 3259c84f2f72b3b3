// SipHash-1-3 with 128 bits (Aumasson and Bernstein, 2012): a keyed digest of short texts. Without the
// secret, nobody can predict a text's digest or find two texts with the same one, and no digest leaves the
// process: for that, as in the tables of Rust and Ruby, fewer rounds than those of SipHash-2-4 are enough. No
// text can be recovered from its digest. The 64-bit words are pairs of 32 bits, low half first, because those
// are what V8 computes with.

const CARRY = 0xffff_ffff;
const COMPRESSION_ROUNDS = 1;
const FINAL_ROUNDS = 3;

/**
 * Writes the digest of a text of one-byte characters into `out`, four words. Returns false if the text has
 * other characters; `out` is then meaningless. `secret` is four random words.
 */
export function sipHash128(text: string, secret: Int32Array, out: Int32Array): boolean {
  const k0l = secret[0];
  const k0h = secret[1];
  const k1l = secret[2];
  const k1h = secret[3];
  let v0l = k0l ^ 0x70736575;
  let v0h = k0h ^ 0x736f6d65;
  let v1l = k1l ^ 0x6e646f6d ^ 0xee;
  let v1h = k1h ^ 0x646f7261;
  let v2l = k0l ^ 0x6e657261;
  let v2h = k0h ^ 0x6c796765;
  let v3l = k1l ^ 0x79746573;
  let v3h = k1h ^ 0x74656462;
  const { length } = text;
  const wholeEnd = length - (length & 7);
  let seen = 0;
  let low = 0;
  let high = 0;
  let sum = 0;
  let held = 0;
  // The words of the text, then the last one with the length in its last byte,
  // then the two halves of the digest.
  for (let at = 0, half = 0; half < 2; at += 8) {
    let rounds = COMPRESSION_ROUNDS;
    if (at < wholeEnd) {
      const c0 = text.charCodeAt(at);
      const c1 = text.charCodeAt(at + 1);
      const c2 = text.charCodeAt(at + 2);
      const c3 = text.charCodeAt(at + 3);
      const c4 = text.charCodeAt(at + 4);
      const c5 = text.charCodeAt(at + 5);
      const c6 = text.charCodeAt(at + 6);
      const c7 = text.charCodeAt(at + 7);
      seen |= c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7;
      low = c0 | (c1 << 8) | (c2 << 16) | (c3 << 24);
      high = c4 | (c5 << 8) | (c6 << 16) | (c7 << 24);
    } else if (at === wholeEnd) {
      low = 0;
      high = length << 24;
      for (let i = at, shift = 0; i < length; i++, shift += 8) {
        const code = text.charCodeAt(i);
        seen |= code;
        if (shift < 32) low |= code << shift;
        else high |= code << (shift - 32);
      }
    } else {
      low = 0;
      high = 0;
      rounds = FINAL_ROUNDS;
      if (half === 0) v2l ^= 0xee;
      else v1l ^= 0xdd;
      half++;
    }
    v3l ^= low;
    v3h ^= high;
    for (let round = 0; round < rounds; round++) {
      sum = (v0l >>> 0) + (v1l >>> 0);
      v0h = (v0h + v1h + (sum > CARRY ? 1 : 0)) | 0;
      v0l = sum | 0;
      held = v1l;
      v1l = ((v1l << 13) | (v1h >>> 19)) ^ v0l;
      v1h = ((v1h << 13) | (held >>> 19)) ^ v0h;
      held = v0l;
      v0l = v0h;
      v0h = held;
      sum = (v2l >>> 0) + (v3l >>> 0);
      v2h = (v2h + v3h + (sum > CARRY ? 1 : 0)) | 0;
      v2l = sum | 0;
      held = v3l;
      v3l = ((v3l << 16) | (v3h >>> 16)) ^ v2l;
      v3h = ((v3h << 16) | (held >>> 16)) ^ v2h;
      sum = (v0l >>> 0) + (v3l >>> 0);
      v0h = (v0h + v3h + (sum > CARRY ? 1 : 0)) | 0;
      v0l = sum | 0;
      held = v3l;
      v3l = ((v3l << 21) | (v3h >>> 11)) ^ v0l;
      v3h = ((v3h << 21) | (held >>> 11)) ^ v0h;
      sum = (v2l >>> 0) + (v1l >>> 0);
      v2h = (v2h + v1h + (sum > CARRY ? 1 : 0)) | 0;
      v2l = sum | 0;
      held = v1l;
      v1l = ((v1l << 17) | (v1h >>> 15)) ^ v2l;
      v1h = ((v1h << 17) | (held >>> 15)) ^ v2h;
      held = v2l;
      v2l = v2h;
      v2h = held;
    }
    v0l ^= low;
    v0h ^= high;
    if (half > 0) {
      out[half * 2 - 2] = v0l ^ v1l ^ v2l ^ v3l;
      out[half * 2 - 1] = v0h ^ v1h ^ v2h ^ v3h;
    }
  }
  return seen <= 0xff;
}
