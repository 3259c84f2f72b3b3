import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item, ItemAnswer } from '../../../src/console/inventory/answer.ts';
import { askAll, BATCH_ITEMS, type Failure, LANES, type Server } from '../../../src/console/inventory/ask.ts';
import { pluck } from '../../support/pluck.ts';

/** Throws what a test prepared; answers an item by its name. */
class FakeServer implements Server {
  readonly batches: (readonly Item[])[] = [];
  readonly alone: Item[] = [];
  readonly waits: number[] = [];
  readonly failures: Failure[] = [];
  open = 0;
  mostOpen = 0;
  refuses: (items: readonly Item[]) => Failure | undefined = () => undefined;

  batch = async (items: readonly Item[]): Promise<readonly ItemAnswer[]> => {
    this.batches.push(items);
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    await new Promise(setImmediate);
    this.open--;
    const failure = this.failures.shift() ?? this.refuses(items);
    if (failure !== undefined) throw failure;
    return items.map(answerOf);
  };

  product = async (item: Item): Promise<ItemAnswer> => {
    this.alone.push(item);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    return { vulnerabilities: [], update_to: `alone ${item.name}` };
  };

  failureOf = (error: unknown): Failure => error as Failure; // the fake throws nothing else

  wait = async (seconds: number): Promise<void> => {
    this.waits.push(seconds);
  };
}

function answerOf({ name }: Item): ItemAnswer {
  if (name.startsWith('large')) return { error: { code: 'batch_too_large', message: 'too large' } };
  return { vulnerabilities: [], update_to: name };
}

const itemsOf = (...names: string[]): Item[] =>
  names.map((name) => ({ type: 'npm', name, version: '1.0.0' }));
const many = (count: number): Item[] => itemsOf(...Array.from({ length: count }, (_, i) => `p${i}`));

async function ask(items: readonly Item[], server: FakeServer) {
  const answers: ItemAnswer[] = [];
  const waits: (string | undefined)[] = [];
  const stopped = await askAll(items, server, {
    onAnswers: (positions, some) => {
      for (const [i, position] of positions.entries()) answers[position] = some[i];
    },
    onWait: (waiting) => waits.push(waiting?.why),
  });
  return { answers, waits, stopped };
}

test('all are asked in batches, a few at a time, and answered at their positions', async () => {
  const server = new FakeServer();
  const items = many(1_001);
  const { answers, stopped } = await ask(items, server);
  assert.equal(stopped, undefined);
  assert.deepEqual(
    pluck(answers, 'update_to'),
    items.map(({ name }) => name),
  );
  assert.equal(server.batches.length, Math.ceil(1_001 / BATCH_ITEMS));
  assert.ok(server.batches.every(({ length }) => length <= BATCH_ITEMS));
  assert.equal(server.mostOpen, LANES);
});

test('a batch has at most the bytes that the server reads', async () => {
  const server = new FakeServer();
  const long = 'ü'.repeat(128);
  await ask(
    Array.from({ length: 120 }, (_, i) => ({
      type: 'plugin',
      name: `${i}${long}`,
      version: '\u{1f600}'.repeat(64),
    })),
    server,
  );
  for (const batch of server.batches) assert.ok(Buffer.byteLength(JSON.stringify(batch)) <= 64 * 1024);
  assert.equal(server.batches.flat().length, 120);
});

test('when the server says "later", all wait for as long as it says and go on', async () => {
  const server = new FakeServer();
  server.failures.push({ kind: 'later', seconds: 7, why: 'quota' });
  const { answers, waits } = await ask(many(400), server);
  assert.deepEqual(server.waits, [7]);
  assert.deepEqual(waits, ['quota', undefined]);
  assert.equal(answers.filter((answer) => answer.vulnerabilities !== undefined).length, 400);
});

test('without its word, waits grow up to half a minute, and begin anew after an answer', async () => {
  const server = new FakeServer();
  const away: Failure = { kind: 'later', seconds: undefined, why: 'away' };
  server.failures.push(...Array.from({ length: 8 }, () => away));
  await ask(many(1), server);
  assert.deepEqual(server.waits, [1, 2, 4, 8, 15, 30, 30, 30]);
  server.waits.length = 0;
  server.failures.push(away);
  await ask(many(1), server);
  assert.deepEqual(server.waits, [1]);
});

test('what a batch has no room for is asked alone, and may have to wait too', async () => {
  const server = new FakeServer();
  const { answers } = await ask(itemsOf('a', 'large-1', 'b', 'large-2'), server);
  assert.deepEqual(pluck(server.alone, 'name'), ['large-1', 'large-2']);
  assert.deepEqual(pluck(answers, 'update_to'), ['a', 'alone large-1', 'b', 'alone large-2']);
  const second = new FakeServer();
  second.product = async (item) => {
    second.alone.push(item);
    if (second.alone.length === 1) throw { kind: 'later', seconds: 3, why: 'quota' } satisfies Failure;
    throw { kind: 'refused', code: 'invalid_parameter', why: 'no' } satisfies Failure;
  };
  const again = await ask(itemsOf('large-1'), second);
  assert.deepEqual(second.waits, [3]);
  assert.deepEqual(again.answers, [{ error: { code: 'invalid_parameter', message: 'no' } }]);
});

test('a refused batch is split until only the bad item has no answer', async () => {
  const server = new FakeServer();
  server.refuses = (items) =>
    items.some(({ name }) => name === 'p17')
      ? { kind: 'refused', code: 'invalid_batch', why: 'bad' }
      : undefined;
  const { answers } = await ask(many(60), server);
  assert.deepEqual(answers[17], { error: { code: 'invalid_batch', message: 'bad' } });
  assert.equal(answers.filter(({ error }) => error === undefined).length, 59);
  assert.equal(answers.length, 60);
});

test('an answer of another length is not shifted over other packages', async () => {
  const server = new FakeServer();
  server.batch = async (items) => items.slice(1).map(answerOf);
  server.failureOf = (error) => ({ kind: 'refused', code: 'unknown_answer', why: String(error) });
  const { answers } = await ask(many(3), server);
  assert.deepEqual(
    answers.map(({ error }) => error?.code),
    ['unknown_answer', 'unknown_answer', 'unknown_answer'],
  );
});

test('a refused key stops everything, and what was answered stays', async () => {
  const server = new FakeServer();
  let batches = 0;
  server.refuses = () => (++batches > 3 ? { kind: 'stop', why: 'The key has expired.' } : undefined);
  const { answers, stopped } = await ask(many(2_000), server);
  assert.equal(stopped, 'The key has expired.');
  assert.equal(answers.filter((answer) => answer !== undefined).length, 3 * BATCH_ITEMS);
  assert.ok(server.batches.length <= 3 + 2 * LANES, `${server.batches.length}`);
});

test('cancelling while all wait rejects', async () => {
  const server = new FakeServer();
  server.failures.push({ kind: 'later', seconds: 60, why: 'quota' });
  server.wait = () => Promise.reject(new Error('cancelled'));
  await assert.rejects(ask(many(500), server), { message: 'cancelled' });
});

test('nothing is asked about nothing', async () => {
  const server = new FakeServer();
  assert.deepEqual(await ask([], server), { answers: [], waits: [], stopped: undefined });
  assert.equal(server.batches.length, 0);
});
