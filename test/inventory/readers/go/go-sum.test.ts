import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeGoSum, readGoSum } from '../../../../src/inventory/readers/go/go-sum.ts';
import { packagesOf } from '../../../support/console/inventory-summary.ts';

// As go 1.26 writes it, shortened.
const SUM = `github.com/gin-gonic/gin v1.8.1 h1:4+fr/el88TOO3ewCmQr8cx/CtZ/umlIRIs5M4NTNjf8=
github.com/gin-gonic/gin v1.8.1/go.mod h1:ji8BvRH1azfM+SYow9zQ6SZMvR8qOMZHmsCuWR9tTTk=
github.com/docker/docker v24.0.0+incompatible h1:z4bf8HvONXX9Tde5lGBMQ7yCJgNahmJumdrStZAbeY4=
github.com/kr/text v0.2.0/go.mod h1:eLer722TekiGuMkidMxC/pM04lWEeraHUUmBw8l2grE=
`;

test('modules whose code was downloaded are read', () => {
  assert.ok(looksLikeGoSum(SUM));
  const inventory = readGoSum(SUM);
  assert.deepEqual(packagesOf(inventory), [
    'golang github.com/gin-gonic/gin@v1.8.1?',
    'golang github.com/docker/docker@v24.0.0+incompatible?',
  ]);
  assert.equal(inventory.notes.length, 2);
});

test('a go.sum that is cut is refused with the place', () => {
  assert.throws(() => readGoSum(`${SUM}golang.org/x/net v0.7`), {
    name: 'Refusal',
    message: /looks like a go.sum, but line 5, column 1 is not a module/,
  });
});
