import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertFile } from '../../../src/importers/osv/convert.ts';
import { specificOf } from '../../../src/importers/osv/ecosystem-specific.ts';
import { readOsvRecord } from '../../../src/importers/osv/osv-record.ts';
import type { FieldProblem } from '../../../src/importers/record/feed-schema.ts';
import { osvRecord } from '../../support/feeds/osv.ts';

const NAME = 'example.com/m';
const imports = (...paths: readonly string[]): object => ({ imports: paths.map((path) => ({ path })) });

/** Of a record with an entry about one module for each value. */
function read(...values: readonly unknown[]): {
  readonly json: string | undefined;
  problems: FieldProblem[];
} {
  const problems: FieldProblem[] = [];
  const affected = values.map((ecosystem_specific) => ({
    package: { ecosystem: 'Go', name: NAME },
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
    ecosystem_specific,
  }));
  const record = readOsvRecord(osvRecord({ affected }), problems);
  assert.ok(record !== undefined);
  return { json: JSON.stringify(specificOf(record.affected, problems)), problems };
}

test('what one entry says is kept as it is, members in their order', () => {
  const text = '{"z":1.5,"imports":[{"symbols":["B.C","a"],"path":"p","goos":["windows"]}],"a":{"0":[]}}';
  assert.equal(read(JSON.parse(text)).json, text);
  assert.equal(read(undefined).json, undefined);
  assert.equal(read(null).json, undefined);
});

test('of several entries lists are added up, and of another member the first counts', () => {
  const a = { ...imports('a', 'b'), note: 'first' };
  const b = { ...imports('b', 'c'), note: 'second', custom_ranges: [1] };
  assert.equal(
    read(a, b).json,
    JSON.stringify({ ...imports('a', 'b', 'c'), note: 'first', custom_ranges: [1] }),
  );
});

test('packages limit nothing when one entry is about the whole module', () => {
  const rest = { custom_ranges: [1] };
  for (const whole of [undefined, {}, { imports: [] }]) {
    assert.equal(read({ ...imports('a'), ...rest }, whole).json, JSON.stringify(rest));
    assert.equal(read(whole, { ...imports('a'), ...rest }).json, JSON.stringify(rest));
  }
});

test('what is not an object, or too long, is left out with a problem that names it', () => {
  assert.deepEqual(read('text').problems, [
    { field: 'affected[0].ecosystem_specific', message: 'is not an object' },
  ]);
  const long = read({ imports: [{ path: 'p'.repeat(256 << 10) }] });
  assert.equal(long.json, undefined);
  assert.deepEqual(long.problems, [
    {
      field: 'affected[0].ecosystem_specific',
      message: 'is longer than 262144 bytes, so it is left out',
    },
  ]);
});

test('it is kept for Go and for no other ecosystem', () => {
  const specific = imports('a');
  const affected = ['Go', 'npm'].map((ecosystem) => ({
    package: { ecosystem, name: NAME },
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
    ecosystem_specific: specific,
  }));
  const place = { file: 'all.zip', entry: 'a.json' };
  const kept = convertFile(place, Buffer.from(JSON.stringify(osvRecord({ affected })))).map((entry) =>
    entry.kind === 'draft' ? [entry.draft.record.product.type, entry.draft.record.ecosystem_specific] : entry,
  );
  assert.deepEqual(kept, [
    ['golang', specific],
    ['npm', undefined],
  ]);
});
