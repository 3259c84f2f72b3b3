import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item, ItemAnswer } from '../../../src/console/inventory/answer.ts';
import type { Server } from '../../../src/console/inventory/ask.ts';
import { Session, type SessionTools, type State } from '../../../src/console/inventory/session.ts';
import { type Inventory, InventoryBuilder } from '../../../src/inventory/inventory.ts';
import { Refusal } from '../../../src/inventory/refusal.ts';
import { advisoryOf } from '../../support/console/inventory-rows.ts';
import { pluck } from '../../support/pluck.ts';

const TASK = { source: 'text', fileName: 'list.csv' };

function inventoryOf(...names: string[]): Inventory {
  const builder = new InventoryBuilder();
  for (const name of names)
    builder.add({ type: 'plugin', name, version: '1.0', direct: true, place: 'secret/path' });
  return builder.inventory('wp plugin list, CSV', 'npm', true);
}

function toolsFor(inventory: Inventory, batch: Server['batch']): SessionTools {
  const server: Server = {
    batch,
    product: () => Promise.reject(new Error('not asked')),
    failureOf: (error) => ({ kind: 'stop', why: String(error) }),
    wait: () => Promise.resolve(),
  };
  return { read: () => Promise.resolve(inventory), serverFor: () => server };
}

const clear = async (items: readonly Item[]): Promise<readonly ItemAnswer[]> =>
  items.map(() => ({ vulnerabilities: [] }));

function readState(session: Session): Extract<State, { kind: 'read' }> {
  assert.ok(session.state.kind === 'read');
  return session.state;
}

test('a text is read, asked about and answered; only types, names and versions are sent', async () => {
  const sent: Item[] = [];
  const session = new Session(
    toolsFor(inventoryOf('a', 'b'), async (items) => {
      sent.push(...items);
      return items.map(({ name }) =>
        name === 'a' ? { vulnerabilities: [advisoryOf(1, 9)] } : { vulnerabilities: [] },
      );
    }),
  );
  const kinds: string[] = [];
  const stop = session.watch(() => {
    const { state } = session;
    kinds.push(state.kind === 'read' ? state.asking.kind : state.kind);
  });
  await session.start(TASK, 3);
  stop();
  assert.deepEqual(sent, [
    { type: 'plugin', name: 'a', version: '1.0' },
    { type: 'plugin', name: 'b', version: '1.0' },
  ]);
  assert.deepEqual(pluck(readState(session).rows, 'kind'), ['affected', 'clear']);
  assert.deepEqual(kinds, ['reading', 'asking', 'done']);
  assert.equal(readState(session).revision, 3);
});

test('a refusal is shown, and the next text may be read', async () => {
  const tools = toolsFor(inventoryOf('a'), clear);
  let isBad = true;
  const session = new Session({
    ...tools,
    read: () => (isBad ? Promise.reject(new Refusal('bad text')) : Promise.resolve(inventoryOf('a'))),
  });
  await session.start(TASK, 0);
  assert.deepEqual(session.state, { kind: 'empty', refusal: 'bad text' });
  isBad = false;
  await session.start(TASK, 0);
  assert.equal(readState(session).asking.kind, 'done');
});

test('cancelling a reading forgets it, even if it ends later', async () => {
  let finish: (inventory: Inventory) => void = () => {};
  const session = new Session({
    ...toolsFor(inventoryOf('a'), clear),
    read: () => new Promise((resolve) => (finish = resolve)),
  });
  const started = session.start(TASK, 0);
  session.cancel();
  finish(inventoryOf('a'));
  await started;
  assert.deepEqual(session.state, { kind: 'empty', refusal: undefined });
});

test('cancelling the asking keeps the answers that came; the rest can be asked later', async () => {
  const asked: string[][] = [];
  let answer: (answers: readonly ItemAnswer[]) => void = () => {};
  const names = Array.from({ length: 60 }, (_, i) => `p${i}`);
  const session = new Session(
    toolsFor(inventoryOf(...names), (items) => {
      asked.push(items.map(({ name }) => name));
      if (asked.length !== 2) return clear(items);
      return new Promise((resolve) => (answer = resolve)); // the second batch hangs
    }),
  );
  const shown = new Promise<void>((resolve) => {
    session.watch(() => {
      const { state } = session;
      if (state.kind === 'read' && state.rows[0].kind === 'clear') resolve();
    });
  });
  const started = session.start(TASK, 0);
  await shown;
  session.cancel();
  answer(Array.from({ length: 10 }, () => ({ vulnerabilities: [advisoryOf(1, 9)] })));
  await started;
  assert.deepEqual(readState(session).asking, { kind: 'stopped', why: 'You cancelled.' });
  assert.deepEqual(
    [
      ...new Set(
        readState(session)
          .rows.slice(50)
          .map(({ kind }) => kind),
      ),
    ],
    ['waiting'],
  );
  await session.askAgain(1, 'missing');
  assert.deepEqual(asked[2], names.slice(50));
  assert.equal(readState(session).asking.kind, 'done');
  await session.askAgain(2, 'all');
  assert.equal(asked.flat().length, 60 + 10 + 60);
});

test('a list of plugins can be taken for one of themes', async () => {
  const sent: Item[] = [];
  const session = new Session(
    toolsFor(inventoryOf('a'), (items) => {
      sent.push(...items);
      return clear(items);
    }),
  );
  await session.start(TASK, 0);
  await session.retype('theme', 1);
  assert.deepEqual(pluck(sent, 'type'), ['plugin', 'theme']);
  assert.equal(readState(session).inventory.format, 'wp theme list, CSV');
  session.forget();
  assert.deepEqual(session.state, { kind: 'empty', refusal: undefined });
});

test('a stop is shown with its reason', async () => {
  const session = new Session(toolsFor(inventoryOf('a'), () => Promise.reject(new Error('no key'))));
  await session.start(TASK, 0);
  assert.deepEqual(readState(session).asking, { kind: 'stopped', why: 'Error: no key' });
});
