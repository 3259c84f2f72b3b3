import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { amazonHost, s3PlaceOf } from '../../../../src/fleet/objects/s3/place.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const HOME = '/nonexistent';

test('a bucket has a host of its own at Amazon, and a path elsewhere', () => {
  const cases: readonly (readonly [string, Record<string, string>, string, string])[] = [
    ['s3://data', {}, 'https://data.s3.us-east-1.amazonaws.com/', ''],
    ['s3://data/a/b/', { AWS_REGION: 'eu-west-1' }, 'https://data.s3.eu-west-1.amazonaws.com/', 'a/b/'],
    ['s3://data/', { AWS_DEFAULT_REGION: 'cn-north-1' }, 'https://data.s3.cn-north-1.amazonaws.com.cn/', ''],
    ['s3://my.data', {}, 'https://s3.us-east-1.amazonaws.com/my.data/', ''],
    ['s3://data', { AWS_ENDPOINT_URL: 'https://store.example:9000' }, 'https://store.example:9000/data/', ''],
    ['s3://data', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9000/s3/' }, 'http://127.0.0.1:9000/s3/data/', ''],
  ];
  for (const [location, environment, url, prefix] of cases) {
    const place = s3PlaceOf(location, { HOME, ...environment }, false);
    assert.deepEqual([place.url.href, place.prefix], [url, prefix], location);
  }
  const both = { AWS_ENDPOINT_URL_S3: 'https://a.example', AWS_ENDPOINT_URL: 'https://b.example' };
  assert.equal(s3PlaceOf('s3://data', { HOME, ...both }, false).url.host, 'a.example');
});

test('the region of the profile counts if no variable has one', (t) => {
  const home = temporaryFolder(t);
  mkdirSync(join(home, '.aws'));
  writeFileSync(join(home, '.aws/config'), '[default]\nregion = eu-one\n[profile b]\nregion = eu-two\n');
  assert.equal(s3PlaceOf('s3://data', { HOME: home }, false).region, 'eu-one');
  assert.equal(s3PlaceOf('s3://data', { HOME: home, AWS_PROFILE: 'b' }, false).region, 'eu-two');
  assert.equal(s3PlaceOf('s3://data', { HOME: home, AWS_REGION: 'c' }, false).region, 'c');
});

test('http is for this machine, unless it is allowed', () => {
  const environment = { HOME, AWS_ENDPOINT_URL: 'http://user:secret@store.example' };
  assert.throws(
    () => s3PlaceOf('s3://data', environment, false),
    (error: Error) => {
      assert.match(error.message, /http:\/\/store\.example is not encrypted|store\.example.*not encrypted/);
      assert.equal(error.message.includes('secret'), false);
      return true;
    },
  );
  assert.equal(s3PlaceOf('s3://data', environment, true).url.protocol, 'http:');
});

test('what does not name a bucket, or leaves its prefix, is refused', () => {
  for (const location of ['s3://', 's3://a', 's3:///x', 'data', 's3://da ta', 's3://data?x=1', 's3://d@ta']) {
    assert.throws(() => s3PlaceOf(location, { HOME }, false), /not the place of a bucket/, location);
  }
  for (const location of ['s3://data/../x', 's3://data/a/./b', 's3://data/a%2fb', 's3://data/a?b']) {
    assert.throws(() => s3PlaceOf(location, { HOME }, false), /choose a prefix/, location);
  }
  const environment = { HOME, AWS_ENDPOINT_URL: 'store.example' };
  assert.throws(() => s3PlaceOf('s3://data', environment, false), /AWS_ENDPOINT_URL: this is not an http/);
});

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
