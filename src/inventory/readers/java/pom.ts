// pom.xml: what a project itself declares, as far as its own file says which versions. What a parent or an
// imported list of versions decides is not known here.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { childOf, childrenOf, childText, type XmlElement } from '../../xml.ts';

const REFERENCE = /\$\{/;
const PROPERTY = /\$\{([^{}]+)\}/g;
/** A property may refer to another; a circle ends here. */
const MAX_ROUNDS = 10;
const RANGE = /^[[(]|,/;
const MAX_VALUE_CHARS = 1_000;

type Properties = ReadonlyMap<string, string>;

export function isPom({ name, children }: XmlElement): boolean {
  return name === 'project' && children.some((child) => child.name === 'artifactId');
}

/** Requires: an element that is one. */
export function readPom(project: XmlElement): Inventory {
  const builder = new InventoryBuilder();
  const properties = propertiesOf(project);
  const scopes = [project, ...childrenOf(childOf(project, 'profiles'), 'profile')];
  const managed = managedVersions(scopes, properties);
  for (const scope of scopes) {
    const profile = scope === project ? undefined : `profile ${childText(scope, 'id') ?? ''}`;
    for (const dependency of dependenciesOf(scope))
      readDependency(dependency, profile, properties, managed, builder);
    for (const plugin of childrenOf(childOf(childOf(scope, 'build'), 'plugins'), 'plugin'))
      builder.leaveOut('a plugin of the build', childText(plugin, 'artifactId') ?? '');
  }
  builder.remark(
    'A pom.xml lists only what the project itself declares: a CycloneDX SBOM of the build has the rest.',
  );
  const modules = childrenOf(childOf(project, 'modules'), 'module');
  if (modules.length > 0)
    builder.remark('The modules of this project have a pom.xml each, which was not read.');
  return builder.inventory('pom.xml');
}

function dependenciesOf(scope: XmlElement | undefined): readonly XmlElement[] {
  return childrenOf(childOf(scope, 'dependencies'), 'dependency');
}

function coordinateOf(dependency: XmlElement, properties: Properties): string {
  return ['groupId', 'artifactId']
    .map((part) => filled(childText(dependency, part) ?? '', properties) ?? '')
    .join(':');
}

function readDependency(
  dependency: XmlElement,
  profile: string | undefined,
  properties: Properties,
  managed: ReadonlyMap<string, string>,
  builder: InventoryBuilder,
): void {
  const name = coordinateOf(dependency, properties);
  const scope = childText(dependency, 'scope');
  const place = [profile, scope === undefined ? undefined : `scope ${scope}`].filter(Boolean).join(', ');
  const given = childText(dependency, 'version') ?? managed.get(name);
  if (scope === 'system') builder.leaveOut('a local file or folder', name);
  else if (given === undefined) builder.leaveOut('a version that a parent or an imported list decides', name);
  else {
    const version = filled(given, properties);
    if (version === undefined) builder.leaveOut('a version with a property that the file does not set', name);
    else if (RANGE.test(version)) builder.leaveOut('a range of versions', name);
    else builder.add({ type: 'maven', name, version, direct: true, ...(place === '' ? {} : { place }) });
  }
}

/** By coordinate, from `dependencyManagement`; imported lists apart. */
function managedVersions(scopes: readonly XmlElement[], properties: Properties): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const scope of scopes) {
    for (const dependency of dependenciesOf(childOf(scope, 'dependencyManagement'))) {
      const version = childText(dependency, 'version');
      if (version === undefined || childText(dependency, 'scope') === 'import') continue;
      versions.set(coordinateOf(dependency, properties), version);
    }
  }
  return versions;
}

function propertiesOf(project: XmlElement): Properties {
  const properties = new Map<string, string>();
  const parent = childOf(project, 'parent');
  for (const part of ['groupId', 'artifactId', 'version']) {
    const above = childText(parent, part);
    const own = childText(project, part) ?? (part === 'artifactId' ? undefined : above);
    if (above !== undefined) properties.set(`project.parent.${part}`, above);
    if (own === undefined) continue;
    for (const prefix of ['project.', 'pom.', '']) properties.set(prefix + part, own);
  }
  for (const { name, text } of childOf(project, 'properties')?.children ?? [])
    properties.set(name, text.trim());
  return properties;
}

/** With the properties' values; undefined if one is not set here. */
function filled(text: string, properties: Properties): string | undefined {
  let value = text;
  for (let round = 0; round < MAX_ROUNDS && REFERENCE.test(value); round++) {
    value = value.replace(PROPERTY, (whole, name: string) => properties.get(name) ?? whole);
    if (value.length > MAX_VALUE_CHARS) return undefined;
  }
  return REFERENCE.test(value) ? undefined : value;
}
