// The limits on arrival as they are, of 10 s, over both transports: the addon's cannot be made shorter. Over
// Node's http the same is shown with short limits in test/e2e/security.test.ts and test/e2e/pauses.test.ts.

import { after, test } from 'node:test';
import { feedRecord } from '../support/feeds/advisories.ts';
import { figure } from '../support/figure.ts';
import { startServer } from '../support/serving/server.ts';
import { assertSilence, IDLE_OR_DRIPPING } from '../support/serving/silence.ts';
import { sendMeanwhile, standStill } from '../support/serving/stand-still.ts';
import { TRANSPORTS } from '../support/serving/transports.ts';
import { WIRE_CASES } from '../support/serving/wire-cases.ts';

const LIMIT_MS = 10_000;
const LATEST_MS = 16_000; // after 10 to 12 s
const PAUSE_MS = 13_000;

const scenes = await Promise.all(
  TRANSPORTS.filter(({ skip }) => skip === false).map(async ({ kind }) => ({
    kind,
    server: await startServer({ after }, { records: [feedRecord(1)], transport: kind }),
  })),
);

test('connections on which nothing complete arrives are closed after 10 to 12 s, without an answer', async (t) => {
  const silent = Object.entries(WIRE_CASES).flatMap(([row, all]) =>
    all.filter(({ got }) => got === 'silent').map(({ sent }) => ({ row, sent })),
  );
  const times = scenes.map(({ kind, server }) =>
    assertSilence(server.port, [...IDLE_OR_DRIPPING, ...(kind === 'uws' ? silent : [])], LIMIT_MS),
  );
  const lastMs = Math.max(...(await Promise.all(times)));
  const name = 'idle: the last connection closed';
  figure(t, { source: 'idle', name, value: lastMs, unit: 'ms', ceiling: LATEST_MS });
});

test('requests, heads and bodies that arrive while the process stands still are answered', async (t) => {
  const checks = await Promise.all(scenes.map(({ server }) => sendMeanwhile(t, server, LIMIT_MS)));
  await standStill(PAUSE_MS);
  for (const assertAnswers of checks) await assertAnswers();
});
