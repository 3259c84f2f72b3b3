// Secret keys of minisign, encrypted with a password or not.
//
//     'Ed' | 'Sc' or zeros | 'B2' | salt 32 | operations 8 | memory 8 | number 8, seed 32, public 32, check 32
//
// What follows the limits is combined with scrypt's output if the key is encrypted. Its check, a BLAKE2b-256
// hash, is one that Node cannot compute; that the seed gives the public half shows as well that the password
// was right.

import { createPrivateKey, createPublicKey, scrypt } from 'node:crypto';
import { decoded, keyId, MinisignError, type SecretKey } from './minisign.ts';

const SALT_AT = 6;
const OPERATIONS_AT = 38;
const MEMORY_AT = 46;
const SECRET_AT = 54;
const SECRET_BYTES = 104;
const BLOCK_SIZE = 8;
/** The standard tool's own: a key that asks for more was not made by it. */
const MAX_MEMORY_BYTES = 2 ** 30;
/** PKCS 8 around the seed of an Ed25519 key. */
const PKCS_8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The contents of a key's file. Throws MinisignError. */
export async function parseSecretKey(text: string, password: string | undefined): Promise<SecretKey> {
  const lines = text.trim().split(/\r?\n/);
  const bytes = decoded(lines.at(-1) ?? '', SECRET_AT + SECRET_BYTES);
  const kind = bytes?.toString('latin1', 0, SALT_AT);
  if (bytes === undefined || (kind !== 'EdScB2' && kind !== 'Ed\0\0B2')) {
    throw new MinisignError(
      'unreadable',
      'this is not a secret key; expected the file that `minisign -G` writes as minisign.key',
    );
  }
  const secret = bytes.subarray(SECRET_AT);
  if (kind === 'EdScB2') {
    if (password === undefined) {
      throw new MinisignError('wrong-password', 'the key is encrypted; name the file of its password');
    }
    const stream = await stretched(password, bytes);
    for (let i = 0; i < SECRET_BYTES; i++) secret[i] ^= stream[i];
  }
  const key = createPrivateKey({
    key: Buffer.concat([PKCS_8, secret.subarray(8, 40)]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  if (!Buffer.from(x, 'base64url').equals(secret.subarray(40, 72))) {
    const problem = kind === 'EdScB2' ? 'the password is wrong, or the key is damaged' : 'the key is damaged';
    throw new MinisignError('wrong-password', `${problem}; check the files`);
  }
  const number = Uint8Array.from(secret.subarray(0, 8));
  return { id: keyId(number), number, key };
}

/** Scrypt with the parameters that libsodium derives from its limits. */
function stretched(password: string, bytes: Buffer): Promise<Buffer> {
  const operations = Math.max(32_768, Number(bytes.readBigUInt64LE(OPERATIONS_AT)));
  const memory = Number(bytes.readBigUInt64LE(MEMORY_AT));
  if (memory > MAX_MEMORY_BYTES || operations > 2 ** 32) {
    throw new MinisignError(
      'unreadable',
      'the key asks for more memory or time than minisign does; check it',
    );
  }
  const isShort = operations < memory / 32;
  const maxCost = isShort ? operations / (BLOCK_SIZE * 4) : memory / (BLOCK_SIZE * 128);
  const cost = 2 ** Math.max(1, Math.floor(Math.log2(maxCost / 2)) + 1);
  const parallelization = isShort ? 1 : Math.max(1, Math.floor(operations / 4 / cost / BLOCK_SIZE));
  const options = { N: cost, r: BLOCK_SIZE, p: parallelization, maxmem: 2 * MAX_MEMORY_BYTES };
  const salt = bytes.subarray(SALT_AT, OPERATIONS_AT);
  return new Promise((resolve, reject) => {
    scrypt(password, salt, SECRET_BYTES, options, (error, stream) =>
      error === null ? resolve(stream) : reject(error),
    );
  });
}
