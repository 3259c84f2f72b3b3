// SPDX: 2.x in JSON, or in YAML or tag-value with the same members, and the packages of SPDX 3 in JSON-LD.

import type { Inventory } from '../../inventory.ts';
import { listOf, type Members, member, membersOf, textOf } from '../../json.ts';
import { clip, Refusal } from '../../refusal.ts';
import { type Component, inventoryOf } from './sbom.ts';

/** Requires: a member `spdxVersion`. */
export function readSpdx(document: Members, notation: string): Inventory {
  const version = textOf(member(document, 'spdxVersion')) ?? '';
  const number = version.replace(/^SPDX-/, '');
  if (!number.startsWith('2.')) {
    throw new Refusal(
      `This is SPDX of version ${clip(number, 20)}, whose form is unknown here. Versions 2.x, and 3 in JSON-LD, are read.`,
    );
  }
  const packages = listOf(member(document, 'packages')).map(membersOf);
  const { root, declared } = relationsOf(document, packages.length);
  const components = packages
    .filter((entry) => root === undefined || member(entry, 'SPDXID') !== root)
    .map((entry): Component => {
      const references = listOf(member(entry, 'externalRefs')).map(membersOf);
      const purl = references.find((reference) => member(reference, 'referenceType') === 'purl');
      const version = textOf(member(entry, 'versionInfo'));
      return {
        label: textOf(member(entry, 'name')) ?? '',
        purl: textOf(member(purl, 'referenceLocator')) ?? '',
        version: version === 'NOASSERTION' || version === 'NONE' ? undefined : version,
        direct: declared.size === 0 ? undefined : declared.has(member(entry, 'SPDXID')),
        place: undefined,
      };
    });
  const remarks =
    root === undefined
      ? []
      : ['The package that the document describes was left out: it is the product itself.'];
  return inventoryOf(components, `SPDX ${clip(number, 20)}, ${notation}`, remarks);
}

interface Relations {
  /** The product itself, if the document describes just one of its packages. */
  readonly root: unknown;
  readonly declared: ReadonlySet<unknown>;
}

function relationsOf(document: Members, packageCount: number): Relations {
  const relations = listOf(member(document, 'relationships')).map(membersOf);
  const described = new Set(listOf(member(document, 'documentDescribes')));
  for (const relation of relations) {
    const from = member(relation, 'spdxElementId');
    const isDescription = member(relation, 'relationshipType') === 'DESCRIBES' && from === 'SPDXRef-DOCUMENT';
    if (isDescription) described.add(member(relation, 'relatedSpdxElement'));
  }
  const declared = new Set<unknown>();
  if (described.size !== 1 || packageCount < 2) return { root: undefined, declared };
  const [root] = described;
  for (const relation of relations) {
    const kind = member(relation, 'relationshipType');
    const from = member(relation, 'spdxElementId');
    const to = member(relation, 'relatedSpdxElement');
    if (kind === 'DEPENDS_ON' && from === root) declared.add(to);
    if (kind === 'DEPENDENCY_OF' && to === root) declared.add(from);
  }
  return { root, declared };
}

/** Requires: an `@context` of SPDX 3. */
export function readSpdx3(document: Members): Inventory {
  const elements = listOf(member(document, '@graph')).map(membersOf);
  const packages = elements.filter((element) =>
    /(?:^|[_/])Package$/.test(textOf(member(element, 'type')) ?? ''),
  );
  const components = packages.map((entry): Component => {
    const identifiers = listOf(member(entry, 'externalIdentifier')).map(membersOf);
    const own = identifiers.find((one) =>
      /^packageUrl$/i.test(textOf(member(one, 'externalIdentifierType')) ?? ''),
    );
    return {
      label: textOf(member(entry, 'name')) ?? '',
      purl: textOf(member(entry, 'software_packageUrl')) ?? textOf(member(own, 'identifier')) ?? '',
      version: textOf(member(entry, 'software_packageVersion')),
      direct: undefined,
      place: undefined,
    };
  });
  return inventoryOf(components, 'SPDX 3, JSON-LD', []);
}
