// Every endpoint answers as it did when test/fixtures/pinned/recorded-answers.tsv was written, byte for byte. An answer
// that is meant to change is recorded anew by `npm run pin`, and the difference is part of the commit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecorded, recordAnswers } from '../support/recorded.ts';

const SHOWN = 5; // of the differences, in a failure

test('2,000 recorded requests over all endpoints are answered in the recorded bytes', async (t) => {
  const recorded = readRecorded();
  const answers = await recordAnswers(t);
  assert.ok(recorded.size >= 2_000, `${recorded.size} requests`);
  assert.deepEqual(
    [...answers.keys()],
    [...recorded.keys()],
    'the requests themselves changed: `npm run pin`',
  );
  const different = [...answers].filter(([request, answer]) => recorded.get(request) !== answer);
  const shown = different
    .slice(0, SHOWN)
    .map(([request, answer]) => `${request.slice(0, 200)}: ${answer}, recorded ${recorded.get(request)}`);
  assert.deepEqual(shown, [], `${different.length} answers differ`);
});
