// Which format a text has, by its content; the file's name only helps where contents are alike. The readers
// do the rest.

import type { Inventory } from './inventory.ts';
import { listOf, type Members, member, membersOf, parseJson, textOf } from './json.ts';
import { readCargoLock } from './readers/cargo-lock.ts';
import { isComposerLock, readComposerLock } from './readers/composer-lock.ts';
import { looksLikeGemfileLock, readGemfileLock } from './readers/gemfile-lock.ts';
import { looksLikeGoMod, readGoMod } from './readers/go/go-mod.ts';
import { looksLikeGoSum, readGoSum } from './readers/go/go-sum.ts';
import { looksLikeGradleLockfile, readGradleLockfile } from './readers/java/gradle-lockfile.ts';
import { isPom, readPom } from './readers/java/pom.ts';
import { readBunLock } from './readers/npm/bun-lock.ts';
import { isDenoLock, readDenoLock } from './readers/npm/deno-lock.ts';
import { readNpmLock } from './readers/npm/npm-lock.ts';
import { readNpmLs } from './readers/npm/npm-ls.ts';
import { readPnpmLock } from './readers/npm/pnpm-lock.ts';
import { readYarnBerry } from './readers/npm/yarn-berry.ts';
import { readYarnClassic } from './readers/npm/yarn-classic.ts';
import { isNugetLock, readNugetLock } from './readers/nuget-lock.ts';
import { isPipfileLock, readPipfileLock } from './readers/python/pipfile-lock.ts';
import { readPoetryLock } from './readers/python/poetry-lock.ts';
import { looksLikeRequirements, readRequirements } from './readers/python/requirements-txt.ts';
import { readUvLock } from './readers/python/uv-lock.ts';
import { readCycloneDx } from './readers/sbom/cyclonedx.ts';
import { isCycloneDxXml, readCycloneDxXml } from './readers/sbom/cyclonedx-xml.ts';
import { readSpdx, readSpdx3 } from './readers/sbom/spdx.ts';
import { readSpdxTagValue } from './readers/sbom/spdx-tag-value.ts';
import { type ListType, looksLikeWpTable, readWpJson, readWpTable } from './readers/wp-list.ts';
import { clip, placeAt, Refusal, UnknownFormat } from './refusal.ts';
import { parseToml } from './toml.ts';
import { parseXml } from './xml.ts';
import { parseYaml } from './yaml.ts';

export const MAX_CHARS = 50 * 1024 * 1024;

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
  if (/^\s*\[\[?[a-z][\w.-]*\]\]?\s*$/m.test(text.slice(0, 200)) || /\.toml$/i.test(fileName))
    return readToml(text);
  if (first === '{' || first === '[') return readJson(text, list);
  const head = text.slice(0, 64 * 1024);
  if (first === '<') return readXml(text, head);
  if (/^__metadata:/m.test(head)) return readYarnBerry(parseYaml(text));
  if (/^lockfileVersion:/m.test(head)) return readPnpmLock(parseYaml(text));
  if (/^SPDXVersion:/m.test(head)) return readSpdxTagValue(text);
  if (/^spdxVersion:/m.test(head)) return readSpdx(membersOf(parseYaml(text)[0]) ?? {}, 'YAML');
  if (/^\[\[packages?\]\]/m.test(head)) return readToml(text);
  if (looksLikeWpTable(text)) return readWpTable(text, list);
  const readers = TEXT_READERS.filter(({ recognises }) => recognises(head, head.length === text.length));
  if (readers.length > 0) return theOnly(readers).read(text);
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
  if (readers.length > 0) return theOnly(readers).read(document);
  const other = OTHERS.find(([names]) => names.every((name) => Object.hasOwn(document, name)));
  if (other !== undefined) throw new Refusal(other[1]);
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

/** Throws a Refusal if several know the text as theirs. */
function theOnly<Reader extends { readonly format: string }>(readers: readonly Reader[]): Reader {
  if (readers.length === 1) return readers[0];
  const both = readers.map(({ format }) => format).join(' and ');
  throw new Refusal(`This looks like ${both} at once, so it is not read. Remove what does not belong there.`);
}

interface TextReader {
  readonly format: string;
  /** `isWhole` says whether the head is all of the text. */
  readonly recognises: (head: string, isWhole: boolean) => boolean;
  readonly read: (text: string) => Inventory;
}

const TEXT_READERS: readonly TextReader[] = [
  { format: 'go.mod', recognises: looksLikeGoMod, read: readGoMod },
  { format: 'go.sum', recognises: looksLikeGoSum, read: readGoSum },
  { format: 'Gemfile.lock', recognises: looksLikeGemfileLock, read: readGemfileLock },
  { format: 'gradle.lockfile', recognises: looksLikeGradleLockfile, read: readGradleLockfile },
  { format: 'requirements.txt', recognises: looksLikeRequirements, read: readRequirements },
];

function readToml(text: string): Inventory {
  const document = parseToml(text);
  const readers = TOML_READERS.filter(({ recognises }) => recognises(document));
  if (readers.length > 0) return theOnly(readers).read(document);
  if (
    membersOf(member(document, 'project')) ??
    membersOf(member(document, 'tool')) ??
    membersOf(member(document, 'dependencies'))
  ) {
    throw new Refusal(
      'This is a project, with ranges and not the versions that are installed. Use the lockfile beside it: uv.lock, poetry.lock or Cargo.lock.',
    );
  }
  throw new UnknownFormat(
    'This is TOML, but neither a poetry.lock, a uv.lock nor a Cargo.lock. `uv export`, `pdm export` and `pip freeze` write a requirements.txt.',
  );
}

const TOML_READERS: readonly JsonReader[] = [
  {
    format: 'poetry.lock',
    recognises: (document) => {
      const metadata = membersOf(member(document, 'metadata'));
      return (
        ['lock-version', 'content-hash', 'python-versions'].filter((name) => member(metadata, name)).length >
        1
      );
    },
    read: readPoetryLock,
  },
  {
    format: 'uv.lock',
    recognises: (document) =>
      Object.hasOwn(document, 'requires-python') && typeof member(document, 'version') === 'number',
    read: readUvLock,
  },
  {
    format: 'Cargo.lock',
    recognises: (document) =>
      listOf(member(document, 'package')).length > 0 &&
      !Object.hasOwn(document, 'requires-python') &&
      listOf(member(document, 'package'))
        .map(membersOf)
        .every((entry) => typeof (member(entry, 'source') ?? '') === 'string') &&
      Object.keys(document).every((name) =>
        ['version', 'package', 'metadata', 'root', 'patch'].includes(name),
      ) &&
      !Object.hasOwn(membersOf(member(document, 'metadata')) ?? {}, 'lock_version') &&
      !Object.hasOwn(membersOf(member(document, 'metadata')) ?? {}, 'lock-version'),
    read: readCargoLock,
  },
];

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
  { format: 'composer.lock', recognises: isComposerLock, read: readComposerLock },
  { format: 'Pipfile.lock', recognises: isPipfileLock, read: readPipfileLock },
  { format: 'packages.lock.json', recognises: isNugetLock, read: readNugetLock },
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
  [['runs', 'version'], 'This is SARIF: a report, not an inventory. Use the file that the report is about.'],
];

function readXml(text: string, head: string): Inventory {
  if (/spdx\.org\/rdf/i.test(head))
    throw new Refusal('This is SPDX in RDF/XML. Only JSON, YAML and tag-value are read.');
  if (/^\s*<!doctype html|<html/i.test(head)) throw new Refusal('This is HTML, which is not supported.');
  const root = parseXml(text);
  if (isCycloneDxXml(root)) return readCycloneDxXml(root);
  if (isPom(root)) return readPom(root);
  throw new UnknownFormat(
    `This is XML, but neither a pom.xml nor CycloneDX; its element is ${JSON.stringify(clip(root.name, 40))}.`,
  );
}
