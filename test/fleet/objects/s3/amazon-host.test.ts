import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amazonHost } from '../../../../src/fleet/objects/s3/amazon-host.ts';

test('a service is below amazonaws.com, in every region of China below amazonaws.com.cn', () => {
  for (const [region, host] of [
    ['us-east-1', 'sts.us-east-1.amazonaws.com'],
    ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['cn-northwest-1', 'sts.cn-northwest-1.amazonaws.com.cn'],
  ]) {
    assert.equal(amazonHost('sts', region), host);
  }
});
