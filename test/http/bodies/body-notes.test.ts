import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchstack } from '../../../src/dialects/patchstack/patchstack.ts';
import { Dice } from '../../../src/generator/dice.ts';
import { type AskedBody, BodyNotes, type KeptAnswer } from '../../../src/http/bodies/body-notes.ts';
import type { BodyRoute } from '../../../src/http/routing/dialect.ts';
import { type CountedLookup, Generation } from '../../../src/index/generation.ts';
import { printedSeed } from '../../support/seed.ts';
import { inProcess } from '../../support/serving/in-process.ts';
import { coreAdvisory, coreProduct, coreSpan, generationOf } from '../../support/snapshots/generation.ts';

const route = patchstack.routes.find(({ kind }) => kind === 'body') as BodyRoute; // it has one
const LIVE = { id: 'one' };

function asked(body: string | Uint8Array, changes: Partial<AskedBody> = {}): AskedBody {
  return { route, parts: [], query: '', coding: 'identity', body: Buffer.from(body), ...changes };
}

function keptOf(body: string): KeptAnswer {
  const lookups: readonly CountedLookup[] = [[3, '1.0.0']];
  return { answer: { kind: 'json', body, etag: null }, bodyBytes: 1, itemCount: 2, lookups };
}

/** Asks for a body until it is kept. */
function keep(notes: BodyNotes, question: AskedBody, answer: KeptAnswer): void {
  notes.find(LIVE, question);
  const note = notes.find(LIVE, question);
  if (note !== undefined) notes.keep(LIVE, note, answer);
}

test('a body that came before is found with its answer, and only that body', () => {
  const notes = new BodyNotes();
  assert.equal(notes.find(LIVE, asked('[1,2]')), undefined);
  const note = notes.find(LIVE, asked('[1,2]'));
  assert.ok(note !== undefined && note.kept === undefined);
  notes.keep(LIVE, note, keptOf('answer'));
  assert.deepEqual(notes.find(LIVE, asked('[1,2]'))?.kept, keptOf('answer'));
  for (const other of ['[1,3]', '[1,2] ', '[1,2', '', '1[,2]']) {
    assert.equal(notes.find(LIVE, asked(other))?.kept, undefined, other);
  }
  const otherRoute = { ...route };
  for (const change of [
    { query: 'fix=true' },
    { coding: 'gzip' },
    { parts: ['a'] },
    { route: otherRoute },
  ] as const) {
    assert.equal(notes.find(LIVE, asked('[1,2]', change))?.kept, undefined, Object.keys(change).join());
  }
});

test('a body is found wherever it lies in memory, and what is kept is a copy', () => {
  const notes = new BodyNotes();
  const answer = Buffer.from('answer');
  const body = Buffer.from('xyz[1,2,3]');
  const question = asked('', { body: body.subarray(3) });
  keep(notes, question, { ...keptOf(''), answer: { kind: 'json', body: answer, etag: null } });
  answer.fill(0);
  const found = notes.find(LIVE, asked('[1,2,3]'))?.kept;
  assert.equal(Buffer.from(found?.answer.body ?? '').toString(), 'answer');
  body.fill(0);
  assert.ok(notes.find(LIVE, asked('[1,2,3]'))?.kept !== undefined);
});

test('another snapshot has none of the answers, and an answer that comes too late is not kept', () => {
  const notes = new BodyNotes();
  keep(notes, asked('[1]'), keptOf('old'));
  const late = notes.find(LIVE, asked('[1]'));
  assert.ok(late?.kept !== undefined);
  const next = { id: 'two' };
  assert.equal(notes.find(next, asked('[1]'))?.kept, undefined);
  notes.keep(LIVE, late, late.kept);
  assert.equal(notes.find(next, asked('[1]'))?.kept, undefined);
  assert.equal(notes.find(LIVE, asked('[1]'))?.kept, undefined);
});

test('many bodies leave no more than 4 MiB, and the largest none', () => {
  const notes = new BodyNotes();
  const bodies = Array.from({ length: 2_000 }, (_, i) => asked(`${i}`.padEnd(5_000)));
  for (const body of bodies) keep(notes, body, keptOf('x'.repeat(5_000)));
  const found = bodies.filter((body) => notes.find(LIVE, body)?.kept !== undefined);
  assert.ok(found.length <= (4 * 1024 * 1024) / 10_000);
  assert.ok(found.length > 300, `${found.length} are kept`);
  const longBody = asked(' '.repeat(512 * 1024 + 1));
  for (let i = 0; i < 3; i++) assert.equal(notes.find(LIVE, longBody), undefined);
  keep(notes, asked('[]'), keptOf('x'.repeat(1024 * 1024)));
  assert.equal(notes.find(LIVE, asked('[]'))?.kept, undefined);
});

test('bodies that nobody sends again leave those alone that are kept', () => {
  const notes = new BodyNotes();
  keep(notes, asked('[1]'), keptOf('answer'));
  for (let i = 0; i < 20_000; i++) notes.find(LIVE, asked(`[${i},2]`));
  assert.ok(notes.find(LIVE, asked('[1]'))?.kept !== undefined);
});

const ITEM = { type: 'plugin', name: 'gallery', version: '1.2' };
const PACKAGE = { ecosystem: 'npm', name: 'parser' };
const TREE = { dependencies: { parser: { version: '1.2.0', dependencies: { form: { version: '1.0.0' } } } } };

/** One and more of each route that takes a body about the data; the last ones are refused. */
const QUESTIONS: readonly (readonly [path: string, body: unknown])[] = [
  ['/batch', [ITEM, { ...ITEM, exists: true }, { ...ITEM, version: '*' }]],
  ['/batch?fix=true', [ITEM, { ...ITEM, exists: true }]],
  ['/batch?include=details', [ITEM]],
  ['/database/api/v2/batch', [ITEM, { name: 'form', version: '-' }, { name: 'both', version: '1.0' }]],
  ['/-/npm/v1/security/advisories/bulk', { parser: ['1.2.0', '0.9.0'], unknown: ['1.0.0'] }],
  ['/-/npm/v1/security/audits/quick', TREE],
  ['/osv/v1/query', { package: PACKAGE, version: '1.2.0' }],
  ['/osv/v1/querybatch', { queries: [{ package: PACKAGE }, { package: { ...PACKAGE, ecosystem: 'Go' } }] }],
  ['/osv/v1/querybatch?full=1', { queries: [{ package: { ecosystem: 'WordPress', name: 'both' } }] }],
  ['/batch', [{ ...ITEM, type: 'drupal' }]],
  ['/batch?include=all', [ITEM]],
  ['/osv/v1/query', { package: PACKAGE, page_token: 'x' }],
  ['/-/npm/v1/security/audits/quick', []],
];

test('answers to bodies sent again, also across swaps, are those of a service that was never asked', (t) => {
  const dice = new Dice(printedSeed(t));
  const generations = [1, 2, 3].map((round) =>
    generationOf(
      t,
      Array.from({ length: 12 }, (_, i) => {
        const [type, slug] = dice.pick([
          ['plugin', 'gallery'],
          ['plugin', 'form'],
          ['plugin', 'both'],
          ['theme', 'both'],
          ['npm', 'parser'],
          ['npm', 'form'],
        ] as const);
        return coreAdvisory(round * 100 + i, {
          product: coreProduct(type, slug),
          spans: [coreSpan(null, `1.${dice.whole(0, 9)}.0`, 'inclusive')],
          details: 'Details. ',
        });
      }),
    ),
  );
  let live = generations[0];
  const remembering = inProcess(() => live);
  const seen = new Set<string>();
  for (let i = 0; i < 600; i++) {
    if (dice.chance(0.02)) live = dice.pick(generations);
    const [path, body] = dice.pick(QUESTIONS);
    const pin = dice.chance(0.1) ? `${path.includes('?') ? '&' : '?'}snapshot=${generations[0].id}` : '';
    const got = remembering(path + pin, body);
    assert.deepEqual(got, inProcess(live)(path + pin, body), path + pin);
    seen.add(`${path} ${got.status}`);
  }
  assert.ok(seen.size > QUESTIONS.length, [...seen].join('\n'));
});

test('versions of a body that is sent again are looked up as often as those of a new one', (t) => {
  const { parts, records } = generationOf(t, [
    coreAdvisory(1),
    coreAdvisory(2, { product: coreProduct('npm', 'parser') }),
  ]);
  const lookups: CountedLookup[] = [];
  const tap = {
    lookedUp: (product: number, version?: string) => {
      lookups.push([product, version]);
    },
  };
  const ask = inProcess(new Generation(parts, records, { tap }));
  for (const [path, body] of QUESTIONS) {
    const [first, ...others] = Array.from({ length: 4 }, () => {
      ask(path, body);
      return lookups.splice(0);
    });
    for (const other of others) assert.deepEqual(other, first, path);
  }
});
