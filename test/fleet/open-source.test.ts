import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyText, openSource } from '../../src/fleet/open-source.ts';
import { temporaryFolder } from '../support/folder.ts';

const KEY = 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3';

test('a location says what kind of store it is', async () => {
  for (const [location, shownAs] of [
    ['https://me:secret@data.example/v/latest.json?sig=1', 'https://data.example/v/latest.json'],
    ['https://data.example/v/', 'https://data.example/v/latest.json'],
    ['http://127.0.0.1:9000/', 'http://127.0.0.1:9000/latest.json'],
    ['s3://bucket/vulndex', 's3://bucket/vulndex'],
    ['oci://ghcr.io/team/data', 'oci://ghcr.io/team/data:latest'],
    ['./published', './published'],
  ]) {
    const source = openSource({ location, mayBeHttp: false, caFile: undefined });
    assert.equal(source.shownAs, shownAs);
    await source.close();
  }
});

test('a location that is none, or not encrypted, is refused without what is secret in it', () => {
  for (const [location, pattern] of [
    ['ftp://me:secret@data.example/x', /^ftp:\/\/data\.example\/x: this is not a source; expected https:/],
    ['https://me:secret@', /this is not a URL/],
    ['http://me:secret@data.example/latest.json', /not encrypted; use https, or .*--source-plain-http/],
  ] as const) {
    assert.throws(
      () => openSource({ location, mayBeHttp: false, caFile: undefined }),
      (error: Error) => pattern.test(error.message) && !error.message.includes('secret'),
    );
  }
  openSource({ location: 'http://data.example/latest.json', mayBeHttp: true, caFile: undefined });
});

test('a key is given itself, or by its file', (t) => {
  const path = join(temporaryFolder(t), 'minisign.pub');
  writeFileSync(path, `untrusted comment: minisign public key\n${KEY}\n`);
  assert.equal(keyText(KEY), KEY);
  assert.match(keyText(path), /^untrusted comment/);
  writeFileSync(path, 'something else');
  assert.throws(() => keyText(path), /--source-key .*minisign\.pub: .*not a public key/);
  assert.throws(() => keyText('nowhere.pub'), /cannot be read \(ENOENT\); expected a public key of minisign/);
});
