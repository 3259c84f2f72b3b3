// Which format a text has, by its content; the file's name only helps where contents are alike. The readers
// do the rest.

import type { Inventory } from './inventory.ts';
import { listOf, type Members, member, membersOf, parseJson, textOf } from './json.ts';
import { readBunLock } from './readers/bun-lock.ts';
import { readCycloneDx } from './readers/cyclonedx.ts';
import { isDenoLock, readDenoLock } from './readers/deno-lock.ts';
import { readNpmLock } from './readers/npm-lock.ts';
import { readNpmLs } from './readers/npm-ls.ts';
import { readPnpmLock } from './readers/pnpm-lock.ts';
import { readSpdx, readSpdx3 } from './readers/spdx.ts';
import { readSpdxTagValue } from './readers/spdx-tag-value.ts';
import { type ListType, looksLikeWpTable, readWpJson, readWpTable } from './readers/wp-list.ts';
import { readYarnBerry } from './readers/yarn-berry.ts';
import { readYarnClassic } from './readers/yarn-classic.ts';
import { clip, placeAt, Refusal, UnknownFormat } from './refusal.ts';
import { parseYaml } from './yaml.ts';

export const MAX_CHARS = 50 * 1024 * 1024;

/** For people: the formats that are looked for. */
export const FORMATS: readonly string[] = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'deno.lock'],
  ...['`npm ls --json`', '`pnpm ls --json`', '`wp plugin list` and `wp theme list`'],
  ...['CycloneDX as JSON', 'SPDX as JSON, YAML or tag-value'],
];

/** Throws a Refusal for a text that is not read, and nothing else. */
export function readInventory(given: string, fileName = ''): Inventory {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  if (text.length > MAX_CHARS) throw new Refusal(tooLarge(text.length));
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) throw new Refusal('There is no text.');
  const conflict = /^(?:<{7}|>{7}) /m.exec(text);
  if (conflict !== null) {
    throw new Refusal(
      `This has merge conflicts, the first at ${placeAt(text, conflict.index)}. Resolve them first.`,
    );
  }
  const list = /theme/i.test(fileName) ? 'theme' : undefined;
  if (first === '{' || first === '[') return readJson(text, list);
  const head = text.slice(0, 64 * 1024);
  if (first === '<') throw new Refusal(aboutXml(head));
  if (/^__metadata:/m.test(head)) return readYarnBerry(parseYaml(text));
  if (/^lockfileVersion:/m.test(head)) return readPnpmLock(parseYaml(text));
  if (/^SPDXVersion:/m.test(head)) return readSpdxTagValue(text);
  if (/^spdxVersion:/m.test(head)) return readSpdx(membersOf(parseYaml(text)[0]) ?? {}, 'YAML');
  if (looksLikeWpTable(text)) return readWpTable(text, list);
  if (/^# yarn lockfile v\d/m.test(head) || /^"?@?[^\s"#@]+@[^\n]*:\r?\n {2}"?version"? /m.test(head))
    return readYarnClassic(text);
  if (/\.json$/i.test(fileName)) parseJson(text);
  throw new UnknownFormat(
    `This is not one of the accepted formats; it begins ${JSON.stringify(clip(head.trimStart().split('\n', 1)[0], 60))}.`,
  );
}

/** Of a text of so many characters, or a file of so many bytes. */
export function tooLarge(size: number): string {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return `This has ${megabytes} MB; at most ${MAX_CHARS / 1024 / 1024} MB are read. Split it, or list just what is installed: \`npm ls --all --json\`.`;
}

function readJson(text: string, list: ListType | undefined): Inventory {
  if (/"lockfileVersion":[^{]*"workspaces":\s*\{\s*"":/.test(text.slice(0, 4096)))
    return readBunLock(parseYaml(text));
  const value = parseJson(text);
  if (Array.isArray(value)) return readArray(value, list);
  const document = membersOf(value) ?? {};
  const sbom = membersOf(member(document, 'sbom')); // how GitHub's API wraps it
  if (sbom !== undefined && Object.hasOwn(sbom, 'spdxVersion')) return readSpdx(sbom, 'JSON');
  const readers = JSON_READERS.filter(({ recognises }) => recognises(document));
  if (readers.length > 1) {
    const both = readers.map(({ format }) => format).join(' and ');
    throw new Refusal(
      `This looks like ${both} at once, so it is not read. Remove what does not belong there.`,
    );
  }
  if (readers.length === 1) return readers[0].read(document);
  const other = OTHERS.find(([names]) => names.every((name) => Object.hasOwn(document, name)));
  if (other !== undefined) throw new Refusal(other[1]);
  if (typeof member(document, 'version') === 'number' && membersOf(member(document, 'dependencies'))) {
    throw new Refusal(
      'This looks like a packages.lock.json of NuGet, which is not read. Make a CycloneDX SBOM of the project.',
    );
  }
  if (membersOf(member(document, 'dependencies')) ?? membersOf(member(document, 'devDependencies'))) {
    throw new Refusal(
      'This looks like a package.json: it has ranges, not the versions that are installed. Use the package-lock.json beside it, or the output of `npm ls --all --json`.',
    );
  }
  const names = Object.keys(document)
    .slice(0, 5)
    .map((name) => JSON.stringify(clip(name, 40)));
  throw new UnknownFormat(
    `This is JSON, but none of the accepted formats; ${names.length === 0 ? 'it is empty' : `it has the members ${names.join(', ')}`}.`,
  );
}

interface JsonReader {
  readonly format: string;
  /** By more than one member wherever another file could have the one. */
  readonly recognises: (document: Members) => boolean;
  readonly read: (document: Members) => Inventory;
}

const JSON_READERS: readonly JsonReader[] = [
  {
    format: 'CycloneDX',
    recognises: (document) => member(document, 'bomFormat') === 'CycloneDX',
    read: readCycloneDx,
  },
  {
    format: 'SPDX 2',
    recognises: (document) => Object.hasOwn(document, 'spdxVersion'),
    read: (document) => readSpdx(document, 'JSON'),
  },
  {
    format: 'SPDX 3',
    recognises: (document) => {
      const context = member(document, '@context');
      return [context, ...listOf(context)].some((one) => textOf(one)?.includes('spdx.org/rdf/3'));
    },
    read: readSpdx3,
  },
  {
    format: 'package-lock.json',
    recognises: (document) => Object.hasOwn(document, 'lockfileVersion'),
    read: readNpmLock,
  },
  { format: 'deno.lock', recognises: isDenoLock, read: readDenoLock },
  {
    format: '`npm ls --json`',
    recognises: (document) => !Object.hasOwn(document, 'lockfileVersion') && isNpmLs(document),
    read: (document) => readNpmLs([document], false),
  },
];

function readArray(items: readonly unknown[], list: ListType | undefined): Inventory {
  const objects = items.map(membersOf).filter((item) => item !== undefined);
  if (objects.length === items.length) {
    const isListItem = (item: Members): boolean =>
      textOf(member(item, 'name') ?? member(item, 'slug')) !== undefined;
    // pnpm's projects have a version too, but also a path and dependencies.
    const isProject = (item: Members): boolean =>
      Object.hasOwn(item, 'path') || DEPENDENCIES.some((name) => membersOf(member(item, name)) !== undefined);
    if (objects.length > 0 && objects.every(isProject)) return readNpmLs(objects, true);
    if (objects.every((item) => isListItem(item) && Object.hasOwn(item, 'version')))
      return readWpJson(items, list);
  }
  throw new UnknownFormat(
    `This is a JSON array, but neither \`wp plugin list --format=json\` (objects with name and version) nor \`pnpm ls --json\`.`,
  );
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'unsavedDependencies'];

/**
 * A tree has objects where package.json has ranges. Without dependencies, npm prints the name and version
 * alone.
 */
function isNpmLs(document: Members): boolean {
  const dependencies = membersOf(member(document, 'dependencies'));
  if (dependencies === undefined) {
    return (
      Object.keys(document).every((name) =>
        ['name', 'version', 'problems', 'invalid', 'extraneous'].includes(name),
      ) && Object.hasOwn(document, 'name')
    );
  }
  const entries = Object.values(dependencies).map(membersOf);
  return entries.every((entry) => entry !== undefined && isNpmLsEntry(entry));
}

/** Installed, missing, or an optional one that is neither; NuGet's lockfile has packages by framework. */
function isNpmLsEntry(entry: Members): boolean {
  const isNamed = ['version', 'from', 'resolved'].some((name) => textOf(member(entry, name)) !== undefined);
  return (
    isNamed || member(entry, 'missing') === true || Object.values(entry).every((value) => !membersOf(value))
  );
}

/** Files that people take for one of the accepted, by their members, and what to do. */
const OTHERS: readonly (readonly [readonly string[], string])[] = [
  [
    ['auditReportVersion'],
    'This is a report of `npm audit`. Use the package-lock.json, or the output of `npm ls --all --json`.',
  ],
  [
    ['content-hash', 'packages'],
    'This is a composer.lock, which is not supported. For the plugins of a site, use the output of `wp plugin list --format=csv`; or make a CycloneDX SBOM of it.',
  ],
  [['runs', 'version'], 'This is SARIF: a report, not an inventory. Use the file that the report is about.'],
];

function aboutXml(head: string): string {
  if (/cyclonedx\.org\/schema/i.test(head))
    return 'This is CycloneDX in XML. Only its JSON is read: `cyclonedx convert --input-file bom.xml --output-file bom.json`.';
  if (/spdx\.org\/rdf/i.test(head)) return 'This is SPDX in RDF/XML. Only JSON, YAML and tag-value are read.';
  return 'This looks like XML or HTML, which is not supported.';
}
