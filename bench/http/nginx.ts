// nginx, configured for speed: a short constant reply as `return`, others as static files with our exact
// bytes.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/process/ports.ts';
import type { BenchRequest } from '../scenarios.ts';
import type { CapturedScenario } from './requests.ts';
import { type Place, restartedTarget, type Target } from './targets.ts';

const MAX_RETURN_BYTES = 1_024;

/** Everything below one folder, no log, open files and their sizes cached. `location` answers `/return`. */
export function nginxConfig(folder: string, port: number, location: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${folder}/${kind};`)
    .join('\n');
  // Started by root, nginx would read the files as a user without access to the folder.
  const user = process.getuid?.() === 0 ? 'user root;\n' : '';
  return `${user}daemon off;
master_process off;
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
    root ${folder}/files;
    ${location}
  }
}
`;
}

/** A location with the same status and bytes; undefined if they are long, or differ between requests. */
export function returnLocation({ replies, typical }: Pick<CapturedScenario, 'replies' | 'typical'>) {
  const text = typical.body.toString();
  const isConstant = replies.every(({ body }) => body.equals(typical.body));
  // A dollar sign would begin a variable, and cannot be escaped.
  if (!isConstant || text.length > MAX_RETURN_BYTES || text.includes('$')) return undefined;
  const body = text === '' ? '' : ` '${text.replace(/['\\]/g, '\\$&')}'`;
  return `location = /return { return ${typical.status}${body}; }`;
}

/** A new process for each scenario, since nginx caches files. It has no answer to a request body. */
export function nginx(place: Place): Target {
  return restartedTarget('nginx', async (scenario) => {
    const { requests, replies } = scenario;
    if (requests[0].method !== 'GET') return undefined;
    const { folder, core } = place;
    const location = returnLocation(scenario);
    const paths = location === undefined ? writeFiles(folder, replies) : requests.map(() => '/return');
    const port = await freePort();
    const config = join(folder, 'nginx.conf');
    writeFileSync(config, nginxConfig(folder, port, location ?? ''));
    const address = `http://127.0.0.1:${port}`;
    const answers = (): Promise<string | undefined> =>
      fetch(`${address}/`).then(
        () => address,
        () => undefined,
      );
    const words = ['-p', folder, '-c', config, '-e', join(folder, 'error.log')];
    return {
      process: { command: 'nginx', words, core, ready: answers },
      requests: requests.map((request, i): BenchRequest => ({ ...request, path: paths[i] })),
    };
  });
}

/** Writes each distinct body once; returns the path of each. */
function writeFiles(folder: string, replies: CapturedScenario['replies']): string[] {
  const root = join(folder, 'files');
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  const written = new Map<string, string>();
  return replies.map(({ body }) => {
    const text = body.toString('latin1');
    const path = written.get(text) ?? `/${written.size}.json`;
    if (!written.has(text)) writeFileSync(join(root, path), body);
    written.set(text, path);
    return path;
  });
}
