import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parsePublicKey, signMessage, verifySignature } from '../../src/fleet/minisign.ts';
import { parseSecretKey } from '../../src/fleet/secret-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { minisign, minisignFixture, whyNoMinisign } from '../support/minisign.ts';

const message = Buffer.from(minisignFixture('message.txt'));
const plain = parsePublicKey(minisignFixture('plain.pub'));
const other = parsePublicKey(minisignFixture('encrypted.pub'));

test('signatures of the standard tool hold, hashed and legacy, with any of the trusted keys', () => {
  for (const name of ['hashed.minisig', 'legacy.minisig']) {
    const { keyId } = verifySignature([other, plain], message, minisignFixture(name));
    assert.equal(keyId, 'E4C3A6D9A917E59E');
  }
  const { trustedComment } = verifySignature([plain], message, minisignFixture('hashed.minisig'));
  assert.equal(trustedComment, 'sequence:7');
});

test('a key is read from its file, and from its second line alone', () => {
  const [, line] = minisignFixture('plain.pub').split('\n');
  assert.equal(parsePublicKey(`${line}\n`).id, plain.id);
  for (const text of ['', 'RWS', line.slice(4), `${line}\n${line}`, minisignFixture('plain.key')]) {
    assert.throws(() => parsePublicKey(text), { code: 'unreadable' }, text);
  }
});

test('what another key has signed, or one that is no longer trusted, is refused', () => {
  assert.throws(() => verifySignature([other], message, minisignFixture('hashed.minisig')), {
    code: 'other-key',
    message: new RegExp(`key E4C3A6D9A917E59E, which is not trusted.*${other.id}`),
  });
  assert.throws(() => verifySignature([], message, minisignFixture('hashed.minisig')), { code: 'other-key' });
});

test('one changed byte of message, signature or trusted comment is found', () => {
  const signature = minisignFixture('hashed.minisig');
  const lines = signature.split('\n');
  const changed = (line: number, edit: (text: string) => string): string =>
    lines.map((text, i) => (i === line ? edit(text) : text)).join('\n');
  const flip = (text: string): string =>
    `${text.slice(0, 40)}${text[40] === 'A' ? 'B' : 'A'}${text.slice(41)}`;
  const cases: readonly (readonly [Buffer, string, string])[] = [
    [Buffer.from('another message'), signature, 'wrong-signature'],
    [message, changed(1, flip), 'wrong-signature'],
    [message, changed(2, (text) => text.replace('7', '8')), 'wrong-comment'],
    [message, changed(3, flip), 'wrong-comment'],
    [message, changed(1, (text) => `RW${text.slice(2)}`), 'wrong-signature'],
    [message, changed(1, (text) => `QQ${text.slice(2)}`), 'unreadable'],
    [message, changed(1, (text) => text.slice(1)), 'unreadable'],
    [message, changed(0, () => 'comment: none'), 'unreadable'],
    [message, lines.slice(0, 3).join('\n'), 'unreadable'],
    [message, `${signature}more\n`, 'unreadable'],
    [message, '', 'unreadable'],
    [message, '<html></html>', 'unreadable'],
  ];
  for (const [bytes, text, code] of cases) {
    assert.throws(() => verifySignature([plain], bytes, text), { name: 'MinisignError', code }, text);
  }
});

test('a signature made here holds, with a comment beyond ASCII', async () => {
  const key = await parseSecretKey(minisignFixture('plain.key'), undefined);
  const signature = signMessage(key, message, 'sequence:7 – größer');
  assert.deepEqual(verifySignature([plain], message, signature), {
    keyId: plain.id,
    trustedComment: 'sequence:7 – größer',
  });
});

test('the standard tool accepts what is signed here, and the other way round', {
  skip: whyNoMinisign(),
}, async (t) => {
  const folder = temporaryFolder(t);
  minisign(folder, '-G', '-W', '-p', 'own.pub', '-s', 'own.key');
  const key = await parseSecretKey(readFileSync(join(folder, 'own.key'), 'utf8'), undefined);
  const publicKey = parsePublicKey(readFileSync(join(folder, 'own.pub'), 'utf8'));
  assert.equal(key.id, publicKey.id);
  writeFileSync(join(folder, 'here'), message);
  writeFileSync(join(folder, 'here.minisig'), signMessage(key, message, 'from here'));
  assert.match(minisign(folder, '-V', '-p', 'own.pub', '-m', 'here'), /verified[\s\S]*from here/);

  writeFileSync(join(folder, 'there'), message);
  for (const kind of ['-H', '-l']) {
    minisign(folder, '-S', '-W', kind, '-s', 'own.key', '-m', 'there', '-t', 'from there');
    const signature = readFileSync(join(folder, 'there.minisig'), 'utf8');
    assert.equal(verifySignature([publicKey], message, signature).trustedComment, 'from there');
  }
  const changed = spawnSync('minisign', ['-V', '-p', 'own.pub', '-m', 'own.pub', '-x', 'here.minisig'], {
    cwd: folder,
  });
  assert.notEqual(changed.status, 0);
});
