import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { collectGarbageSoon } from '../../src/serve/thread.ts';

/** What Node adds to an entry of this type, missing from its type definitions. */
interface GarbageEntry {
  readonly detail: { readonly flags: number };
}

test('a series of refusals in one scan ends in one garbage collection', async () => {
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { flags } = (entry as unknown as GarbageEntry).detail;
      if ((flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced++;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let file = 0; file < 50; file++) collectGarbageSoon();
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(forced, 1);
  collectGarbageSoon(); // and the next series in another
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(forced, 2);
  observer.disconnect();
});
