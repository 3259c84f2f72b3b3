// The tarballs of the fake registry's packages. Their bytes follow from the package alone, so that a lockfile
// can name the checksum of a package that nobody has asked for yet.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type InventedPackage, keyOf, type PackageId, versionsByName } from './packages.ts';

/** Below the registry's base, without a slash at its start. */
export function tarballPath({ name, version }: PackageId): string {
  return `${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
}

const tarballs = new Map<InventedPackage, Buffer>();

export function tarballOf(item: InventedPackage): Buffer {
  const known = tarballs.get(item);
  if (known !== undefined) return known;
  const made = gzipSync(
    archive([
      ['package/package.json', `${JSON.stringify(manifestOf(item))}\n`],
      ['package/index.js', item.index ?? `module.exports = ${JSON.stringify(keyOf(item))};\n`],
    ]),
  );
  tarballs.set(item, made);
  return made;
}

/** The package's own package.json. */
export function manifestOf({
  name,
  version,
  dependencies,
  ranges,
}: InventedPackage): Record<string, unknown> {
  return { name, version, main: 'index.js', dependencies: { ...versionsByName(dependencies), ...ranges } };
}

/** As in a packument and in lockfiles. */
export function integrityOf(item: InventedPackage): string {
  return `sha512-${createHash('sha512').update(tarballOf(item)).digest('base64')}`;
}

const BLOCK = 512;

/** A tar archive in the ustar form. Requires: names below 100 bytes. */
function archive(files: readonly (readonly [name: string, text: string])[]): Buffer {
  const blocks = files.flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(name, content.length), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/**
 * Fields by offset: name 0, mode 100, owner 108, group 116, size 124, time 136, checksum 148, type 156, magic
 * 257.
 */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, digits: number): void => {
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, offset);
  };
  block.write(name, 0);
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write(' '.repeat(8), 148); // the checksum counts its own field as spaces
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
