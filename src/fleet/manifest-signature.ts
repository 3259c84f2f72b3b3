// The signature of a manifest. Its trusted comment says of which sequence and which bytes it is, so that a
// signature can be told from another without the manifest.

import { createHash } from 'node:crypto';
import { MinisignError, type PublicKey, type SecretKey, signMessage, verifySignature } from './minisign.ts';

/** Requires: the bytes of a manifest with that sequence. */
export function signManifest(key: SecretKey, bytes: Uint8Array, sequence: number, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  const comment = [
    'timestamp',
    seconds,
    'file',
    'latest.json',
    'sequence',
    sequence,
    'sha256',
    sha256Of(bytes),
  ];
  return signMessage(
    key,
    bytes,
    comment
      .map((word, i) => (i % 2 === 0 ? `${word}:` : `${word}\t`))
      .join('')
      .trimEnd(),
  );
}

/**
 * The number of the key that signed. A comment may be without a hash, as the standard tool writes it. Throws
 * MinisignError.
 */
export function verifyManifest(keys: readonly PublicKey[], bytes: Uint8Array, signature: string): string {
  const { keyId, trustedComment } = verifySignature(keys, bytes, signature);
  const [, named] = /(?:^|\t)sha256:([^\t]*)/.exec(trustedComment) ?? [];
  if (named !== undefined && named !== sha256Of(bytes)) {
    throw new MinisignError('wrong-comment', 'its comment is that of another manifest; publish it again');
  }
  return keyId;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
