// Checks docs/feed-format.md against the schema: a member that is added, renamed or retyped fails here.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { FeedImporter } from '../../../src/importers/feed/feed.ts';
import { FEED_RECORD, type Schema } from '../../../src/importers/record/feed-schema.ts';
import { formatProblem } from '../../../src/importers/source.ts';
import { temporaryFolder } from '../../support/folder.ts';

interface Member {
  readonly type: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

interface Row {
  readonly type: string;
  readonly required: string;
  readonly default: string;
  readonly meaning: string;
}

const page = readFileSync(new URL('../../../docs/feed-format.md', import.meta.url), 'utf8');
const rows = rowsOf(page);
const members = membersOf(FEED_RECORD);
const folder = temporaryFolder({ after });

/** The rows of every table whose first column is called "member", by that member. */
function rowsOf(text: string): Map<string, Row> {
  const found = new Map<string, Row>();
  let isMembers = false;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      isMembers = false;
      continue;
    }
    const [first, type, required, given, meaning] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (first === 'member') isMembers = true;
    const name = /^`(.+)`$/.exec(first)?.[1];
    if (!isMembers || name === undefined) continue;
    assert.ok(!found.has(name), `${name} has two rows`);
    found.set(name, { type, required, default: given, meaning });
  }
  return found;
}

/** Every member of the schema by its path, such as `affected[].to_bound`. */
function membersOf(schema: Schema, prefix = ''): Map<string, Member> {
  const found = new Map<string, Member>();
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const path = `${prefix}${name}`;
    found.set(path, {
      type: typeOf(inner),
      isRequired: schema.required?.includes(name) === true,
      schema: inner,
    });
    const nested =
      inner.items === undefined ? membersOf(inner, `${path}.`) : membersOf(inner.items, `${path}[].`);
    for (const [key, member] of nested) found.set(key, member);
  }
  return found;
}

function typeOf({ type, format, items, enum: values }: Schema): string {
  if (values !== undefined) {
    const isNullable = values.includes(null);
    const kind = values.every((value) => value === null || typeof value === 'string') ? 'string' : 'integer';
    return isNullable ? `${kind} or null` : kind;
  }
  if (format !== undefined) return format === 'uri' ? 'URL' : format;
  if (items !== undefined) return `list of ${typeOf(items)}s`;
  return [type].flat().join(' or ');
}

test('every member of a feed record has a row, and there are no other rows', () => {
  assert.deepEqual([...rows.keys()].sort(), [...members.keys()].sort());
});

test("each row has the schema's type, says whether the member is required, and gives its default if not", () => {
  for (const [name, { type, isRequired }] of members) {
    const row = rows.get(name);
    assert.equal(row?.type, type, name);
    assert.equal(row.required, isRequired ? 'yes' : 'no', name);
    if (isRequired) assert.equal(row.default, '', name);
    else assert.notEqual(row.default, '', name);
    assert.ok(row.meaning.length > 10, name);
  }
});

test('each row lists every value that the schema allows, and the minimum of a number', () => {
  for (const [name, { schema }] of members) {
    const meaning = rows.get(name)?.meaning ?? '';
    for (const value of schema.enum ?? []) assert.ok(meaning.includes(`\`${value}\``), `${name}: ${value}`);
    if (schema.minimum !== undefined) {
      assert.ok(meaning.includes(`${schema.minimum} or more`), `${name}: ${schema.minimum}`);
    }
  }
});

/** An advisory's value for each optional member; `prose` where the page describes how it is derived. */
const FILLED_IN: Readonly<Record<string, 'prose' | ((advisory: Advisory) => unknown)>> = {
  psid: 'prose',
  description: ({ description }) => description,
  details: ({ details }) => details,
  modified_at: ({ modifiedAt }) => modifiedAt,
  withdrawn_at: ({ withdrawnAt }) => withdrawnAt,
  kind: ({ kind }) => kind,
  source_id: ({ sourceId }) => sourceId,
  sources: ({ sources }) => sources,
  'sources[].notice': 'prose',
  'sources[].license': 'prose',
  'sources[].license_url': 'prose',
  'sources[].fields': 'prose',
  url_slug: 'prose',
  cves: ({ cves }) => cves,
  ghsa: ({ ghsa }) => ghsa,
  aliases: ({ aliases }) => aliases,
  severity: ({ severity }) => severity,
  epss: ({ epss }) => epss,
  kev_date: ({ kevDate }) => kevDate,
  is_exploited: ({ isExploited }) => isExploited,
  patch_priority: ({ patchPriority }) => patchPriority,
  'product.premium_name': ({ product }) => product.premiumName,
  cvss: 'prose',
  'cvss.score': ({ cvss }) => cvss.score,
  'cvss.vector': ({ cvss }) => cvss.vector,
  cwe: 'prose',
  'cwe.id': ({ cwe }) => cwe.id,
  'cwe.name': ({ cwe }) => cwe.name,
  capec: 'prose',
  'capec.id': ({ capec }) => capec.id,
  'capec.name': ({ capec }) => capec.name,
  owasp: ({ owasp }) => owasp,
  references: ({ references }) => references,
  'references[].title': 'prose',
  affected: 'prose',
  affected_versions: ({ affectedVersions }) => affectedVersions,
  version_scheme: 'prose',
  credit: ({ credit }) => credit,
  submitter: ({ submitter }) => submitter,
  ecosystem_specific: 'prose',
};

test('the defaults on the page are those that a record without the member gets', async () => {
  const optional = [...members].filter(([, { isRequired }]) => !isRequired).map(([name]) => name);
  assert.deepEqual(Object.keys(FILLED_IN).sort(), optional.sort());
  const [least] = blocks();
  const advisory = await advisoryOf(least);
  for (const [name, given] of Object.entries(FILLED_IN)) {
    const cell = rows.get(name)?.default ?? '';
    const literal = /^`([^`]+)`$/.exec(cell)?.[1];
    if (given === 'prose') assert.equal(literal, undefined, name);
    else assert.equal(literal, JSON.stringify(given(advisory)), name);
  }
});

test('the examples on the page are valid records: a minimal one, and one with every member', async () => {
  const [least, full] = blocks();
  const required = FEED_RECORD.required ?? [];
  assert.deepEqual(Object.keys(least).sort(), [...required, 'affected'].sort());
  assert.deepEqual(Object.keys(full).sort(), Object.keys(FEED_RECORD.properties ?? {}).sort());
  assert.equal((await advisoryOf(least)).spans.length, 1);
  assert.equal((await advisoryOf(full)).id, 2);
});

function blocks(): object[] {
  const found = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => JSON.parse(text));
  assert.equal(found.length, 2);
  return found;
}

async function advisoryOf(record: object): Promise<Advisory> {
  const path = join(folder, 'record.ndjson');
  writeFileSync(path, JSON.stringify(record));
  for await (const [entry] of new FeedImporter({ strict: true }).read(path)) {
    assert.ok(
      entry.kind === 'advisory',
      entry.kind === 'reject' ? formatProblem(entry.reject).join('\n') : '',
    );
    return entry.advisory;
  }
  return assert.fail('the importer read nothing');
}
