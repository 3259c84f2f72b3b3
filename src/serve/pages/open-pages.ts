// The pages of a serving process: the console and the page of the API, read once, in the supervisor, for all
// threads and both ports. Where they are not built, everything else is served, and their paths say so.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DIALECTS } from '../../dialects/dialects.ts';
import type { Selection } from '../../dialects/mounts.ts';
import type { Pages } from '../../dialects/page-routes.ts';
import { patchstack } from '../../dialects/patchstack/patchstack.ts';
import { VERSION } from '../../http/openapi/document.ts';
import { makeStaticFiles, type StaticFiles, type StaticSource } from '../../http/replies/static-files.ts';
import type { Log } from '../log/log.ts';
import { PAGE_HEADERS } from './page-headers.ts';

export interface OpenPages {
  /** For the workers. */
  readonly service: Pages;
  /** The console's files for the operations port: the same bytes, with settings of their own. */
  readonly operations: StaticFiles;
  /** Whether there are any. */
  readonly isBuilt: boolean;
}

/** Which port a page came from. */
type Port = 'service' | 'operations';

const SETTINGS = '/settings.json';
const NOT_BUILT =
  'The console is not built on this server: run `npm run build` in its checkout, then restart it.';
const UNREADABLE =
  'The files of the console could not be read; the log of this server says why. Fix that, then restart it.';

// Beside the program, or where `npm run build` puts it if the sources themselves are running.
const BUILT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/' : '../../', import.meta.url),
);

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

/** Never throws for files: what is wrong with them is logged, and said to whoever asks for a page. */
export function openPages(selection: Selection, log: Pick<Log, 'warn'>, built: string = BUILT): OpenPages {
  try {
    const console = makeStaticFiles(readFiles(`${built}/console`), PAGE_HEADERS);
    const docs = makeStaticFiles(readFiles(`${built}/docs`), PAGE_HEADERS);
    const on = (port: Port): StaticFiles => new Map([...console, ...settingsFile(port, selection)]);
    return {
      service: { console: on('service'), docs, absence: undefined },
      operations: on('operations'),
      isBuilt: true,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error; // not of the file system
    const isMissing = code === 'ENOENT';
    if (isMissing) log.warn({ built }, 'the console is not built: run `npm run build`, then restart');
    else log.warn({ err: error }, 'the files of the console cannot be read: /console and /docs are 404');
    const absence = isMissing ? NOT_BUILT : UNREADABLE;
    return {
      service: { console: new Map(), docs: new Map(), absence },
      operations: new Map(),
      isBuilt: false,
    };
  }
}

/** What the page must know about the server before it asks for anything else. */
function settingsFile(port: Port, selection: Selection): StaticFiles {
  const contract = selection.dialects.find(({ name }) => name === patchstack.name);
  const settings = {
    version: VERSION,
    port,
    contract: contract?.mounts[0].path ?? null,
    mounts: selection.dialects.flatMap(({ name, mounts }) =>
      DIALECTS.some((dialect) => dialect.name === name)
        ? { name, paths: mounts.map(({ path }) => path) }
        : [],
    ),
  };
  const bytes = Buffer.from(JSON.stringify(settings));
  return makeStaticFiles([{ path: SETTINGS, contentType: 'application/json', bytes }], PAGE_HEADERS);
}

/**
 * The built files of a folder, without those below it: each once, with the compressed forms that the build
 * has put beside it; index.html is that of '/'. Throws what the file system throws.
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
