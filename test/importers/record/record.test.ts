import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import type { FeedRecord } from '../../../src/importers/record/feed-schema.ts';
import { defaultPsid, toAdvisory } from '../../../src/importers/record/record.ts';
import { feedRecord } from '../../support/feeds/advisories.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';
import { words } from '../../support/words.ts';

/** By a parser's eye: the part between the last slashes, and the host. */
function slugOf(url: string): string {
  const [address] = url.split(/[?#]/, 1);
  return (
    address
      .split('/')
      .slice(3)
      .findLast((part) => part !== '') ?? new URL(url).host
  );
}

test('a slug is the last part of the path, or the host; a title that is not there is the host', (t) => {
  const dice = new Dice(printedSeed(t));
  const parts = ['a', 'B', '/', '/', '?', '#', '%2F', '.', '-', ':8'];
  const hosts = words('a.example A.Example a.example:443 user@b-c.example 127.1 xn--mnchen-3ya.example');
  let withPath = 0;
  for (let count = volume(20_000); count > 0; count--) {
    const tail = Array.from({ length: dice.whole(0, 7) }, () => dice.pick(parts)).join('');
    const url = `${dice.pick(['https', 'http'])}://${dice.pick(hosts)}${dice.pick(['/', '?', '#'])}${tail}`;
    const record = feedRecord(1, { url, references: [{ url }] }) as unknown as FeedRecord; // a sound one
    const { urlSlug, references } = toAdvisory(record, '000000000000');
    assert.equal(urlSlug, slugOf(url), url);
    assert.deepEqual(references, [{ url, title: new URL(url).host }]);
    if (urlSlug !== new URL(url).host) withPath++;
  }
  assert.ok(withPath > 100);
});

test('a default PSID is the beginning of SHA-256', () => {
  for (const id of [1, 1001, 2 ** 53 - 1]) {
    const digest = createHash('sha256').update(`psid:${id}`).digest('hex');
    assert.equal(defaultPsid(id), digest.slice(0, 12));
  }
});
