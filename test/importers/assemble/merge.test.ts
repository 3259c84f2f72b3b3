import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Member, mergeRecords } from '../../../src/importers/assemble/merge.ts';
import { type MalwareRule, parsePreference } from '../../../src/importers/assemble/preference.ts';
import type { DraftRecord } from '../../../src/importers/source.ts';
import { type DraftChanges, draftOf } from '../../support/feeds/drafts.ts';
import { preferenceInOrder } from '../../support/feeds/preference.ts';
import { words } from '../../support/words.ts';

const NAMES = ['osv', 'wordfence', 'feed'];

function member(source: number, sourceId: string, changes: DraftChanges = {}): Member {
  return { source, record: draftOf(sourceId, changes).record };
}

function merged(members: readonly [Member, ...Member[]], rules: readonly string[] = []) {
  return mergeRecords(members, parsePreference(rules, NAMES), NAMES);
}

function span(to: string) {
  return { from_version: null, to_version: to, to_bound: 'exclusive', fixed_in: to } as const;
}

function fieldsOf({ sources = [] }: DraftRecord): Record<string, readonly string[] | undefined> {
  return Object.fromEntries(sources.map(({ name, fields }) => [name, fields]));
}

test('a record alone stays as it is', () => {
  const alone = member(1, 'A', { sources: [{ name: 'x', fields: ['title'] }] });
  assert.equal(mergeRecords([alone], preferenceInOrder(2), NAMES).record, alone.record);
});

test('a field comes from the first source with a value: empty texts and objects of nulls are none, false is one', () => {
  const { record } = merged([
    member(0, 'A', { description: '', cvss: { score: null, vector: null }, cwe: null, is_exploited: false }),
    member(1, 'B', {
      description: 'b',
      cvss: { score: 5 },
      cwe: { id: 79 },
      is_exploited: true,
      severity: 'low',
    }),
  ]);
  assert.equal(record.title, 'About A');
  assert.equal(record.description, 'b');
  assert.deepEqual(record.cvss, { score: 5 });
  assert.deepEqual(record.cwe, { id: 79 });
  assert.equal(record.is_exploited, false);
  assert.equal(record.severity, 'low');
  assert.ok(!('owasp' in record));
});

test('a field comes whole from one source: a score is not combined with the vector of another source', () => {
  const { record } = merged([
    member(0, 'A', { cvss: { score: 5 } }),
    member(1, 'B', { cvss: { vector: 'v' } }),
  ]);
  assert.deepEqual(record.cvss, { score: 5 });
});

test('a field may have an order of preference of its own', () => {
  const both = [
    member(0, 'A', { cvss: { score: 1 }, severity: 'high' }),
    member(1, 'B', { cvss: { score: 2 }, severity: 'low' }),
  ] as const;
  const { record } = merged(both, ['cvss=wordfence']);
  assert.deepEqual([record.cvss, record.severity, record.title], [{ score: 2 }, 'high', 'About A']);
});

test('a stand-in is no value: that of an earlier import, or a slug as the name of its product', () => {
  const { record } = merged([
    member(0, 'A', { vuln_type: 'Unspecified', product: { name: 'left' } }),
    member(1, 'B', { vuln_type: 'SQL Injection', product: { name: 'Left Pad' } }),
  ]);
  assert.deepEqual([record.vuln_type, record.product.name], ['SQL Injection', 'Left Pad']);
});

test('a required text that is empty everywhere stays empty', () => {
  assert.equal(merged([member(0, 'A', { title: '' }), member(1, 'B', { title: '' })]).record.title, '');
});

test('the affected versions come from one source, whole', () => {
  const both = [
    member(0, 'A', { affected: [span('1.0.0')] }),
    member(1, 'B', { affected: [span('2.0.0')], affected_versions: ['3.0.0'], version_scheme: 'semver' }),
  ] as const;
  const { record } = merged(both);
  assert.deepEqual([record.affected, record.affected_versions], [[span('1.0.0')], undefined]);
  assert.equal(record.version_scheme, undefined);
  const other = merged(both, ['affected=wordfence']).record;
  assert.deepEqual([other.affected, other.affected_versions], [[span('2.0.0')], ['3.0.0']]);
  assert.equal(other.version_scheme, 'semver');
  assert.equal(other.title, 'About A');
});

test('the affected versions of records of one source add up, each span once', () => {
  const { record, warnings } = merged([
    member(0, 'GHSA-1', { affected: [span('1.0.0')], affected_versions: ['3.0.0'] }),
    member(0, 'MAL-1', { affected: [span('1.0.0'), span('2.0.0')], affected_versions: ['4.0.0', '3.0.0'] }),
    member(1, 'B', { affected: [span('9.0.0')] }),
  ]);
  assert.deepEqual(record.affected, [span('1.0.0'), span('2.0.0')]);
  assert.deepEqual(record.affected_versions, ['3.0.0', '4.0.0']);
  assert.deepEqual(warnings, []);
});

test('a record of another database with the same versions adds no spans, as they may only be written otherwise', () => {
  const { record } = merged([
    member(0, 'GHSA-1', { affected: [span('1.0.0')] }),
    member(0, 'PYSEC-1', { affected: [span('1.0')], affected_versions: ['0.9'] }),
    member(0, 'MAL-1', { affected: [span('2.0.0')] }),
  ]);
  assert.deepEqual(record.affected, [span('1.0.0'), span('2.0.0')]);
  assert.equal(record.affected_versions, undefined);
  assert.deepEqual(record.aliases, ['PYSEC-1', 'MAL-1']);
});

test('affected versions of a record with another version scheme are left out, with a warning that names it', () => {
  const { record, warnings } = merged([
    member(0, 'GHSA-1', { affected: [span('1.0')], version_scheme: 'php' }),
    member(0, 'MAL-1', { affected: [span('2.0')] }),
  ]);
  assert.deepEqual(record.affected, [span('1.0')]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /MAL-1 was left out, as GHSA-1 orders versions by another scheme/);
});

const WITHDRAWN = { withdrawn_at: '2026-03-01T00:00:00Z' };

test('an advisory is withdrawn only if every record of it is, by the date of the preferred source', () => {
  const later = { withdrawn_at: '2026-04-01T00:00:00Z' };
  const [live, gone, other] = [member(0, 'A'), member(1, 'B', WITHDRAWN), member(0, 'A', later)];
  assert.equal(merged([live, gone]).record.withdrawn_at, undefined);
  assert.equal(merged([live, gone], ['withdrawn_at=wordfence']).record.withdrawn_at, undefined);
  assert.equal(merged([other, gone]).record.withdrawn_at, later.withdrawn_at);
  const preferred = merged([other, gone], ['withdrawn_at=wordfence']).record;
  assert.equal(preferred.withdrawn_at, WITHDRAWN.withdrawn_at);
});

test('a withdrawn record of the preferred source does not hide a live one: it only adds ids and what the live one leaves open', () => {
  const { record } = merged([
    member(0, 'A', { ...WITHDRAWN, title: 'Duplicate', severity: 'high', affected: [span('1.0.0')] }),
    member(1, 'B', { title: 'Real', affected: [span('2.0.0')] }),
  ]);
  assert.deepEqual([record.title, record.affected, record.severity], ['Real', [span('2.0.0')], 'high']);
  assert.deepEqual([record.source_id, record.aliases], ['B', ['A']]);
});

test('a withdrawn malware report leaves its advisory as it is', () => {
  const { record, outlived } = merged([
    member(0, 'GHSA-1', { affected: [span('1.0.0')] }),
    member(0, 'MAL-1', { ...WITHDRAWN, affected: [span('9.0.0')] }),
  ]);
  assert.deepEqual([record.withdrawn_at, record.affected], [undefined, [span('1.0.0')]]);
  assert.equal(outlived, undefined);
});

/** A live malware report beside the withdrawn advisory that it is about. */
function outlivedReport(origins: readonly string[], listed: readonly string[] = ['1.0.0', '2.0.0']) {
  const report = { ...member(0, 'MAL-1', { affected: [span('9.0.0')] }), report: { origins, listed } };
  return [member(0, 'GHSA-1', WITHDRAWN), report] as const;
}

test('a malware report of which every origin is the withdrawn advisory is withdrawn with it', () => {
  const { record, outlived } = merged(outlivedReport(['ghsa-1', 'GHSA-1']));
  assert.deepEqual([record.withdrawn_at, outlived], [WITHDRAWN.withdrawn_at, 'withdrawn']);
});

test('a malware report with another origin, or none, outlives its advisory, limited to the versions that it lists', () => {
  for (const origins of [['GHSA-1', ''], ['GHSA-1', 'GHSA-2'], []]) {
    const { record, outlived } = merged(outlivedReport(origins));
    assert.deepEqual([record.withdrawn_at, outlived], [undefined, 'limited']);
    assert.deepEqual([record.affected, record.affected_versions], [undefined, ['1.0.0', '2.0.0']]);
  }
});

test('a malware report that lists no versions keeps its spans', () => {
  assert.deepEqual(merged(outlivedReport([], [])).record.affected, [span('9.0.0')]);
});

test('the rule for malware reports can be one thing for all of them', () => {
  const mergedBy = (rule: MalwareRule, origins: readonly string[]) =>
    mergeRecords(outlivedReport(origins), parsePreference([], NAMES, rule), NAMES);
  const { record, outlived } = mergedBy('stays', ['GHSA-1']);
  assert.deepEqual([record.affected, record.withdrawn_at, outlived], [[span('9.0.0')], undefined, undefined]);
  assert.equal(mergedBy('falls', []).record.withdrawn_at, WITHDRAWN.withdrawn_at);
});

test('ids of other records become aliases, each once whatever its case', () => {
  const { record } = merged([
    member(0, 'GHSA-1', { ghsa: 'GHSA-1', cves: ['CVE-2026-1'], aliases: ['X-1'] }),
    member(0, 'MAL-1', { aliases: ['ghsa-1'] }),
    member(1, 'wf-1', { ghsa: 'GHSA-2', cves: ['2026-1', 'CVE-2026-2'], aliases: ['x-1', 'X-2'] }),
  ]);
  assert.equal(record.source_id, 'GHSA-1');
  assert.equal(record.ghsa, 'GHSA-1');
  assert.deepEqual(record.cves, ['CVE-2026-1', 'CVE-2026-2']);
  assert.deepEqual(record.aliases, ['X-1', 'MAL-1', 'X-2', 'wf-1', 'GHSA-2']);
});

test('references are united by their URL', () => {
  const { record } = merged([
    member(0, 'A', { references: [{ url: 'https://a.example', title: 'A' }] }),
    member(1, 'B', { references: [{ url: 'https://a.example' }, { url: 'https://b.example' }] }),
  ]);
  assert.deepEqual(record.references, [
    { url: 'https://a.example', title: 'A' },
    { url: 'https://b.example' },
  ]);
});

test('each source is listed with the fields that it won', () => {
  const { record } = merged([
    member(0, 'A', { sources: [{ name: 'GitHub', license: 'CC-BY-4.0' }], cves: ['1'], aliases: ['X'] }),
    member(1, 'B', { sources: [{ name: 'Defiant' }], cves: ['1', '2'], severity: 'low', cvss: { score: 5 } }),
  ]);
  assert.deepEqual(record.sources?.[0].license, 'CC-BY-4.0');
  assert.deepEqual(fieldsOf(record), {
    GitHub: words('affected aliases cves description disclosed_at product source_id title url vuln_type'),
    Defiant: ['aliases', 'cves', 'cvss', 'severity'],
  });
});

test('a source that does not name itself is listed under its name in the run, and equal ones once', () => {
  const { record } = merged([
    member(0, 'A', { sources: [{ name: 'GitHub' }] }),
    member(1, 'B', { sources: [{ name: 'GitHub' }], severity: 'low' }),
    member(2, 'C', { owasp: 'A1' }),
  ]);
  assert.deepEqual(Object.keys(fieldsOf(record)), ['GitHub', 'feed']);
  assert.ok(fieldsOf(record).GitHub?.includes('severity'));
  assert.deepEqual(fieldsOf(record).feed, ['aliases', 'owasp']);
});

test('records of ten thousands of spans are merged, each span once', () => {
  const spans = (first: number) => Array.from({ length: 20_000 }, (_, i) => span(`${first + i}.0`));
  const { record } = merged([
    member(0, 'GHSA-1', { affected: spans(0) }),
    member(0, 'MAL-1', { affected: spans(10_000) }),
  ]);
  assert.deepEqual(record.affected, [...spans(0), ...spans(20_000).slice(0, 10_000)]);
});
