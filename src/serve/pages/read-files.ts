// Reads the built files of a page: each once, with the compressed forms that the build has put beside it.
// scripts/build-console.ts writes them.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { StaticSource } from '../../http/replies/static-files.ts';

const INDEX = 'index.html';
const COMPRESSED = ['.br', '.gz'];
/** Eight digits of a hash at the end of a name: a file with other content has another name. */
const HASHED = /-[\dA-Z]{8}\.\w+$/;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * The files of a folder, without those below it; index.html is that of '/'.
 * Throws what the file system throws.
 */
export function readFiles(folder: string): readonly StaticSource[] {
  const names = readdirSync(folder);
  const present = new Set(names);
  const read = (name: string): Uint8Array | undefined =>
    present.has(name) ? readFileSync(join(folder, name)) : undefined;
  return names
    .filter((name) => !COMPRESSED.includes(extname(name)))
    .map((name) => ({
      path: name === INDEX ? '/' : `/${name}`,
      contentType: CONTENT_TYPES[extname(name)] ?? UNKNOWN_TYPE,
      bytes: readFileSync(join(folder, name)),
      br: read(`${name}.br`),
      gzip: read(`${name}.gz`),
      isForever: HASHED.test(name),
    }));
}
