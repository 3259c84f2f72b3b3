import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedSource } from '../../../src/importers/record/feed-schema.ts';
import { MemberReader } from '../../../src/importers/record/json.ts';
import { readCopyrights } from '../../../src/importers/wordfence/copyrights.ts';

function read(copyrights: unknown): { sources: readonly FeedSource[]; warnings: readonly string[] } {
  const warnings: string[] = [];
  const reader = new MemberReader((field, message) => warnings.push(`${field} ${message}`));
  return { sources: readCopyrights(copyrights, reader), warnings };
}

test('copyright notices name their holder, and the message names its publisher', () => {
  const notice = { notice: 'Copyright', license: 'Copy it.', license_url: 'https://terms.example' };
  const copyrights = {
    message: 'Subject to copyright.',
    defiant: notice,
    mitre: notice,
    other: { notice: 'N' },
  };
  assert.deepEqual(read(copyrights), {
    sources: [
      { name: 'Wordfence Intelligence', notice: 'Subject to copyright.' },
      { name: 'Defiant', ...notice },
      { name: 'MITRE', ...notice },
      { name: 'other', notice: 'N' },
    ],
    warnings: [],
  });
});

test('copyright notices may be missing', () => {
  assert.deepEqual(read(undefined), { sources: [], warnings: [] });
  assert.deepEqual(read(null), { sources: [], warnings: [] });
  assert.deepEqual(read({ defiant: { notice: null } }).sources, [{ name: 'Defiant' }]);
});

test('copyright notices of the wrong shape are left out with a warning', () => {
  assert.deepEqual(read('Copyright').warnings, ['copyrights must be an object (got "Copyright")']);
  const { sources, warnings } = read({ mitre: 'Copyright', defiant: { notice: 7, license: 'L' } });
  assert.deepEqual(sources, [{ name: 'Defiant', license: 'L' }]);
  assert.deepEqual(warnings, [
    'copyrights.mitre must be an object (got "Copyright")',
    'copyrights.defiant.notice must be a string (got 7)',
  ]);
});
