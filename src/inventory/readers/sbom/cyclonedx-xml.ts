// CycloneDX in XML, brought into the form of its JSON.

import type { Inventory } from '../../inventory.ts';
import type { Members } from '../../json.ts';
import { childOf, childrenOf, childText, type XmlElement } from '../../xml.ts';
import { readCycloneDx } from './cyclonedx.ts';

const NAMESPACE = /cyclonedx\.org\/schema\/bom\/([\d.]+)/;

export function isCycloneDxXml({ name, attributes }: XmlElement): boolean {
  return name === 'bom' && namespaceOf(attributes) !== undefined;
}

function namespaceOf(attributes: XmlElement['attributes']): string | undefined {
  for (const value of attributes.values()) {
    const version = NAMESPACE.exec(value)?.[1];
    if (version !== undefined) return version;
  }
  return undefined;
}

/** Requires: an element that is one. */
export function readCycloneDxXml(bom: XmlElement): Inventory {
  return readCycloneDx({
    specVersion: namespaceOf(bom.attributes),
    metadata: { component: componentOf(childOf(childOf(bom, 'metadata'), 'component')) },
    components: componentsIn(bom),
    dependencies: childrenOf(childOf(bom, 'dependencies'), 'dependency').map((node) => ({
      ref: node.attributes.get('ref'),
      dependsOn: childrenOf(node, 'dependency').map(({ attributes }) => attributes.get('ref')),
    })),
  });
}

function componentsIn(element: XmlElement): readonly Members[] {
  return childrenOf(childOf(element, 'components'), 'component').map(componentOf);
}

/** Needs a stack as deep as components nest, which the reader of XML bounds. */
function componentOf(element: XmlElement | undefined): Members {
  if (element === undefined) return {};
  return {
    'bom-ref': element.attributes.get('bom-ref'),
    group: childText(element, 'group'),
    name: childText(element, 'name'),
    version: childText(element, 'version'),
    scope: childText(element, 'scope'),
    purl: childText(element, 'purl'),
    components: componentsIn(element),
  };
}
