import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import { IncomingBody } from '../../../src/http/transport/incoming-body.ts';
import { printedSeed } from '../../support/seed.ts';
import { volume } from '../../support/volume.ts';

const MOST_SMALL_PIECES = 4_096;

test('pieces of any size are joined in their order, in at most twice their memory, all of it told', (t) => {
  const dice = new Dice(printedSeed(t));
  for (let run = volume(500); run > 0; run--) {
    const pieces = Array.from({ length: dice.whole(0, 20) }, () =>
      Uint8Array.from({ length: dice.whole(0, dice.pick([1, 10, 1_000])) }, () => dice.whole(0, 255)),
    );
    const whole = Buffer.concat(pieces);
    const body = new IncomingBody(whole.length);
    let held = 0;
    for (const piece of pieces) {
      assert.ok(body.fits(piece));
      held += body.growthFor(piece);
      assert.ok(body.add(piece));
      piece.fill(0); // as its owner does
      assert.equal(body.heldBytes, held);
    }
    assert.ok(whole.equals(body.bytes()));
    assert.ok(held <= 2 * whole.length);
    assert.ok(body.fits(new Uint8Array(0)));
    assert.ok(!body.fits(new Uint8Array(1)));
  }
});

test('a body that comes at once takes no memory beyond it', () => {
  const body = new IncomingBody(1_000_000);
  body.add(new Uint8Array(5_000));
  assert.equal(body.heldBytes, 5_000);
});

test('small pieces are bounded, large ones are not', () => {
  const body = new IncomingBody(10_000_000);
  for (let piece = 0; piece < MOST_SMALL_PIECES; piece++) assert.ok(body.add(new Uint8Array(255)));
  for (let piece = 0; piece < 10_000; piece++) assert.ok(body.add(new Uint8Array(256)));
  assert.ok(!body.add(new Uint8Array(1)));
});
