import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCycloneDx } from '../../../../src/inventory/readers/sbom/cyclonedx.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';
import { phrases } from '../../../support/words.ts';

const library = (purl: string, more: object = {}): object => ({ type: 'library', name: 'x', purl, ...more });

test('components give what can be asked; others are counted by ecosystem', () => {
  const inventory = readCycloneDx({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { 'bom-ref': 'root', name: 'shop', purl: 'pkg:npm/shop@1.0.0' } },
    components: [
      library('pkg:npm/%40scope/a@1.0.0?vcs_url=x', { 'bom-ref': 'a' }),
      library('pkg:npm/b@2.0.0', { scope: 'optional', components: [library('pkg:npm/inner@3.0.0')] }),
      library('pkg:composer/wpackagist-plugin/akismet@5.0'),
      library('pkg:composer/wpackagist-theme/astra@4.0'),
      library('pkg:composer/monolog/monolog@3.0'),
      library('pkg:pypi/django@4.0'),
      library('pkg:acme/plug@1.0'),
      library('pkg:npm/by-component', { version: '1.2.3' }),
      library('pkg:npm/none'),
      { type: 'library', group: '@scope', name: 'unnamed', version: '1.0.0' },
      null,
    ],
    dependencies: [{ ref: 'root', dependsOn: ['a'] }],
  });
  assert.equal(inventory.format, 'CycloneDX 1.5');
  assert.deepEqual(
    packagesOf(inventory).sort(),
    phrases(`
      @scope/a@1.0.0* | b@2.0.0 | by-component@1.2.3 | composer monolog/monolog@3.0 | inner@3.0.0 |
      plugin akismet@5.0 | pypi django@4.0 | theme astra@4.0
    `),
  );
  assert.deepEqual(inventory.packages.find(({ name }) => name === 'b')?.places, ['scope optional']);
  assert.deepEqual(
    notesOf(inventory).sort(),
    phrases('ecosystem acme: 1 | no package URL: 2 | no version: 1'),
  );
});

test('without a graph nothing is said about what is direct', () => {
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [library('pkg:npm/a@1.0.0')] };
  assert.deepEqual(packagesOf(readCycloneDx(bom)), ['a@1.0.0?']);
});

test('components nest 10,000 levels deep', () => {
  let component = library('pkg:npm/deep@1.0.0');
  for (let i = 0; i < 10_000; i++) component = { components: [component] };
  const inventory = readCycloneDx({ specVersion: '1.6', components: [component] });
  assert.deepEqual(packagesOf(inventory), ['deep@1.0.0?']);
});

test('a newer version is read with a remark', () => {
  assert.match(
    notesOf(readCycloneDx({ specVersion: '2.0' }))[0],
    /has version 2.0; it was read like version 1.7/,
  );
});
