// What holds for every source: a record that cannot be used is a reject which says why, and costs no other.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openFeed } from '../../src/importers/feed/open-feed.ts';
import { readItem } from '../../src/importers/mirror/item.ts';
import { convertFile } from '../../src/importers/osv/convert.ts';
import { type PackedSourceEntry, packDraft, packEntry } from '../../src/importers/packed-draft.ts';
import { FEED_RECORD, type FieldProblem, type Schema } from '../../src/importers/record/feed-schema.ts';
import type { SourceEntry } from '../../src/importers/source.ts';
import { SOURCE_KINDS } from '../../src/importers/source-kinds.ts';
import { readVulnerability } from '../../src/importers/wordfence/vulnerability.ts';
import { type FeedJson, feedRecord } from '../support/feeds/advisories.ts';
import { listingItem } from '../support/feeds/listing-item.ts';
import { osvRecord } from '../support/feeds/osv.ts';
import { wordfenceId, wordfenceRecord } from '../support/feeds/wordfence-feed.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Source {
  readonly record: object;
  /** Paths of its members such as `affected[0].fixed_in`. */
  readonly required: readonly string[];
  /** What is wrong with the only product of a record, which is given as JSON. */
  readonly problemsOf: (text: string) => Promise<readonly FieldProblem[]>;
}

const folder = temporaryFolder({ after });
const PLACE = { file: 'a', entry: 'b' };

function problemsOfEntry(packed: PackedSourceEntry): readonly FieldProblem[] {
  assert.ok(packed.kind !== 'skipped');
  return packed.kind === 'packed' ? packed.draft.problems : packed.reject.problems;
}

/** The paths of all required members. */
function requiredIn({ properties = {}, required = [], items }: Schema, path = ''): readonly string[] {
  if (items !== undefined) return requiredIn(items, `${path}[0]`);
  return Object.entries(properties).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [...(required.includes(name) ? [at] : []), ...requiredIn(inner, at)];
  });
}

const SPAN = 'software[0].affected_versions["[*, 1.5]"]';
const PERSON: FeedJson = { name: 'Ada', url: '' };
/** By the name of its kind. */
const SOURCES: { readonly [kind: string]: Source } = {
  wordfence: {
    record: { ...wordfenceRecord(1), updated: undefined }, // which would stand in for `published`
    required: [
      ...['title', 'published', 'software'],
      ...['type', 'slug', 'affected_versions'].map((name) => `software[0].${name}`),
      ...['from_version', 'to_version'].map((name) => `${SPAN}.${name}`),
    ],
    problemsOf: async (text) => {
      const [said] = readVulnerability(wordfenceId(1), JSON.parse(text));
      assert.ok(said.kind !== 'skipped');
      return said.kind === 'reject'
        ? said.problems
        : packDraft({ place: PLACE, sourceId: 'a', record: said.record }).problems;
    },
  },
  osv: {
    record: osvRecord(),
    required: [
      ...['id', 'modified'],
      ...['ecosystem', 'name'].map((name) => `affected[0].package.${name}`),
      'affected[0].ranges[0].type',
    ],
    problemsOf: async (text) => problemsOfEntry(packEntry(convertFile(PLACE, Buffer.from(text))[0])),
  },
  mirror: {
    record: listingItem(),
    required: [
      ...['id', 'title', 'disclosed_at', 'created_at', 'url', 'vuln_type'],
      ...['id', 'slug', 'name'].map((name) => `product.${name}`),
      'version_info.affected',
    ],
    problemsOf: async (text) => {
      const read = readItem(JSON.parse(text), 'plugin');
      return read.kind === 'reject'
        ? read.problems
        : packDraft({ place: PLACE, sourceId: 'a', record: read.record }).problems;
    },
  },
  feed: {
    record: feedRecord(1, {
      epss: { score: 0.5, percentile: 0.5 },
      sources: [{ name: 'One' }],
      ...{ credit: { ...PERSON }, submitter: { ...PERSON } }, // a clone shares what its original shares
    }),
    required: requiredIn(FEED_RECORD),
    problemsOf: async (text) => {
      const path = join(folder, 'feed.ndjson');
      writeFileSync(path, `${text}\n`);
      for await (const [entry] of openFeed(path).read(() => {})) return problemsOfEntry(entry);
      assert.fail('no entry');
    },
  },
};

interface Members {
  [name: string]: unknown;
}

/** A copy of the record with another value of one member, which JSON leaves out if it is undefined. */
function changed(record: object, path: string, value: unknown): object {
  const copy = structuredClone(record) as Members;
  const names = [...path.matchAll(/(?<=\[").*(?="\])|\w+/g)].map(([name]) => name);
  const last = names.pop() ?? '';
  let holder = copy;
  for (const name of names) holder = holder[name] as Members; // JSON; the record has all that its table names
  assert.ok(last in holder, path);
  holder[last] = value;
  return copy;
}

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

for (const { name: kind } of SOURCE_KINDS) {
  const { record, required, problemsOf } = SOURCES[kind];

  test(`a record of ${kind} without a member that it must have is a reject that names the member`, async () => {
    assert.deepEqual(await problemsOf(JSON.stringify(record)), []);
    for (const path of required) {
      const problems = await problemsOf(JSON.stringify(changed(record, path, undefined)));
      assert.deepEqual(problems, [{ field: path, message: 'is required' }]);
    }
  });

  test(`a record of ${kind} that is nested deeper than the stack is a reject`, async () => {
    for (const path of required) {
      const text = JSON.stringify(changed(record, path, 'DEEP')).replace('"DEEP"', DEEP);
      assert.notDeepEqual(await problemsOf(text), [], path);
    }
  });
}

test('a record with an unknown member that is nested deeper than the stack is a reject', () => {
  const record = { ...feedRecord(1), more: JSON.parse(DEEP) };
  const entry = { kind: 'draft', draft: { place: PLACE, sourceId: 'a', record }, warnings: [] };
  assert.deepEqual(problemsOfEntry(packEntry(entry as unknown as SourceEntry)), [
    { field: 'record', message: 'is nested too deeply' },
  ]);
});
