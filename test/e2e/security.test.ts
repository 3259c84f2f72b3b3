// The claims of SECURITY.md that no other test covers. Each row of what the addon's parser lets through is
// sent over a raw socket to both transports and, if HAProxy is installed, through the recommended proxy to
// the addon; a row without a case fails, and so does a case without a row. What only a whole process can show
// is in test/soak/claims.soak.ts, and the addon's limit on arrival, which cannot be made shorter, in
// test/soak/idle.soak.ts.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { feedRecord } from '../support/feeds/advisories.ts';
import { Haproxy, hasHaproxy } from '../support/process/haproxy.ts';
import { freePort } from '../support/process/ports.ts';
import { keyRecord, PARTNER_KEY, startServer } from '../support/serving/server.ts';
import { assertSilence, IDLE_OR_DRIPPING, sendRaw } from '../support/serving/silence.ts';
import { skipAddon, TRANSPORTS } from '../support/serving/transports.ts';
import { type Outcome, WIRE_CASES, WITHIN_LIMITS } from '../support/serving/wire-cases.ts';
import { until } from '../support/until.ts';
import { NODE_OUTCOMES } from './wire-cases-node.ts';

const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
const needsAddon = { skip: skipAddon };
const records = [feedRecord(1)];
const overNode = await startServer({ after }, { records, transport: 'node' });
const overAddon =
  skipAddon === false ? await startServer({ after }, { records, transport: 'uws' }) : overNode;
const cases = Object.entries(WIRE_CASES).flatMap(([row, all]) => all.map((each) => ({ row, ...each })));

const AT_A_TIME = 16;
/** Node's http asks for its limit; the addon's, of 10 s, is waited for in test/soak/idle.soak.ts. */
const ARRIVAL_MS = 1_000;
/** Gets a 404, with which no case ends. */
const MARKER = `GET /marker HTTP/1.1\r\nHost: x\r\nPSKey: ${PARTNER_KEY}\r\n\r\n`;

function statusesIn(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => match[1]);
}

/**
 * What came back by the time that a further request was answered, if the connection is expected to stay open.
 */
async function outcomeOf(port: number, sent: string, expected: Outcome): Promise<Outcome> {
  const socket = await sendRaw(port, sent);
  const [statuses, end] = expected.split(' ');
  const got = (): readonly string[] => statusesIn(socket.received);
  await until(
    `${expected} for ${sent}`,
    () => socket.isClosed || (end === 'open' && got().join() === statuses),
  );
  if (!socket.isClosed) {
    socket.send(MARKER);
    await until(`the reply to a request behind ${sent}`, () => socket.isClosed || got().at(-1) === '404');
  }
  const outcome: Outcome = socket.isClosed ? `${got().join()} closed` : `${got().slice(0, -1).join()} open`;
  socket.hangUp();
  return outcome;
}

interface Sent {
  readonly row: string;
  readonly sent: string;
  readonly expected: Outcome;
}

async function assertOutcomes(port: number, all: readonly Sent[]): Promise<void> {
  const different: string[] = [];
  const rest = [...all];
  const work = async (): Promise<void> => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      const got = await outcomeOf(port, next.sent, next.expected);
      if (got !== next.expected)
        different.push(`${next.row}: ${got} instead of ${next.expected}\n${next.sent}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  assert.deepEqual(different, []);
}

/** Rows in bold that Node reads correctly: it takes trailers for trailers. */
const UNDERSTOOD: ReadonlySet<string> = new Set(['trailers']);

/** Rows in bold are dangerous behind a proxy that places the boundary elsewhere. */
function boldRows(): readonly string[] {
  const bold = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('**'));
  const dangerous = bold.map((line) => line.split(' | ')[0].slice(2));
  assert.ok(dangerous.length > 8);
  return dangerous;
}

test('each row of the table has cases, and each case has a row', () => {
  const table = page.slice(page.indexOf('| sent |'));
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  assert.ok(rows.length > 30);
  assert.deepEqual(
    rows.map((row) => row.split(' | ')[0].slice(2)),
    Object.keys(WIRE_CASES),
  );
});

test("the addon's parser treats each message as the table says", needsAddon, async () => {
  const answered = cases.filter(({ got }) => got !== 'silent');
  assert.ok(answered.length > 50);
  await assertOutcomes(
    overAddon.port,
    answered.map(({ row, sent, got }) => ({ row, sent, expected: got })),
  );
  for (const sent of WITHIN_LIMITS)
    assert.equal(await outcomeOf(overAddon.port, sent, '200,200 open'), '200,200 open');
});

test("over Node's http, idle or dripping connections are closed after the time limit, without an answer", async (t) => {
  const limits = { arrivalTimeoutMs: ARRIVAL_MS };
  const { port } = await startServer(t, { records, transport: 'node', limits });
  await assertSilence(port, IDLE_OR_DRIPPING, ARRIVAL_MS);
});

test("Node's parser treats each message as listed, and refuses those that are dangerous behind a proxy", async () => {
  const sent = Object.entries(WIRE_CASES).flatMap(([row, all]) => {
    const outcomes = NODE_OUTCOMES[row];
    assert.ok(outcomes === undefined || outcomes.length === all.length, row);
    return all.map(({ sent, got }, i) => ({ row, sent, expected: outcomes?.[i] ?? got }));
  });
  assert.deepEqual(
    Object.keys(NODE_OUTCOMES).filter((row) => !(row in WIRE_CASES)),
    [],
  );
  for (const { row, expected } of sent) assert.notEqual(expected, 'silent', row);
  await assertOutcomes(overNode.port, sent);
  for (const sent of WITHIN_LIMITS)
    assert.equal(await outcomeOf(overNode.port, sent, '200,200 open'), '200,200 open');
  const dangerous = boldRows();
  const strict = sent.filter(({ row }) => dangerous.includes(row) && !UNDERSTOOD.has(row));
  // HTTP/1.1 allows a list of codings that ends in chunked, and Node reads it as chunked.
  const isCodingList = (text: string): boolean => text.includes('gzip, chunked');
  for (const { row, sent: text, expected } of strict)
    if (!isCodingList(text)) assert.equal(expected, '400 closed', row);
});

const needsHaproxy = { skip: hasHaproxy() ? skipAddon : 'haproxy is not installed' };

test(
  'the recommended proxy rejects or repairs what the parser reads differently',
  needsHaproxy,
  async (t) => {
    const haproxy = await Haproxy.start(t, [overAddon.port, await freePort()]);
    const dangerous = boldRows();
    const proxied = cases.flatMap(({ row, sent, proxied: expected }) =>
      expected === undefined ? [] : [{ row, sent, expected }],
    );
    for (const { row, expected } of proxied) {
      if (dangerous.includes(row)) assert.match(expected, /^4\d\d(,200)? /, row);
    }
    // Another release may answer harmless messages differently, but not dangerous ones.
    const isKnown = spawnSync('haproxy', ['-v'], { encoding: 'utf8' }).stdout.includes('version 2.6.');
    await assertOutcomes(
      haproxy.port,
      proxied.filter(({ row }) => isKnown || dangerous.includes(row)),
    );
  },
);

test('the page names tests for its claims, and each exists', () => {
  const section = page.slice(page.indexOf('## Claims and their tests'));
  const paths = [...section.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map((match) => match[1]);
  assert.ok(paths.length > 10);
  for (const path of paths) assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)), path);
});

test('a 403 names the tier of the key that was sent, and no other tier or key', async (t) => {
  const own = await startServer(t, {
    records: [feedRecord(1)],
    keys: [keyRecord('narrow-key', 'standard'), keyRecord('other-key', 'secret-tier')],
    tiers: { 'secret-tier': { endpoints: ['all'], rate: null } },
  });
  const { status, text } = await own.request('/all', { headers: { PSKey: 'narrow-key' } });
  assert.equal(status, 403);
  assert.match(text, /standard/);
  assert.doesNotMatch(text, /secret-tier|partner|extended|narrow-key|other-key/);
});

for (const { kind, skip } of TRANSPORTS)
  test(`over ${kind}, a connection beyond the cap is closed at once, and those within it keep working`, {
    skip,
  }, async (t) => {
    const { port } = await startServer(t, {
      records: [feedRecord(1)],
      transport: kind,
      limits: { maxConnections: 2 },
    });
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const within = [await sendRaw(port, request), await sendRaw(port, request)];
    for (const socket of within) await until('the reply', () => statusesIn(socket.received).length === 1);
    const beyond = await sendRaw(port, request);
    await until('the one beyond to be closed', () => beyond.isClosed);
    assert.equal(beyond.received, '');
    within[0].send(request);
    await until('the next reply', () => statusesIn(within[0].received).length === 2);
    for (const socket of within) socket.hangUp();
  });
