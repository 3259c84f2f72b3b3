import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import type { FeedRecord, FieldProblem } from '../../../src/importers/record/feed-schema.ts';
import { checkRecord, defaultPsid, toAdvisory } from '../../../src/importers/record/record.ts';
import { type FeedJson, feedRecord } from '../../support/feeds/advisories.ts';
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

test('`ecosystem_specific` is an object of limited size, kept as JSON without blanks', () => {
  const problemsOf = (ecosystem_specific: FeedJson[string]): readonly FieldProblem[] => {
    const problems: FieldProblem[] = [];
    checkRecord(feedRecord(1, { ecosystem_specific }), problems);
    return problems;
  };
  const kept = (ecosystem_specific: FeedJson[string]): string => {
    const record = feedRecord(1, { ecosystem_specific }) as unknown as FeedRecord; // a sound one
    return toAdvisory(record, '000000000000').ecosystemSpecific;
  };
  const text = '{"z":[1.5,null],"a":{"é":"\\n"}}';
  assert.deepEqual(problemsOf(JSON.parse(text)), []);
  assert.equal(kept(JSON.parse(text)), text);
  assert.equal(kept({}), '');
  assert.deepEqual(problemsOf([1]), [
    { field: 'ecosystem_specific', message: 'must be an object (got [1])' },
  ]);
  const ofBytes = (bytes: number): FeedJson => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
  assert.deepEqual(problemsOf(ofBytes(256 << 10)), []);
  assert.deepEqual(problemsOf(ofBytes((256 << 10) + 1)), [
    { field: 'ecosystem_specific', message: 'is longer than 262144 bytes' },
  ]);
  const ofLevels = (levels: number): FeedJson => (levels === 1 ? {} : { deep: [ofLevels(levels - 2)] });
  assert.deepEqual(problemsOf(ofLevels(99)), []);
  const message = 'is nested more than 100 levels deep';
  assert.deepEqual(problemsOf(ofLevels(101)), [{ field: 'ecosystem_specific', message }]);
  let deep: FeedJson = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  assert.deepEqual(problemsOf(deep), [{ field: 'ecosystem_specific', message }]);
});
