import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertFile } from '../../../src/importers/osv/convert.ts';
import { withDefaults } from '../../../src/importers/record/defaults.ts';
import type { FieldProblem } from '../../../src/importers/record/feed-schema.ts';
import { checkRecord } from '../../../src/importers/record/record.ts';
import type { DraftRecord, SourceEntry } from '../../../src/importers/source.ts';
import { npmEntry, type OsvAffectedJson, osvRecord } from '../../support/feeds/osv.ts';

const PLACE = { file: 'all.zip', entry: 'a.json' };

function entriesOf(record: unknown): readonly SourceEntry[] {
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  return convertFile(PLACE, Buffer.from(text));
}

/** The only draft of a record; it must pass the general check once it has numbers. */
function draftOf(record: unknown): DraftRecord {
  const drafts = entriesOf(record).flatMap((entry) => (entry.kind === 'draft' ? [entry.draft] : []));
  assert.equal(drafts.length, 1, JSON.stringify(entriesOf(record)));
  const problems: FieldProblem[] = [];
  const [{ record: draft, place }] = drafts;
  checkRecord(
    {
      ...withDefaults(draft),
      id: 1,
      created_at: '2026-01-01T00:00:00Z',
      product: { ...draft.product, id: 1 },
    },
    problems,
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(place, PLACE);
  return draft;
}

/** Each entry in a line: a product with its spans, a reason, or problems. */
function texts(entries: readonly SourceEntry[]): string[] {
  return entries.map((entry) => {
    if (entry.kind === 'skipped') return `skipped: ${entry.reason}`;
    if (entry.kind === 'reject') {
      return `reject: ${entry.reject.problems.map(({ field, message }) => `${field}: ${message}`).join('; ')}`;
    }
    const { product, affected = [] } = entry.draft.record;
    const spans = affected.map(({ from_version, to_version }) => `${from_version ?? ''}-${to_version ?? ''}`);
    return [`${product.type} ${product.slug} ${spans.join(' ')}`, ...entry.warnings].join('; ');
  });
}

test('a draft of an OSV record has every fact of the record', () => {
  const record = osvRecord({
    aliases: ['CVE-2026-1234', 'SNYK-JS-1'],
    details: '### Impact\n\nObjects can be **polluted**.\n\n### Patches\n\n1.2.3',
    withdrawn: '2026-03-02T00:00:00+02:00',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' }],
    references: [{ type: 'FIX', url: 'https://a.example/1' }],
    credits: [{ name: 'Ada', type: 'FINDER', contact: ['https://ada.example'] }],
    database_specific: { severity: 'MODERATE', cwe_ids: ['CWE-1321'], github_reviewed: true },
    unknown_member: 1,
  });
  assert.deepEqual(draftOf(record), {
    title: 'Prototype pollution in tidy-tree',
    description: 'Objects can be polluted.',
    details: '### Impact\n\nObjects can be **polluted**.\n\n### Patches\n\n1.2.3',
    disclosed_at: '2026-02-01T10:00:00Z',
    modified_at: '2026-03-01T10:00:00.123456789Z',
    withdrawn_at: '2026-03-02T00:00:00+02:00',
    source_id: 'GHSA-2222-3333-4444',
    sources: [
      {
        name: 'GitHub Advisory Database',
        license: 'CC-BY-4.0',
        license_url: 'https://creativecommons.org/licenses/by/4.0/',
      },
    ],
    url: 'https://github.com/advisories/GHSA-2222-3333-4444',
    vuln_type: "Improperly Controlled Modification of Object Prototype Attributes ('Prototype Pollution')",
    cves: ['CVE-2026-1234'],
    ghsa: 'GHSA-2222-3333-4444',
    aliases: ['SNYK-JS-1'],
    severity: 'MODERATE',
    patch_priority: 2,
    product: { type: 'npm', slug: 'tidy-tree', name: 'tidy-tree' },
    cvss: { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' },
    cwe: {
      id: 1321,
      name: "Improperly Controlled Modification of Object Prototype Attributes ('Prototype Pollution')",
    },
    references: [{ url: 'https://a.example/1', title: 'Fix' }],
    affected: [{ from_version: null, to_version: '1.2.3', to_bound: 'exclusive', fixed_in: '1.2.3' }],
    affected_versions: [],
    credit: { name: 'Ada', url: 'https://ada.example' },
    submitter: null,
  });
});

test('an OSV record needs no more than an id, a time and a package; what it does not say is left out', () => {
  const { title, description, disclosed_at, vuln_type, cvss, cwe, severity, patch_priority, url } = draftOf({
    id: 'X-1',
    modified: '2026-03-01T10:00:00Z',
    published: null,
    affected: [npmEntry('a', [{ introduced: '0' }])],
  });
  assert.deepEqual(
    { title, description, disclosed_at, vuln_type, cvss, cwe, severity, patch_priority, url },
    {
      title: undefined,
      description: '',
      disclosed_at: undefined,
      vuln_type: undefined,
      cvss: { score: null, vector: null },
      cwe: null,
      severity: '',
      patch_priority: undefined,
      url: 'https://osv.dev/vulnerability/X-1',
    },
  );
  assert.equal(draftOf(osvRecord({ summary: '', details: '## What\nText' })).title, 'What');
});

test('a draft of a malicious package is malware of high priority, however the record says so', () => {
  const entry = npmEntry('a', [{ introduced: '0' }]);
  const malware = [
    osvRecord({ id: 'MAL-2025-1', aliases: [] }),
    osvRecord({ aliases: ['MAL-2025-1'] }),
    osvRecord({ database_specific: { cwe_ids: ['CWE-912', 'CWE-506'] } }),
    osvRecord({ affected: [{ ...entry, database_specific: { cwes: [{ cweId: 'CWE-506' }] } }] }),
    osvRecord({ database_specific: { 'malicious-packages-origins': [] } }),
  ].map(draftOf);
  assert.deepEqual(
    malware.map(({ kind, vuln_type, patch_priority, cwe }) => [kind, vuln_type, patch_priority, cwe?.id]),
    [undefined, undefined, 506, 506, undefined].map((id) => ['malware', 'Malicious Package', 3, id]),
  );
  assert.equal(draftOf(osvRecord()).kind, undefined);
});

test('a draft takes the severity and the rating of the package before those of the record', () => {
  const low = 'CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:L';
  const own: OsvAffectedJson = {
    ...npmEntry('a', [{ introduced: '0' }]),
    severity: [{ type: 'CVSS_V3', score: low }],
    database_specific: { severity: 'LOW' },
  };
  const { severity, cvss } = draftOf(
    osvRecord({
      affected: [own],
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      database_specific: { severity: 'CRITICAL' },
    }),
  );
  assert.deepEqual([severity, cvss?.vector], ['LOW', low]);
});

test('a draft keeps a warning for each thing that could not be read', () => {
  const [entry] = entriesOf(
    osvRecord({
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }],
      references: [{ type: 'WEB' }],
      affected: [
        npmEntry('a', [{ introduced: '1.0.0' }, { fixed: '1.1.0' }]),
        npmEntry('a', [{ introduced: '2.0.0' }, { fixed: 'banana' }]),
      ],
    }),
  );
  assert.ok(entry.kind === 'draft');
  assert.deepEqual(entry.draft.record.cvss, { score: null, vector: null });
  assert.equal(entry.draft.record.affected?.length, 2);
  assert.deepEqual(entry.warnings, [
    'affected[1].ranges[0].events[1].fixed: "banana" is not a semver version; the span has no end',
    'severity[0].score: "CVSS:3.1/AV:N" is not a complete CVSS_V3 vector; left out',
    'references[0].url: must be a URL (got null); left out',
  ]);
});

test('an OSV record has one entry for each product, and other ecosystems are counted', () => {
  const affected: OsvAffectedJson[] = [
    npmEntry('jquery', [{ introduced: '3.0.0-rc.1' }, { fixed: '3.0.0' }]),
    { package: { ecosystem: 'Acme', name: 'jQuery' }, versions: ['3.0.0-rc.1'] },
    { package: { ecosystem: 'Brand New', name: 'org.webjars.npm:jquery' } },
    npmEntry('jQuery', [{ introduced: '0' }]),
    npmEntry('jquery', [{ introduced: '0' }, { last_affected: '1.4.0' }], 'ECOSYSTEM'),
    { package: { ecosystem: 'Acme', name: 'jQuery' }, versions: ['2.0.0'] },
    { package: { ecosystem: 'WordPress', name: 'plugin/Jquery-Tide' }, versions: ['1.0'] },
    { package: { ecosystem: 'WordPress', name: 'jquery-tide' }, versions: ['1.0'] },
  ];
  const entries = entriesOf(osvRecord({ affected }));
  assert.deepEqual(texts(entries).slice(0, 5), [
    'npm jquery -1.4.0 3.0.0-rc.1-3.0.0',
    'npm jQuery -',
    'plugin jquery-tide ',
    'skipped: ecosystem Acme',
    'skipped: ecosystem Brand New',
  ]);
  assert.match(
    texts(entries)[5],
    /^reject: affected\[7\]\.package\.name: does not name one WordPress product/,
  );
  assert.equal(entries.length, 6);
});

test('an OSV record without a version to affect is one entry that says why', () => {
  const only = (affected: unknown): string[] => texts(entriesOf(osvRecord({ affected })));
  assert.deepEqual(only([]), ['skipped: no package']);
  assert.deepEqual(only(null), ['skipped: no package']);
  assert.deepEqual(only([{ ranges: [{ type: 'GIT', events: [{ introduced: '0' }] }] }]), [
    'skipped: no package',
  ]);
  assert.deepEqual(only([npmEntry('a', [{ introduced: '0' }], 'GIT')]), ['skipped: only ranges of commits']);
  assert.deepEqual(only([npmEntry('a', [])]), ['reject: affected[0].ranges[0].events: is empty']);
  assert.deepEqual(only([npmEntry('a', [{ introduced: 'latest' }])]), [
    'npm a -; affected[0].ranges[0].events[0].introduced: "latest" is not a semver version; the span begins below every version',
  ]);
  assert.deepEqual(only([{ package: { ecosystem: 'npm', name: 'a' } }]), [
    'reject: affected[0]: has neither ranges nor versions',
  ]);
});

test('an OSV record with members of the wrong shape is one reject that names each of them', () => {
  const cases: readonly (readonly [changes: Readonly<Record<string, unknown>>, ...problems: string[]])[] = [
    [{ id: undefined }, 'id: is required'],
    [{ id: 'X-\ud800' }, 'id: contains half of a surrogate pair, which UTF-8 cannot encode'],
    [{ id: '' }, 'id: is empty'],
    [{ id: 7 }, 'id: must be a string (got 7)'],
    [{ modified: undefined }, 'modified: is required'],
    [{ modified: 5 }, 'modified: must be a string (got 5)'],
    [
      { published: '2026-02-30T00:00:00Z', withdrawn: 'yesterday' },
      'published: must be an RFC 3339 date-time such as 2026-04-21T08:38:34Z (got "2026-02-30T00:00:00Z")',
      'withdrawn: must be an RFC 3339 date-time such as 2026-04-21T08:38:34Z (got "yesterday")',
    ],
    [
      { summary: [], details: {} },
      'summary: must be a string (got [])',
      'details: must be a string (got {})',
    ],
    [{ aliases: 'CVE-1' }, 'aliases: must be a list (got "CVE-1")'],
    [{ aliases: [1] }, 'aliases[0]: must be a string (got 1)'],
    [{ affected: {} }, 'affected: must be a list (got {})'],
    [{ affected: ['ws'] }, 'affected[0]: must be an object (got "ws")'],
    [{ affected: [{ package: 'ws' }] }, 'affected[0].package: must be an object (got "ws")'],
    [{ affected: [{ package: { name: 'ws' } }] }, 'affected[0].package.ecosystem: is required'],
    [
      { affected: [{ package: { ecosystem: 'npm', name: 'ws' }, ranges: [{ introduced: '0' }] }] },
      'affected[0].ranges[0].type: is required',
    ],
    [
      { affected: [{ package: { ecosystem: 'npm', name: 'ws' }, ranges: 1, versions: 2 }] },
      'affected[0].ranges: must be a list (got 1)',
      'affected[0].versions: must be a list (got 2)',
    ],
    [{ database_specific: [] }, 'database_specific: must be an object (got [])'],
  ];
  for (const [changes, ...problems] of cases) {
    const found = texts(entriesOf(osvRecord(changes)));
    assert.deepEqual(
      found.map((text) => text.split('; ')[0]),
      [`reject: ${problems[0]}`],
    );
    assert.deepEqual(found, [`reject: ${problems.join('; ')}`]);
  }
  assert.match(
    texts(entriesOf(osvRecord({ id: 'x'.repeat(300) })))[0],
    /^reject: id: must be at most 256 characters/,
  );
});

test('a file that is not a record is one reject with its content', () => {
  const cases: readonly (readonly [text: string, problem: RegExp])[] = [
    ['', /^reject: file: is not valid JSON \(.+\)$/],
    ['<html>\n\u001b[2J', /^reject: file: is not valid JSON \(\P{Cc}+\)$/u],
    ['{"id": "a"', /^reject: file: is not valid JSON/],
    ['[]', /^reject: record: must be a JSON object \(got \[\]\)$/],
    ['null', /^reject: record: must be a JSON object \(got null\)$/],
    ['"a"', /^reject: record: must be a JSON object/],
    ['{"id":"a","id":"b"}', /^reject: record: has an object with the same name twice$/],
    ['{}', /^reject: id: is required; modified: is required$/],
  ];
  for (const [text, problem] of cases) {
    const entries = entriesOf(text);
    assert.match(texts(entries)[0], problem);
    assert.ok(entries[0].kind === 'reject' && Buffer.from(entries[0].reject.bytes).toString() === text);
  }
  const entries = convertFile(PLACE, Buffer.from([0x7b, 0xff, 0x7d]));
  assert.deepEqual(texts(entries), ['reject: file: is not valid UTF-8']);
  const marked = `\ufeff${JSON.stringify(osvRecord())}`;
  assert.equal(draftOf(marked).source_id, osvRecord().id, 'a byte order mark');
});

test('the entries of an OSV record stay few and short, whatever the record holds', () => {
  const many = Array.from({ length: 5001 }, (_, at) => npmEntry(`p${at}`, [{ introduced: '0' }]));
  assert.equal(entriesOf(osvRecord({ affected: many.slice(1) })).length, 5000);
  assert.deepEqual(texts(entriesOf(osvRecord({ affected: many }))), [
    'reject: affected: names 5001 packages; the limit is 5000',
  ]);
  const events = [{ introduced: '0' }, ...Array.from({ length: 100 }, () => ({ fixed: 'banana' }))];
  const bad = [npmEntry('a', events), npmEntry('a', [{ introduced: '0' }])];
  const [draft] = entriesOf(osvRecord({ affected: bad }));
  assert.ok(draft.kind === 'draft');
  assert.equal(draft.warnings.length, 51);
  assert.equal(draft.warnings[50], 'record: has 50 more problems, which are not listed');
});

test('ids are written in one form, whatever the case in which the record has them', () => {
  const { source_id, ghsa, cves, aliases } = draftOf(
    osvRecord({ id: 'ghsa-2222-3333-4ABC', aliases: ['cve-2026-1234', 'Mal-2026-1', 'SNYK-js-1'] }),
  );
  assert.deepEqual(
    [source_id, ghsa, cves],
    ['GHSA-2222-3333-4abc', 'GHSA-2222-3333-4abc', ['CVE-2026-1234']],
  );
  assert.deepEqual(aliases, ['MAL-2026-1', 'SNYK-js-1']);
});

test('a malware report comes with the ids that it was made of, and with every version that it lists', () => {
  const origins = [{ id: 'GHSA-2222-3333-4444', source: 'ghsa-malware' }, { source: 'amazon-inspector' }, 7];
  const [entry] = entriesOf(
    osvRecord({
      id: 'MAL-2026-1',
      affected: [{ ...npmEntry('tidy-tree', [{ introduced: '0' }]), versions: ['1.2.0', '1.1.0'] }],
      database_specific: { 'malicious-packages-origins': origins },
    }),
  );
  assert.ok(entry.kind === 'draft');
  assert.deepEqual(entry.draft.report, {
    origins: ['GHSA-2222-3333-4444', '', ''],
    listed: ['1.1.0', '1.2.0'],
  });
  assert.deepEqual(entry.draft.record.affected_versions, []);
});

test('a record with a package in two ecosystems gives a draft for each, in the order of each', () => {
  const affected = (ecosystem: string, name: string, introduced: string, fixed: string): object => ({
    package: { ecosystem, name },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced }, { fixed }] }],
  });
  const entries = entriesOf({
    id: 'GHSA-aaaa-bbbb-cccc',
    modified: '2026-01-01T00:00:00Z',
    affected: [affected('PyPI', 'Left.Pad', '0', '1.0rc1'), affected('RubyGems', 'left-pad', '0', '1.0.pre')],
  });
  const drafts = entries.map((entry) => (entry.kind === 'draft' ? entry.draft.record : undefined));
  assert.deepEqual(
    drafts.map((draft) => [draft?.product, draft?.affected?.[0].fixed_in]),
    [
      [{ type: 'pypi', slug: 'left-pad', name: 'Left.Pad' }, '1.0rc1'],
      [{ type: 'gem', slug: 'left-pad', name: 'left-pad' }, '1.0.pre'],
    ],
  );
});

test('a bound that is not a version of the scheme is named, and the rest of the record is kept', () => {
  const [entry] = entriesOf({
    id: 'PYSEC-2026-1',
    modified: '2026-01-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'PyPI', name: 'a' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: 'no version' }] }],
        versions: ['1.0', '1.1'],
      },
    ],
  });
  assert.ok(entry.kind === 'draft');
  const open = { from_version: null, to_version: null, to_bound: null, fixed_in: null };
  assert.deepEqual([entry.draft.record.affected, entry.draft.record.affected_versions], [[open], []]);
  assert.match(
    entry.warnings.join(),
    /affected\[0\]\.ranges\[0\]\.events\[1\]\.fixed: .+ is not a pep440 version/,
  );
});

test('a time of publication before 1980 was never set: it counts as unknown, with a warning', () => {
  const record = osvRecord({ published: '0001-01-01T00:00:00Z' });
  assert.equal(draftOf(record).disclosed_at, undefined);
  assert.match(texts(entriesOf(record))[0], /published: "0001-01-01T00:00:00Z" is before 1980/);
  assert.equal(
    draftOf(osvRecord({ published: '1980-01-01T00:00:00Z' })).disclosed_at,
    '1980-01-01T00:00:00Z',
  );
});
