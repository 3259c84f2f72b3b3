// That what finds unread members finds them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unreadMembers } from './unread-members.ts';

test('members that are not read are named, those below what is only looked at are not', () => {
  const value = { a: 1, b: { c: 2, d: 3 }, e: [{ f: 4, g: 5 }], h: { i: 6 } };
  const unread = unreadMembers(value, (watched) => {
    const seen = watched as typeof value;
    return [seen.a, seen.b.c, seen.e[0].f, seen.h];
  });
  assert.deepEqual(unread, ['/b/d', '/e/0/g']);
});
