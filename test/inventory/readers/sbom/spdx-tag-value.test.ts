import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSpdxTagValue } from '../../../../src/inventory/readers/sbom/spdx-tag-value.ts';
import { packagesOf } from '../../../support/console/inventory-summary.ts';

test('tags become packages; those inside a text do not', () => {
  const inventory = readSpdxTagValue(`SPDXVersion: SPDX-2.3
SPDXID: SPDXRef-DOCUMENT
# PackageName: comment

PackageName: shop
SPDXID: SPDXRef-shop
PackageComment: <text>one
PackageName: not-a-package
ExternalRef: PACKAGE-MANAGER purl pkg:npm/not-a-package@1.0.0
</text>
PackageName: a
SPDXID: SPDXRef-a
PackageDescription: <text>short</text>
ExternalRef: SECURITY cpe23Type cpe:2.3:a:a:a:1
ExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1.0.0
PackageName: b
SPDXID: SPDXRef-b
PackageVersion: 2.0.0
ExternalRef: PACKAGE-MANAGER purl pkg:npm/b
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-shop
Relationship: SPDXRef-shop DEPENDS_ON SPDXRef-b
`);
  assert.equal(inventory.format, 'SPDX 2.3, tag-value');
  assert.deepEqual(packagesOf(inventory), ['a@1.0.0', 'b@2.0.0*']);
});
