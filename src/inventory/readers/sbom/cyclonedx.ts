// CycloneDX in JSON: components, which may contain components, and the graph of what depends on what.

import type { Inventory } from '../../inventory.ts';
import { listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip } from '../../refusal.ts';
import { type Component, inventoryOf } from './sbom.ts';

const KNOWN = 1.7;

/** Requires: `bomFormat` is CycloneDX. */
export function readCycloneDx(bom: Members): Inventory {
  const version = textOf(member(bom, 'specVersion')) ?? '';
  const isNew = !(Number(version) <= KNOWN);
  const remarks = isNew
    ? [`The file has version ${clip(version, 20)}; it was read like version ${KNOWN}, the newest known here.`]
    : [];
  return inventoryOf(componentsOf(bom), `CycloneDX ${clip(version, 20)}`, remarks);
}

function* componentsOf(bom: Members): Iterable<Component> {
  const declared = declaredRefs(bom);
  const lists: (readonly unknown[])[] = [listOf(member(bom, 'components'))];
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    for (const value of list) {
      const component = membersOf(value);
      const inner = listOf(member(component, 'components'));
      if (inner.length > 0) lists.push(inner);
      const group = textOf(member(component, 'group')) ?? '';
      const name = textOf(member(component, 'name')) ?? '';
      const scope = textOf(member(component, 'scope'));
      yield {
        label: group === '' ? name : `${group}/${name}`,
        purl: textOf(member(component, 'purl')) ?? '',
        version: textOf(member(component, 'version')),
        direct: declared?.has(textOf(member(component, 'bom-ref')) ?? ''),
        place: scope === undefined || scope === 'required' ? undefined : `scope ${scope}`,
      };
    }
  }
}

/** What the product itself depends on; undefined without a graph that says so. */
function declaredRefs(bom: Members): ReadonlySet<unknown> | undefined {
  const root = textOf(member(membersOf(member(membersOf(member(bom, 'metadata')), 'component')), 'bom-ref'));
  if (root === undefined) return undefined;
  const own = listOf(member(bom, 'dependencies'))
    .map(membersOf)
    .find((node) => member(node, 'ref') === root);
  return own === undefined ? undefined : new Set(listOf(member(own, 'dependsOn')));
}
