// SPDX 2.x as tag-value: lines `Tag: value`, brought into the form of SPDX in JSON. Texts between <text> and
// </text> may hold lines that look like tags, so they are skipped.

import type { Inventory } from '../../inventory.ts';
import { readSpdx } from './spdx.ts';

interface OpenPackage {
  readonly name: string;
  SPDXID?: string;
  versionInfo?: string;
  readonly externalRefs: { readonly referenceType: string; readonly referenceLocator: string }[];
}

export function readSpdxTagValue(text: string): Inventory {
  const packages: OpenPackage[] = [];
  const relationships: { readonly [member: string]: string }[] = [];
  let spdxVersion = '';
  let isText = false;
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (isText) {
      isText = !line.includes('</text>');
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 0 || line.startsWith('#')) continue;
    const tag = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    isText = value.includes('<text>') && !value.includes('</text>');
    const open = packages.at(-1);
    if (tag === 'SPDXVersion') spdxVersion = value;
    else if (tag === 'PackageName') packages.push({ name: value, externalRefs: [] });
    else if (tag === 'SPDXID' && open !== undefined) open.SPDXID ??= value;
    else if (tag === 'PackageVersion' && open !== undefined) open.versionInfo = value;
    else if (tag === 'ExternalRef' && open !== undefined) {
      const [, referenceType = '', referenceLocator = ''] = value.split(/\s+/);
      open.externalRefs.push({ referenceType, referenceLocator });
    } else if (tag === 'Relationship') {
      const [spdxElementId = '', relationshipType = '', relatedSpdxElement = ''] = value.split(/\s+/);
      relationships.push({ spdxElementId, relationshipType, relatedSpdxElement });
    }
  }
  return readSpdx({ spdxVersion, packages, relationships }, 'tag-value');
}
