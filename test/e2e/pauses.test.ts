// A process that stands still for longer than the limit on arrival. Node's http asks for that limit, so it is
// short here; the addon's, of 10 s, is in test/soak/idle.soak.ts.

import { after, test } from 'node:test';
import { feedRecord } from '../support/feeds/advisories.ts';
import { startServer } from '../support/serving/server.ts';
import { sendMeanwhile, standStill } from '../support/serving/stand-still.ts';

const LIMIT_MS = 2_000;
const PAUSE_MS = LIMIT_MS * 1.3;

const server = await startServer(
  { after },
  { records: [feedRecord(1)], transport: 'node', limits: { arrivalTimeoutMs: LIMIT_MS } },
);

test('requests, heads and bodies that arrive while the process stands still are answered', async (t) => {
  const assertAnswers = await sendMeanwhile(t, server, LIMIT_MS);
  await standStill(PAUSE_MS);
  await assertAnswers();
});
