import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answered, type Api, UNKNOWN_ECOSYSTEMS } from '../../../src/console/app/api.ts';
import { serverOf } from '../../../src/console/inventory/server.ts';
import * as headers from '../../../src/dialects/lookup-headers.ts';

const { signal } = new AbortController();
const NONE = { vulnerabilities: [] };

function answering(value: unknown, typesWithoutData: readonly string[]): Api {
  const ask = async (): Promise<Answered<unknown>> => ({ value, typesWithoutData });
  return { ask } as Partial<Api> as Api; // the only method that is called
}

test('a package of a type without any data is a failure, and never clear', async () => {
  const items = [
    { type: 'npm', name: 'a', version: '1.0.0' },
    { type: 'pypi', name: 'b', version: '1.0' },
  ] as const;
  const [first, second] = await serverOf(answering([NONE, NONE], ['pypi']), signal).batch(items);
  assert.deepEqual(first, NONE);
  assert.equal(second.error?.code, 'unknown_ecosystem');
  assert.match(second.error?.message ?? '', /no advisory about any PyPI product/);
  const alone = await serverOf(answering(NONE, ['pypi']), signal).product(items[1]);
  assert.equal(alone.error?.code, 'unknown_ecosystem');
  assert.deepEqual(await serverOf(answering(NONE, []), signal).product(items[1]), NONE);
});

test('the header is the one that the server sends', () => {
  assert.equal(UNKNOWN_ECOSYSTEMS, headers.UNKNOWN_ECOSYSTEMS);
});
