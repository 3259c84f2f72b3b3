import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUnknownMembers, UnknownMembers } from '../../../src/importers/feed/unknown-members.ts';
import { FEED_RECORD } from '../../../src/importers/record/feed-schema.ts';
import { inventedRecords } from '../../support/feeds/invented-feed.ts';

function found(record: object): [field: string, nearest: string | undefined][] {
  return findUnknownMembers(record).map(({ field, nearest }) => [field, nearest]);
}

test('an unknown member is found at any depth, with its path in the record', () => {
  const record = {
    id: 1,
    colour: 'red',
    product: { slug: 'a', vendor: 'b' },
    affected: [{ from_version: null }, { fixedIn: '1', from_version: null }],
    references: [{ url: 'x', name: 'y' }],
    credit: { name: 'Ada', link: 'x' },
    cwe: null,
    cves: ['CVE-1'],
  };
  assert.deepEqual(found(record), [
    ['colour', undefined],
    ['product.vendor', undefined],
    ['affected[1].fixedIn', 'fixed_in'],
    ['references[0].name', undefined],
    ['credit.link', undefined],
  ]);
});

test('an unknown member comes with the nearest known name of the same object, if there is one', () => {
  const near: Readonly<Record<string, string | undefined>> = {
    cve: 'cves', // as close to cwe, but a prefix of cves
    CVES: 'cves',
    cvss3: 'cvss',
    patchPriority: 'patch_priority',
    'disclosed-at': 'disclosed_at',
    desc: 'description',
    reference: 'references',
    affected_version: 'affected_versions',
    isExploited: 'is_exploited',
    remediation: undefined,
    x: undefined,
    [`${'long'.repeat(1000)}`]: undefined,
  };
  for (const [name, nearest] of Object.entries(near)) {
    assert.deepEqual(found({ [name]: 1 }), [[name, nearest]]);
  }
});

test('an unknown member is not found in a valid record or in a value of the wrong type', () => {
  assert.deepEqual(found({ product: 'x', affected: { a: 1 }, references: ['x', null], cvss: [1] }), []);
  for (const record of inventedRecords(200, 1)) assert.deepEqual(found(record), []);
  const complete = Object.fromEntries(Object.keys(FEED_RECORD.properties ?? {}).map((name) => [name, null]));
  assert.deepEqual(found(complete), []);
});

test('an unknown member may be called __proto__', () => {
  assert.deepEqual(found(JSON.parse('{"__proto__": {"id": 1}}')), [['__proto__', undefined]]);
});

test('each unknown member is reported once, with its count, first place and likely meaning', () => {
  const members = new UnknownMembers();
  assert.deepEqual(members.warnings(), []);
  for (let line = 2; line <= 1500; line++) members.note(findUnknownMembers({ cve: 'x' }), 'a.ndjson', line);
  const spans = [{ colour: 1 }, { colour: 2 }, { 'od\n\u001bd': 3 }];
  members.note(findUnknownMembers({ cve: 'x', affected: spans }), 'b.ndjson', 7);
  assert.deepEqual(members.warnings(), [
    'a.ndjson:2: warning: cve: is not a member of the feed format and was ignored in 1,500 records; did you mean cves?',
    'b.ndjson:7: warning: affected[].colour: is not a member of the feed format and was ignored in 1 record',
    'b.ndjson:7: warning: "affected[].od\\n\\u001bd": is not a member of the feed format and was ignored in 1 record',
  ]);
});

test('a feed with ever new names does not fill the memory or the terminal', () => {
  const members = new UnknownMembers();
  for (let line = 1; line <= 1000; line++) {
    members.note(findUnknownMembers({ [`x${line}`]: 1, [`y${line}`]: 1 }), 'a', line);
  }
  const warnings = members.warnings();
  assert.equal(warnings.length, 101);
  assert.equal(warnings.at(-1), 'warning: 1,900 more unknown members were ignored');
});
