// The way of the access log into ClickHouse: what Vector passes on and what the table holds is what a record
// has, and the queries of the page ask for columns that there are.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { accessRecord } from '../../src/http/access-log.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const about = {
  id: 'mine-1',
  label: 'exists',
  keyId: 'k_1',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
};
/** With every member that one may have. */
const record = accessRecord({ method: 'GET', about, status: 200, tookMs: 1 }, 7, false);
const COLUMNS = ['time', 'replica', ...Object.keys(record)].sort();

const sql = read('deploy/clickhouse.sql');
const table = sql.slice(sql.indexOf('(\n'), sql.indexOf('\n)\n'));
const lines = table.split('\n').map((line) => line.trim());
const stored = lines.flatMap((line) => /^([a-z]\w*) +(?!.*MATERIALIZED)[A-Z]/.exec(line)?.[1] ?? []);
const derived = lines.flatMap((line) => /^(\w+) +\w+ MATERIALIZED/.exec(line)?.[1] ?? []);

interface Pipeline {
  readonly sources: object;
  readonly transforms: { readonly requests: { readonly source: string; readonly inputs: readonly string[] } };
  readonly sinks: {
    readonly clickhouse: {
      readonly inputs: readonly string[];
      readonly database: string;
      readonly table: string;
      readonly skip_unknown_fields: boolean;
    };
  };
}

const { sources, transforms, sinks } = load(read('deploy/vector.yaml')) as Pipeline;

test('the table has a column for each member of a record, and no other', () => {
  assert.deepEqual([...stored].sort(), COLUMNS);
  assert.deepEqual(derived, ['traceId']);
});

test('Vector passes on each member under its own name, into that table', () => {
  const { source, inputs } = transforms.requests;
  const passed = [...source.matchAll(/^ *"(\w+)": (?:line\.)?(\w+),?$/gm)];
  assert.deepEqual(passed.map(([, column]) => column).sort(), COLUMNS);
  for (const [, column, member] of passed) assert.equal(column, member);
  assert.match(source, /if line\.msg != "request" \{ abort \}/);
  assert.deepEqual([inputs, sinks.clickhouse.inputs], [Object.keys(sources), ['requests']]);
  const { database, table: name, skip_unknown_fields: skips } = sinks.clickhouse;
  assert.ok(sql.includes(`CREATE TABLE IF NOT EXISTS ${database}.${name}\n`));
  assert.equal(skips, false);
});

test('the queries of the page ask for columns that there are', () => {
  const page = read('docs/access-log.md');
  const queries = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, query]) => query);
  assert.equal(queries.length, 4);
  const known = new Set([...stored, ...derived]);
  for (const query of queries) {
    const named = new Set([...query.matchAll(/\bAS (\w+)/g)].map(([, name]) => name));
    const words = query.replace(/'[^']*'/g, '').match(/\b(?<![.\w])[a-z]\w*(?![\w(.])/g) ?? [];
    const unknown = words.filter((word) => !known.has(word) && !named.has(word));
    assert.deepEqual(unknown, [], query);
  }
});

test("what a trace is known by is the second part of the column's value", () => {
  const [, from, length] = /substring\(ifNull\(traceparent, ''\), (\d+), (\d+)\)/.exec(sql) ?? [];
  assert.equal(about.traceparent.slice(Number(from) - 1, Number(from) - 1 + Number(length)), '1'.repeat(32));
});
