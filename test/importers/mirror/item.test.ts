import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReadItem, readItem } from '../../../src/importers/mirror/item.ts';
import type { FeedJson } from '../../support/feeds/advisories.ts';
import { listingItem as item } from '../../support/feeds/listing-item.ts';

function draftOf(read: ReadItem): Extract<ReadItem, { readonly kind: 'draft' }> {
  assert.ok(read.kind === 'draft', JSON.stringify(read));
  return read;
}

function problemsOf(changes: FeedJson): string[] {
  const read = readItem(item(changes), 'plugin');
  assert.ok(read.kind === 'reject');
  return read.problems.map(({ field, message }) => `${field}: ${message}`);
}

test('an item of a listing becomes a record with the numbers of the server', () => {
  const { record, warnings } = draftOf(readItem(item(), 'theme'));
  assert.deepEqual(warnings, []);
  assert.deepEqual(record, {
    id: 17,
    title: 'Gallery <= 1.5 - XSS',
    disclosed_at: '2026-01-02T03:04:05+00:00',
    created_at: '2026-01-03T03:04:05+00:00',
    url: 'https://advisories.example/17',
    vuln_type: 'XSS',
    details: 'Details.',
    cves: ['CVE-2026-1'],
    is_exploited: false,
    patch_priority: 2,
    product: { id: 7, type: 'theme', slug: 'gallery', name: 'Gallery' },
    cvss: { score: 6.4, vector: null },
    cwe: { id: 79, name: null },
    capec: { id: null, name: null },
    references: [{ url: 'https://a.example' }, { url: 'no url' }],
    affected: [{ from_version: null, to_version: '1.5', to_bound: 'inclusive', fixed_in: '1.6' }],
  });
});

test('an item of a listing has its title without the prefix of its platform, unless that comes twice', () => {
  const version_info = { affected: '<= 1.5.0', patched_ranges: [], fixed: '' };
  const titles = ['NPM: a', 'NPM: NPM: a', 'a'].map(
    (title) => draftOf(readItem(item({ title, version_info }), 'npm')).record.title,
  );
  assert.deepEqual(titles, ['a', 'NPM: NPM: a', 'a']);
});

test('an item of a listing keeps good parts of its versions, with a warning for each bad one', () => {
  const version_info = { affected: '<= 1.5 || >= 3 < 2', patched_ranges: [], fixed: '' };
  const { record, warnings } = draftOf(readItem(item({ version_info }), 'plugin'));
  assert.equal(record.affected?.length, 1);
  assert.deepEqual(warnings, [
    'version_info.affected: ">= 3 < 2": the span is empty (from_version 3 is not below the exclusive to_version 2). It was left out.',
  ]);
});

test('an item whose versions fit only one order says which', () => {
  const version_info = { affected: '>= 3.41 < 3.5', patched_ranges: [], fixed: '3.5' };
  const { record, warnings } = draftOf(readItem(item({ version_info }), 'plugin'));
  assert.equal(record.version_scheme, 'decimal');
  assert.deepEqual(warnings, ['its versions were read in the order of the scheme decimal.']);
});

test('an item that is not an advisory is rejected with its reasons', () => {
  const unclear = { affected: 'x.y, 1.*', fixed: '', patched_ranges: [] };
  assert.equal(problemsOf({ version_info: unclear }).length, 2);
  assert.deepEqual(problemsOf({ version_info: null }), ['version_info.affected: is required']);
  assert.deepEqual(problemsOf({ version_info: { affected: '*', fixed: 7, patched_ranges: ['x'] } }), [
    'version_info.fixed: must be a string (got 7)',
    'version_info.patched_ranges: must be a list of ranges with three strings each (got ["x"])',
  ]);
  assert.match(problemsOf({ id: '17' })[0], /^id: must be a whole number/);
  assert.match(problemsOf({ references: 'x' })[0], /^references: must be a list/);
  assert.match(problemsOf({ url: 'x' })[0], /^url: must be an absolute/);
  assert.deepEqual(problemsOf({ title: '\ud800' }), [
    'title: contains half of a surrogate pair, which UTF-8 cannot encode',
  ]);
});
