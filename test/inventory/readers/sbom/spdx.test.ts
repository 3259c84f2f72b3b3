import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSpdx, readSpdx3 } from '../../../../src/inventory/readers/sbom/spdx.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';

const entry = (id: string, purl: string, versionInfo?: string): object => ({
  SPDXID: `SPDXRef-${id}`,
  name: id,
  versionInfo,
  externalRefs: [
    { referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: 'cpe:2.3:a:x:x:1' },
    { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl },
  ],
});

test('packages give what can be asked, without the product that the document describes', () => {
  const inventory = readSpdx(
    {
      spdxVersion: 'SPDX-2.3',
      packages: [
        entry('shop', 'pkg:npm/shop@1.0.0'),
        entry('a', 'pkg:npm/%40scope/a@1.0.0'),
        entry('b', 'pkg:npm/b', '2.0.0'),
        entry('c', 'pkg:npm/c', 'NOASSERTION'),
        entry('d', 'pkg:acme/d@1.0.0'),
        { name: 'e' },
      ],
      relationships: [
        {
          spdxElementId: 'SPDXRef-DOCUMENT',
          relationshipType: 'DESCRIBES',
          relatedSpdxElement: 'SPDXRef-shop',
        },
        { spdxElementId: 'SPDXRef-shop', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'SPDXRef-a' },
        { spdxElementId: 'SPDXRef-x', relationshipType: 'DEPENDENCY_OF', relatedSpdxElement: 'SPDXRef-a' },
      ],
    },
    'JSON',
  );
  assert.equal(inventory.format, 'SPDX 2.3, JSON');
  assert.deepEqual(packagesOf(inventory), ['@scope/a@1.0.0*', 'b@2.0.0']);
  assert.deepEqual(notesOf(inventory), [
    'The package that the document describes was left out: it is the product itself.',
    'no version: 1',
    'ecosystem acme: 1',
    'no package URL: 1',
  ]);
});

test('where the document describes all packages, none is left out', () => {
  const inventory = readSpdx(
    {
      spdxVersion: 'SPDX-2.2',
      documentDescribes: ['SPDXRef-a', 'SPDXRef-b'],
      packages: [entry('a', 'pkg:npm/a@1.0.0'), entry('b', 'pkg:npm/b@1.0.0')],
    },
    'JSON',
  );
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0?', 'b@1.0.0?']);
});

test('another version of SPDX is refused by its number', () => {
  assert.throws(() => readSpdx({ spdxVersion: 'SPDX-1.2' }, 'JSON'), {
    name: 'Refusal',
    message: /version 1.2/,
  });
});

test('packages of SPDX 3 are read', () => {
  const inventory = readSpdx3({
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [
      { type: 'SpdxDocument', name: 'shop' },
      { type: 'software_Package', name: 'a', software_packageUrl: 'pkg:npm/a@1.0.0' },
      {
        type: 'software_Package',
        name: 'b',
        software_packageVersion: '2.0.0',
        externalIdentifier: [{ externalIdentifierType: 'packageUrl', identifier: 'pkg:npm/b' }],
      },
      { type: 'software_Package', name: 'c' },
    ],
  });
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0?', 'b@2.0.0?']);
  assert.deepEqual(notesOf(inventory), ['no package URL: 1']);
});
