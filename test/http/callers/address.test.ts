import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import { canonicalAddress, clientBlock } from '../../../src/http/callers/address.ts';
import { printedSeed } from '../../support/seed.ts';

test('an address has one form, however it was written', () => {
  for (const [form, ...spellings] of [
    ['192.0.2.1', '::ffff:192.0.2.1', '0000:0000:0000:0000:0000:ffff:c000:0201', '::FFFF:c000:201'],
    ['2001:db8::1', '2001:0db8:0000:0000:0000:0000:0000:0001', '2001:DB8:0:0::1', '2001:db8::0.0.0.1'],
    ['::1', '0000:0000:0000:0000:0000:0000:0000:0001', '0::1'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8::1:1:1:1:1'],
    ['2001:0:0:1::', '2001:0:0:1:0:0:0:0'],
    ['2001::1:0:0:1', '2001:0:0:0:1:0:0:1'],
    ['fe80::1', 'fe80::1%eth0'],
  ]) {
    for (const text of [form, ...spellings]) assert.equal(canonicalAddress(text), form, text);
  }
});

test('what is not an address has no form', () => {
  for (const text of ['', 'unknown', '_hidden', '1.2.3', '01.2.3.4', '1.2.3.4:80', '[::1]', ':::', '1::2::3'])
    assert.equal(canonicalAddress(text), '', text);
});

test('a client is one IPv4 address, or one /64 of IPv6', () => {
  assert.equal(clientBlock('192.0.2.1'), '192.0.2.1');
  assert.equal(clientBlock('2001:db8::1'), '2001:db8:0:0::/64');
  assert.equal(clientBlock('2001:db8::ffff:1'), '2001:db8:0:0::/64');
  assert.equal(clientBlock('2001:db8:0:1::1'), '2001:db8:0:1::/64');
  assert.equal(clientBlock('::1'), '0:0:0:0::/64');
});

test('the block is the first four groups, wherever zeros are left out', (t) => {
  const dice = new Dice(printedSeed(t));
  for (let i = 0; i < 2_000; i++) {
    const groups = Array.from({ length: 8 }, () =>
      dice.chance(0.6) ? '0' : dice.whole(0, 65_535).toString(16),
    );
    const text = groups.join(':');
    const address = canonicalAddress(text);
    if (address.includes(':'))
      assert.equal(clientBlock(address), `${groups.slice(0, 4).join(':')}::/64`, text);
  }
});
