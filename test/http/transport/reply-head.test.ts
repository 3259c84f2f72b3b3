// Heads as bytes against the same heads as texts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../../../src/generator/dice.ts';
import {
  NO_OWN_HEADERS,
  OwnHeaders,
  type QuotaPolicy,
  type ReplyHeader,
  SharedHeaders,
  type Status,
} from '../../../src/http/replies/reply-headers.ts';
import { MadeId } from '../../../src/http/request-id.ts';
import { headOf, headText } from '../../../src/http/transport/reply-head.ts';
import { printedSeed } from '../../support/seed.ts';

const STATUSES: readonly Status[] = [200, 304, 429];
const FIELDS: readonly ReplyHeader[] = [
  ['Content-Type', 'application/json'],
  ['ETag', '"0123456789abcdef"'],
];
const OTHERS: readonly (readonly ReplyHeader[])[] = [
  [],
  [],
  [['X-Request-Id', '5f0c0a0e-6f4e-4f0c-9d70-9d8f3a1c2b7e']],
  [
    ['Retry-After', '5'],
    ['Warning', '110 - "Response is Stale"'],
  ],
  [['Vulndex-Notice', 'x'.repeat(600)]],
  [['Vulndex-Notice', 'Grüße']],
];
const NAME = new TextEncoder().encode('0123456789abcdef-');
const COUNTS = [1, 9, 10, 12_345, 2 ** 32 - 1];
const NUMBERS = [0, 9, 10, 99, 100, 4_999, 863_999_999, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1e12, 1.5, -1];

function policyOf(tier: string): QuotaPolicy {
  return { tier, header: ['RateLimit-Policy', `"${tier}";q=5000;w=86400`] };
}

function bytesOf(head: Uint8Array | string): string {
  return Buffer.from(head).toString();
}

test('a head as bytes is the head as a text: each number, more tiers than are kept, all headers', (t) => {
  const dice = new Dice(printedSeed(t));
  const pick = <Value>(values: readonly Value[]): Value => values[dice.whole(0, values.length - 1)];
  const lists = [new SharedHeaders(FIELDS), new SharedHeaders([]), new SharedHeaders(FIELDS.slice(1))];
  const policies = Array.from({ length: 12 }, (_, i) => policyOf(`tier-${i}`));
  let ofBytes = 0;
  for (let i = 0; i < 10_000; i++) {
    const left = { policy: pick(policies), remaining: pick(NUMBERS), seconds: pick(NUMBERS) };
    const id = dice.chance(0.5) ? undefined : new MadeId(NAME, pick(COUNTS));
    const ownHeaders = new OwnHeaders(dice.chance(0.3) ? undefined : left, pick(OTHERS), id);
    const reply = {
      status: dice.chance(0.9) ? 200 : pick(STATUSES),
      headers: pick(lists),
      ownHeaders,
    } as const;
    const head = headOf(reply);
    if (typeof head !== 'string') ofBytes++;
    assert.equal(bytesOf(head), headText(reply));
  }
  assert.ok(ofBytes > 2_000, `${ofBytes} heads as bytes`);
});

test('a list is worth its bytes the second time, and they are used again', () => {
  const headers = new SharedHeaders(FIELDS);
  const reply = { status: 200, headers, ownHeaders: NO_OWN_HEADERS } as const;
  const [first, second, third] = [headOf(reply), headOf(reply), headOf(reply)];
  assert.equal(first, '200 OK\r\nContent-Type: application/json\r\nETag: "0123456789abcdef"');
  assert.equal(bytesOf(second), first);
  assert.equal(third, second);
});
