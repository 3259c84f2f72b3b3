// Signatures in minisign's format, with keys of the standard tool: Ed25519 over a message or its BLAKE2b-512
// hash, a trusted comment that is signed too, and the number of the key that signed.
//
//     public key    'Ed' | number 8 | key 32
//     signature     'Ed' or 'ED' (hashed) | number 8 | signature 64
//                   then the signature of that signature and the trusted comment, 64
//
// secret-key.ts reads the keys to sign with.

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

type MinisignErrorCode =
  /** Not a key, or not a signature. */
  | 'unreadable'
  /** Signed by a key that is not trusted, or no longer. */
  | 'other-key'
  /** Not the signature of these bytes. */
  | 'wrong-signature'
  /** The trusted comment was changed. */
  | 'wrong-comment'
  /** For a secret key that is encrypted. */
  | 'wrong-password';

export class MinisignError extends Error {
  override readonly name = 'MinisignError';
  readonly code: MinisignErrorCode;

  constructor(code: MinisignErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface PublicKey {
  /** As the standard tool prints it. */
  readonly id: string;
  readonly key: KeyObject;
}

export interface SecretKey {
  readonly id: string;
  /** As it is in a signature. */
  readonly number: Uint8Array;
  readonly key: KeyObject;
}

const NUMBER_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const UNTRUSTED = 'untrusted comment: ';
const TRUSTED = 'trusted comment: ';

/** The contents of a key's file, or its second line alone. Throws MinisignError. */
export function parsePublicKey(text: string): PublicKey {
  const lines = text.trim().split(/\r?\n/);
  const line = lines.length === 1 ? lines[0] : lines[0].startsWith(UNTRUSTED) ? lines[1] : '';
  const bytes = decoded(line, 2 + NUMBER_BYTES + KEY_BYTES);
  if (bytes === undefined || bytes.toString('latin1', 0, 2) !== 'Ed') {
    const expected = 'the file that `minisign -G` writes as minisign.pub, or its second line';
    throw new MinisignError('unreadable', `this is not a public key; expected ${expected}`);
  }
  const x = bytes.subarray(2 + NUMBER_BYTES).toString('base64url');
  return {
    id: keyId(bytes.subarray(2, 2 + NUMBER_BYTES)),
    key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
  };
}

interface VerifiedSignature {
  readonly keyId: string;
  readonly trustedComment: string;
}

/** What one of the keys has signed. Throws MinisignError. */
export function verifySignature(
  keys: readonly PublicKey[],
  message: Uint8Array,
  signature: string,
): VerifiedSignature {
  const [comment, first, trusted, second, ...more] = signature.replace(/\r?\n$/, '').split(/\r?\n/);
  const own = decoded(first ?? '', 2 + NUMBER_BYTES + SIGNATURE_BYTES);
  const overall = decoded(second ?? '', SIGNATURE_BYTES);
  const algorithm = own?.toString('latin1', 0, 2);
  const isWhole = comment.startsWith(UNTRUSTED) && trusted?.startsWith(TRUSTED) === true && more.length === 0;
  if (!isWhole || own === undefined || overall === undefined || !['Ed', 'ED'].includes(algorithm ?? '')) {
    throw new MinisignError('unreadable', 'this is not a signature of minisign; sign again');
  }
  const id = keyId(own.subarray(2, 2 + NUMBER_BYTES));
  const candidates = keys.filter((key) => key.id === id);
  if (candidates.length === 0) {
    const known = keys.map((key) => key.id).join(', ');
    const remedy = known === '' ? 'trust it' : `trust it, or sign with one of ${known}`;
    throw new MinisignError('other-key', `signed by key ${id}, which is not trusted; ${remedy}`);
  }
  const signed = algorithm === 'ED' ? blake2b(message) : message;
  const bytes = own.subarray(2 + NUMBER_BYTES);
  const key = candidates.find((candidate) => verify(null, signed, candidate.key, bytes))?.key;
  if (key === undefined) {
    throw new MinisignError('wrong-signature', `this is not what key ${id} has signed; publish it again`);
  }
  const trustedComment = trusted.slice(TRUSTED.length);
  if (!verify(null, Buffer.concat([bytes, Buffer.from(trustedComment)]), key, overall)) {
    throw new MinisignError(
      'wrong-comment',
      `its comment is not what key ${id} has signed; publish it again`,
    );
  }
  return { keyId: id, trustedComment };
}

/** The text of a signature file, of the hashed kind. Requires: a comment of one line. */
export function signMessage(
  { id, number, key }: SecretKey,
  message: Uint8Array,
  trustedComment: string,
): string {
  const own = sign(null, blake2b(message), key);
  const overall = sign(null, Buffer.concat([own, Buffer.from(trustedComment)]), key);
  return [
    `${UNTRUSTED}signature of key ${id}`,
    Buffer.concat([Buffer.from('ED'), number, own]).toString('base64'),
    TRUSTED + trustedComment,
    overall.toString('base64'),
    '',
  ].join('\n');
}

/** The number of a key, as the standard tool prints it. */
export function keyId(number: Uint8Array): string {
  return Buffer.from(number).readBigUInt64LE().toString(16).toUpperCase().padStart(16, '0');
}

/** Undefined unless it is base64 of that many bytes. */
export function decoded(line: string, bytes: number): Buffer | undefined {
  const content = Buffer.from(line, 'base64');
  return content.length === bytes && content.toString('base64') === line ? content : undefined;
}

function blake2b(message: Uint8Array): Buffer {
  return createHash('blake2b512').update(message).digest();
}
