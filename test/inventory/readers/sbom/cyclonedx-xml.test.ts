import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCycloneDxXml, readCycloneDxXml } from '../../../../src/inventory/readers/sbom/cyclonedx-xml.ts';
import { parseXml } from '../../../../src/inventory/xml.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';

// https://cyclonedx.org/docs/1.6/xml/
const BOM = `<?xml version="1.0"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6" serialNumber="urn:uuid:3e" version="1">
  <metadata><component type="application" bom-ref="shop"><name>shop</name></component></metadata>
  <components>
    <component type="library" bom-ref="a">
      <group>org.apache.logging.log4j</group><name>log4j-core</name><version>2.14.1</version>
      <purl>pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1?type=jar&amp;x=y</purl>
      <components><component type="library"><name>inner</name><version>1.0</version><scope>optional</scope>
        <purl>pkg:pypi/inner@1.0</purl></component></components>
    </component>
    <component type="file"><name>a.txt</name></component>
  </components>
  <dependencies><dependency ref="shop"><dependency ref="a"/></dependency></dependencies>
</bom>`;

test('components are read as those of JSON are', () => {
  const bom = parseXml(BOM);
  assert.ok(isCycloneDxXml(bom));
  const inventory = readCycloneDxXml(bom);
  assert.equal(inventory.format, 'CycloneDX 1.6');
  assert.deepEqual(packagesOf(inventory), [
    'maven org.apache.logging.log4j:log4j-core@2.14.1*',
    'pypi inner@1.0',
  ]);
  assert.deepEqual(notesOf(inventory), ['no package URL: 1']);
});
