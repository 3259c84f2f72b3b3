// Every endpoint gives the same bytes, over each transport, as when test/fixtures/pinned/recorded-answers.tsv
// was written. That says what the program did, not what is right: known-lookups.test.ts is the contract. If a
// response is meant to change, record it again with `npm run pin` and commit the difference.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecorded, recordAnswers } from '../support/answers/recorded.ts';

const SHOWN = 5; // of the differences, in a failure

test('2,000 recorded requests to all endpoints get the recorded bytes', async (t) => {
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
