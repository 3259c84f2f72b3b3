import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPrivateAddress } from '../../src/download/private-address.ts';

test('addresses of this machine, its network and its cloud are private, all others are not', () => {
  for (const address of [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.53',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '::',
    '::1',
    'fd00::1',
    'fc00::',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::ffff:a9fe:a9fe',
  ]) {
    assert.ok(isPrivateAddress(address), address);
  }
  for (const address of [
    '9.255.255.255',
    '11.0.0.0',
    '100.63.0.1',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '203.0.113.9',
    '2001:db8::1',
    '::2',
    'fec0::1',
    '::ffff:8.8.8.8',
    'example.com',
  ]) {
    assert.ok(!isPrivateAddress(address), address);
  }
});
