// One advisory in the bulk answer: where its page is, and that what a thread remembers is what it wrote
// first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Advisory } from '../../../src/compiler/advisory.ts';
import { writeAdvisory } from '../../../src/dialects/npm-audit/advisory.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

const product = coreProduct('npm', 'library');

test('the page is GitHub’s wherever a GHSA id is known, in the form that GitHub writes', (t) => {
  const rows: readonly [url: string, known: Partial<Advisory>][] = [
    ['https://github.com/advisories/GHSA-aaaa-bbbb-cccc', { ghsa: 'ghsa-AAAA-bbbb-CCCC' }],
    ['https://github.com/advisories/GHSA-aaaa-bbbb-cccc', { sourceId: 'GHSA-aaaa-bbbb-cccc' }],
    ['https://github.com/advisories/GHSA-aaaa-bbbb-cccc', { aliases: ['MAL-1', 'GHSA-aaaa-bbbb-cccc'] }],
    ['https://github.com/advisories/GHSA-aaaa-bbbb-cccc', { ghsa: 'none', sourceId: 'GHSA-AAAA-BBBB-CCCC' }],
    ['https://advisories.example/5', { sourceId: 'MAL-2026-1', aliases: ['GHSA-', 'SNYK-1'] }],
    ['https://advisories.example/6', {}],
  ];
  const generation = generationOf(
    t,
    rows.map(([, known], i) => coreAdvisory(i + 1, { product, ...known })),
  );
  const memory = new ThreadMemory(generation);
  const write = (id: number): string => {
    const ordinal = generation.findId(id);
    assert.ok(ordinal !== undefined);
    memory.out.restart();
    memory.out.text('before ');
    writeAdvisory(memory, generation, ordinal);
    return Buffer.from(memory.out.view()).toString().slice('before '.length);
  };
  for (const [i, [url]] of rows.entries()) {
    const first = write(i + 1);
    assert.equal(JSON.parse(first).url, url);
    assert.equal(write(i + 1), first);
  }
});
