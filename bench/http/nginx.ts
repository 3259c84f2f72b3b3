// nginx, configured for speed: our exact bytes as static files, and short replies as `return`.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CapturedScenario } from './requests.ts';
import type { StartPlan } from './server-process.ts';
import { type Place, restartedTarget, type Target } from './targets.ts';

const MAX_RETURN_BYTES = 1_024;
const MODIFIED_SECONDS = Date.UTC(2026, 0, 1) / 1000;

/** What is served at `/return`; without it only files are served. */
type Returned = { readonly status: number; readonly body: string } | undefined;

/** The configuration: everything below one folder, no log, open files and their sizes cached. */
export function nginxConfig(
  { folder, workers }: Pick<Place, 'folder' | 'workers'>,
  port: number,
  returned?: Returned,
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${folder}/${kind};`)
    .join('\n');
  const body =
    returned === undefined || returned.body === '' ? '' : ` '${returned.body.replace(/['\\]/g, '\\$&')}'`;
  const location =
    returned === undefined ? '' : `\n    location = /return { return ${returned.status}${body}; }`;
  // Started by root, nginx would read the files as a user without access to the folder.
  const user = process.getuid?.() === 0 ? 'user root;\n' : '';
  return `${user}daemon off;
worker_processes ${workers};
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 4096; }
http {
${temporary}
  access_log off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 300s;
  keepalive_requests 1000000000;
  open_file_cache max=10000 inactive=600s;
  open_file_cache_valid 600s;
  default_type application/json;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;${location}
  }
}
`;
}

/** Static files with the bytes of our server's answers. A new process per scenario: nginx caches files. */
export function nginxFiles(place: Place): Target {
  return restartedTarget('nginx-file', ({ requests, replies, status }, port) => {
    // A file cannot answer a request body or a missing key; a 304 needs a file too.
    if (requests[0].method !== 'GET' || status >= 400) return undefined;
    const files = writeFiles(
      place.folder,
      replies.map(({ body }) => (status === 304 ? Buffer.from('{}') : body)),
    );
    return {
      process: processOf(place, port),
      requests: requests.map(({ method, headers }, i) => ({
        method,
        path: `/${files[i].name}`,
        headers: status === 304 ? { ...headers, 'If-None-Match': files[i].tag } : headers,
      })),
    };
  });
}

/** `return` with the same status and bytes, if they are short and the same for every request. */
export function nginxReturn(place: Place): Target {
  return restartedTarget('nginx-return', ({ requests, replies, typical }: CapturedScenario, port) => {
    const body = typical.body.toString();
    const isConstant = replies.every((reply) => reply.body.equals(typical.body));
    // A dollar sign would begin a variable, and cannot be escaped.
    const isWritable = body.length <= MAX_RETURN_BYTES && !body.includes('$');
    if (!isConstant || !isWritable || requests[0].method !== 'GET') return undefined;
    return {
      process: processOf(place, port, { status: typical.status, body }),
      requests: requests.map((request) => ({ ...request, path: '/return' })),
    };
  });
}

/** Writes each distinct body once; returns each body's file, with the entity tag that nginx gives it. */
function writeFiles(folder: string, bodies: readonly Buffer[]): { name: string; tag: string }[] {
  const root = join(folder, 'files');
  mkdirSync(root, { recursive: true });
  const written = new Map<string, { name: string; tag: string }>();
  return bodies.map((body) => {
    const text = body.toString('latin1');
    const known = written.get(text);
    if (known !== undefined) return known;
    const name = `${written.size}.json`;
    const path = join(root, name);
    writeFileSync(path, body);
    utimesSync(path, MODIFIED_SECONDS, MODIFIED_SECONDS);
    const file = { name, tag: `"${MODIFIED_SECONDS.toString(16)}-${body.length.toString(16)}"` };
    written.set(text, file);
    return file;
  });
}

function processOf(place: Place, port: number, returned?: Returned): StartPlan {
  const { folder, cores } = place;
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, nginxConfig(place, port, returned));
  const address = `http://127.0.0.1:${port}`;
  return {
    command: 'nginx',
    words: ['-p', folder, '-c', config, '-e', join(folder, 'error.log')],
    cores,
    ready: () =>
      fetch(`${address}/`).then(
        () => address,
        () => undefined,
      ),
  };
}
