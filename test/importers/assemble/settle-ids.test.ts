import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DraftFacts } from '../../../src/importers/assemble/draft-facts.ts';
import { DraftStore } from '../../../src/importers/assemble/draft-store.ts';
import { settleIds, withSettledIds } from '../../../src/importers/assemble/settle-ids.ts';
import { type DraftChanges, draftOf, soundDraft } from '../../support/feeds/drafts.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';

interface Sourced {
  readonly source: number;
  readonly sourceId: string;
  readonly changes: DraftChanges;
}

function from(source: number, sourceId: string, changes: DraftChanges = {}): Sourced {
  return { source, sourceId, changes };
}

/** The ids of each contested record: its CVE ids, a stroke, its aliases. */
function settled(t: FolderOwner, all: readonly Sourced[]): Record<string, string> {
  const store = new DraftStore(temporaryFolder(t));
  t.after(() => store.close());
  for (const { source, sourceId, changes } of all) store.add(source, soundDraft(draftOf(sourceId, changes)));
  const drafts = [...all.keys()];
  const facts = new DraftFacts((draft) => store.recordAt(draft));
  return Object.fromEntries(
    Array.from(settleIds(store, drafts, facts), ([draft, ids]) => {
      const { cves = [], aliases = [] } = withSettledIds(store.recordAt(draft), ids, store);
      return [store.sourceIdText(draft), [...cves, '|', ...aliases].join(' ')];
    }),
  );
}

function span(to: string) {
  return { from_version: null, to_version: to, to_bound: 'exclusive', fixed_in: to } as const;
}

const WITHDRAWN = { withdrawn_at: '2026-03-01T00:00:00Z' };
const CVES = ['CVE-2021-23337', 'CVE-2026-4800'];

/** Two vulnerabilities as osv.dev publishes them: each record has every id of both. */
function closedPair(first: DraftChanges = {}, second: DraftChanges = {}): Sourced[] {
  return [
    from(0, 'GHSA-A', {
      ...{ cves: CVES, aliases: ['GHSA-B'], affected: [span('4.17.21')] },
      ...{ disclosed_at: '2021-05-06T16:05:51Z', ...first },
    }),
    from(0, 'GHSA-B', {
      ...{ cves: CVES, aliases: ['GHSA-A'], affected: [span('4.18.0')] },
      ...{ disclosed_at: '2026-04-01T23:51:12Z', ...second },
    }),
  ];
}

const EACH_ITS_OWN = { 'GHSA-A': 'CVE-2021-23337 |', 'GHSA-B': 'CVE-2026-4800 |' };
const UNDECIDED = `| ${CVES.join(' ')}`;
/** Published in the same year, so that dates say nothing. */
const SAME_YEAR = { disclosed_at: '2024-01-01T00:00:00Z' };

test('records that do not name another GHSA id keep their ids', (t) => {
  assert.deepEqual(settled(t, [from(0, 'GHSA-A', { cves: CVES, aliases: ['MAL-1', 'X-1'] })]), {});
});

test('a CVE is that of the record of which another source has the GHSA id and the CVE', (t) => {
  const other = from(1, 'F', { ghsa: 'GHSA-B', cves: ['CVE-2021-23337'] });
  assert.deepEqual(settled(t, [...closedPair(), other]), {
    'GHSA-A': '| CVE-2026-4800',
    'GHSA-B': 'CVE-2021-23337 | CVE-2026-4800',
  });
});

test('a CVE that another source has under a third GHSA id is that of neither', (t) => {
  const other = from(1, 'F', { ghsa: 'GHSA-C', cves: ['CVE-2026-4800'] });
  assert.deepEqual(settled(t, [...closedPair(), other]), { 'GHSA-A': 'CVE-2021-23337 |', 'GHSA-B': '|' });
});

test('a CVE is that of the record with the ends and fixes that another source has for it', (t) => {
  const inclusive = { ...span('4.17.23'), to_bound: 'inclusive', fixed_in: '4.18.0' } as const;
  const others = [
    from(1, 'F', { cves: [CVES[0]], affected: [span('4.17.21')] }),
    from(1, 'G', { cves: [CVES[1]], affected: [inclusive] }),
  ];
  assert.deepEqual(settled(t, [...closedPair(SAME_YEAR, SAME_YEAR), ...others]), EACH_ITS_OWN);
});

test('without another source a CVE is that of the record published nearest to its year', (t) => {
  assert.deepEqual(settled(t, closedPair()), EACH_ITS_OWN);
});

test('what neither spans nor dates settle is an alias of both, never the CVE of one', (t) => {
  assert.deepEqual(settled(t, closedPair(SAME_YEAR, SAME_YEAR)), {
    'GHSA-A': UNDECIDED,
    'GHSA-B': UNDECIDED,
  });
});

test('a record whose counterpart is not there keeps the CVE of its year, and the other one as an alias', (t) => {
  assert.deepEqual(settled(t, closedPair().slice(0, 1)), {
    'GHSA-A': 'CVE-2021-23337 | GHSA-B CVE-2026-4800',
  });
});

test('the CVE of a record whose counterpart is only in another source is not taken by date', (t) => {
  const other = from(1, 'F', { ghsa: 'GHSA-A', cves: ['CVE-2021-23337'] });
  assert.deepEqual(settled(t, [...closedPair().slice(0, 1), other]), {
    'GHSA-A': 'CVE-2021-23337 | GHSA-B CVE-2026-4800',
  });
});

test('a live record keeps every id beside withdrawn duplicates, which have them as aliases', (t) => {
  const pair = closedPair({}, WITHDRAWN);
  assert.deepEqual(settled(t, pair), { 'GHSA-B': `| GHSA-A ${CVES.join(' ')}` });
});

test('duplicates that are all withdrawn are settled like live ones', (t) => {
  assert.deepEqual(settled(t, closedPair(WITHDRAWN, WITHDRAWN)), {
    'GHSA-A': 'CVE-2021-23337 | GHSA-B CVE-2026-4800',
    'GHSA-B': 'CVE-2026-4800 | GHSA-A CVE-2021-23337',
  });
});
