// Which tags name the current copy.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCurrent } from '../../src/http/etag.ts';

const TAG = '"0123456789abcdef.1"';

test('a header names a tag when it is the tag, a list with it, a weak form of it, or a star', () => {
  const current = [TAG, `W/${TAG}`, '*', ` ${TAG} `, `"other", ${TAG}`, `"other",W/${TAG},"more"`, `"a", *`];
  for (const header of current) assert.ok(isCurrent(header, TAG), header);
});

test('a header without the tag names something else', () => {
  const other = ['', '"other"', '""', TAG.slice(1, -1), `w/${TAG}`, `${TAG}x`, TAG.toUpperCase(), ',', 'W/'];
  for (const header of other) assert.ok(!isCurrent(header, TAG), header);
});
