import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireFewRejects } from '../../../src/cli/sources/reject-limit.ts';
import type { RejectsFile } from '../../../src/cli/sources/rejects-file.ts';

const rejects = { publish: (path: string) => path } as RejectsFile;

test('a small source of which all is rejected does not hide behind a large one', () => {
  const counts = [
    { name: 'osv', read: 10_000, rejected: 3 },
    { name: 'wordfence', read: 17, rejected: 17 },
  ];
  assert.throws(() => requireFewRejects(counts, 1, rejects, 'stopped'), {
    message:
      /^wordfence: 17 entries of 17 read were rejected \(100\.0 %\), and --max-reject allows 1 % of a source; /,
  });
  requireFewRejects(counts.slice(0, 1), 1, rejects, 'stopped');
  assert.throws(() => requireFewRejects(counts, 0.01, rejects, 'stopped'), {
    message: /^osv: .+; wordfence: /,
  });
});
