// Which If-None-Match headers match a tag.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCurrent } from '../../../src/http/replies/etag.ts';

const TAG = '"0123456789abcdef.1"';

test('a header matches a tag if it is the tag, a list that contains it, its weak form, or a star', () => {
  const current = [TAG, `W/${TAG}`, '*', ` ${TAG} `, `"other", ${TAG}`, `"other",W/${TAG},"more"`, `"a", *`];
  for (const header of current) assert.ok(isCurrent(header, TAG), header);
});

test('a header without the tag does not match', () => {
  const other = ['', '"other"', '""', TAG.slice(1, -1), `w/${TAG}`, `${TAG}x`, TAG.toUpperCase(), ',', 'W/'];
  for (const header of other) assert.ok(!isCurrent(header, TAG), header);
});
