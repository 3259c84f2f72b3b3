import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchPriority } from '../../../src/importers/record/patch-priority.ts';

test("the priority of a fix follows the source's word in any case, whatever the score", () => {
  const words = ['CRITICAL', 'high', 'Important', 'moderate', 'Medium', 'low', 'none'];
  const priorities = words.map((severity) => patchPriority({ severity, score: 5 }));
  assert.deepEqual(priorities, [3, 3, 3, 2, 2, 1, 1]);
});

test('the priority of a fix follows the score if there is no known word, and is open if nothing is known', () => {
  const scores = [10, 7, 6.9, 4, 3.9, 0, null];
  for (const severity of ['', 'unreviewed', 'toString']) {
    assert.deepEqual(
      scores.map((score) => patchPriority({ severity, score })),
      [3, 3, 2, 2, 1, 1, undefined],
    );
  }
});

test('the priority of a fix is high for malware', () => {
  assert.equal(patchPriority({ kind: 'malware', severity: 'low', score: 1 }), 3);
  assert.equal(patchPriority({ kind: 'vulnerability', severity: 'low', score: 9 }), 1);
});
