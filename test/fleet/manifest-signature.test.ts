import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signManifest, verifyManifest } from '../../src/fleet/manifest-signature.ts';
import { parsePublicKey, signMessage, verifySignature } from '../../src/fleet/minisign.ts';
import { parseSecretKey } from '../../src/fleet/secret-key.ts';
import { minisignFixture } from '../support/minisign.ts';

const trusted = [parsePublicKey(minisignFixture('plain.pub'))];
const bytes = Buffer.from('{"sequence": 8}\n');

test('the signature of a manifest says its sequence and its hash', async () => {
  const key = await parseSecretKey(minisignFixture('plain.key'), undefined);
  const signature = signManifest(key, bytes, 8, 1_700_000_000_123);
  assert.equal(verifyManifest(trusted, bytes, signature), key.id);
  assert.equal(
    verifySignature(trusted, bytes, signature).trustedComment,
    'timestamp:1700000000\tfile:latest.json\tsequence:8\tsha256:c8e8645523d7f19d422be70eeddad1e749f5970753b5d595f301b0d3a913faac',
  );
});

test('a comment without a hash is enough, one with the hash of another manifest is refused', async () => {
  const key = await parseSecretKey(minisignFixture('plain.key'), undefined);
  verifyManifest(trusted, bytes, signMessage(key, bytes, 'timestamp:1\tfile:latest.json\thashed'));
  assert.throws(() => verifyManifest(trusted, bytes, signMessage(key, bytes, 'file:x\tsha256:00')), {
    code: 'wrong-comment',
  });
});
