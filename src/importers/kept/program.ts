// What says that two runs convert alike: the modules that convert, byte for byte, and what runs them. A
// number to be raised by hand would one day be forgotten, and what an older build made of an entry would be
// kept.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Those whose code decides what a draft says. */
const FOLDERS = ['importers', 'index', 'compiler'];

let known: string | undefined;

/** `version` is that of the release, which decides about the packages; Node words some problems. */
export function programOf(version: string): string {
  known ??= hashOfModules(fileURLToPath(new URL('../..', import.meta.url)));
  return `${version} ${process.version} ${known}`;
}

function hashOfModules(root: string): string {
  const hash = createHash('sha256');
  for (const folder of FOLDERS) {
    const names = readdirSync(join(root, folder), { recursive: true }) as string[]; // no encoding: texts
    for (const name of names.filter((each) => /\.[jt]s$/.test(each)).toSorted()) {
      hash.update(`${folder}/${name}\0`).update(readFileSync(join(root, folder, name)));
    }
  }
  return hash.digest('hex');
}
