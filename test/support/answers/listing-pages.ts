// Every page of /all in all of its forms, for comparing two servers byte for byte.

import assert from 'node:assert/strict';
import { PLATFORMS } from '../../../src/index/product-type.ts';
import type { TestServer } from '../serving/server.ts';

/** The text of each page, by path. */
export async function pagesOf(server: TestServer): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const platform of PLATFORMS) {
    for (const include of ['', '&include=details']) {
      for (const perPage of [100, 500]) {
        let cursor: string | null = '';
        while (cursor !== null) {
          const path: string = `/all?platform=${platform}&per_page=${perPage}${include}&cursor=${cursor}`;
          const { status, text } = await server.request(path);
          assert.equal(status, 200);
          pages.set(path, text);
          cursor = (JSON.parse(text) as { cursor: { next_cursor: string | null } }).cursor.next_cursor;
        }
      }
      for (let page = 1, isMore = true; isMore; page++) {
        const path = `/all?platform=${platform}${include}&page=${page}`;
        const { text } = await server.request(path);
        pages.set(path, text);
        isMore = (JSON.parse(text) as { pagination: { has_next_page: boolean } }).pagination.has_next_page;
      }
    }
  }
  return pages;
}

/** Compares all pages of two servers; returns how many there are. */
export async function assertSamePages(original: TestServer, copy: TestServer): Promise<number> {
  const expected = await pagesOf(original);
  const actual = await pagesOf(copy);
  assert.deepEqual([...actual.keys()], [...expected.keys()]);
  for (const [path, text] of expected) {
    if (actual.get(path) === text) continue;
    const items = (page: string | undefined): readonly unknown[] =>
      (JSON.parse(page ?? '{}') as { vulnerabilities: readonly unknown[] }).vulnerabilities;
    // The first item that differs says more than two long texts.
    items(text).forEach((item, i) => {
      assert.deepEqual(items(actual.get(path))[i], item, path);
    });
    assert.equal(actual.get(path), text, path);
  }
  return expected.size;
}
