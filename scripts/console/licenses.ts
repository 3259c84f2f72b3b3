// The licences of the packages whose code is in a bundle: their terms ask for the text to come along.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:\.(?:md|txt))?$/i;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The folders of packages that inputs come from, each once, by name. */
export function bundledPackages(root: string, inputs: readonly string[]): string[] {
  const found = new Set<string>();
  for (const input of inputs) {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(input) ?? [];
    if (name !== undefined)
      found.add(`${input.slice(0, input.lastIndexOf(`node_modules/${name}/`))}node_modules/${name}`);
  }
  return [...found].sort().map((folder) => join(root, folder));
}

/** One text with name, version and licence of each. Throws if a package has no licence file. */
export function licenseTexts(folders: readonly string[]): string {
  return folders.map(licenseText).join(`\n${'='.repeat(80)}\n\n`);
}

function licenseText(folder: string): string {
  // npm has read it, so it is valid.
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file) || /\.LICENSE\.txt$/.test(file));
  if (files.length === 0)
    throw new Error(`${name} ${version} is bundled but has no licence file in ${folder}`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}
