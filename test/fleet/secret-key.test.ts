import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { test } from 'node:test';
import { parsePublicKey, signMessage, verifySignature } from '../../src/fleet/minisign.ts';
import { parseSecretKey } from '../../src/fleet/secret-key.ts';
import { minisignFixture } from '../support/minisign.ts';
import { isFull } from '../support/volume.ts';

const message = Buffer.from('a message');

test('a key without a password signs', async () => {
  const key = await parseSecretKey(minisignFixture('plain.key'), undefined);
  const publicKey = parsePublicKey(minisignFixture('plain.pub'));
  assert.equal(verifySignature([publicKey], message, signMessage(key, message, 'c')).keyId, key.id);
});

/** The plain key, encrypted with small limits: those of the standard tool take a gigabyte. */
function encryptedKey(password: string): string {
  const bytes = Buffer.from(minisignFixture('plain.key').split('\n')[1], 'base64');
  bytes.write('Sc', 2, 'latin1');
  bytes.fill(7, 6, 38);
  bytes.writeBigUInt64LE(32_768n, 38);
  bytes.writeBigUInt64LE(16n << 20n, 46);
  const stream = scryptSync(password, bytes.subarray(6, 38), 104, { N: 1024, r: 8, p: 1 });
  for (let i = 0; i < 104; i++) bytes[54 + i] ^= stream[i];
  return `untrusted comment: test\n${bytes.toString('base64')}\n`;
}

test('an encrypted key needs its password', async () => {
  const key = await parseSecretKey(encryptedKey('right'), 'right');
  assert.equal(key.id, parsePublicKey(minisignFixture('plain.pub')).id);
  await assert.rejects(parseSecretKey(encryptedKey('right'), 'wrong'), { code: 'wrong-password' });
  await assert.rejects(parseSecretKey(encryptedKey('right'), undefined), { code: 'wrong-password' });
});

test('what is not a key, a damaged one, and one that asks for too much is refused', async () => {
  const bytes = Buffer.from(minisignFixture('plain.key').split('\n')[1], 'base64');
  const withByte = (at: number, value: number): string => {
    const changed = Buffer.from(bytes);
    changed[at] = value;
    return changed.toString('base64');
  };
  for (const text of ['', 'no key', minisignFixture('plain.pub'), withByte(4, 0x43)]) {
    await assert.rejects(parseSecretKey(text, undefined), { code: 'unreadable' }, text);
  }
  await assert.rejects(parseSecretKey(withByte(70, bytes[70] ^ 1), undefined), /the key is damaged/);
  const greedy = Buffer.from(encryptedKey('p').split('\n')[1], 'base64');
  greedy.writeBigUInt64LE(1n << 40n, 46);
  await assert.rejects(parseSecretKey(greedy.toString('base64'), 'p'), { code: 'unreadable' });
});

test('a key that the standard tool has encrypted signs', {
  skip: isFull ? false : 'only at full volume',
}, async () => {
  const key = await parseSecretKey(minisignFixture('encrypted.key'), 'pw');
  assert.equal(key.id, parsePublicKey(minisignFixture('encrypted.pub')).id);
});
