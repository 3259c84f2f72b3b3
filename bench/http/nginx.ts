// nginx, configured for speed: our exact bytes as static files, and short replies as `return`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Running, start } from './child.ts';
import { freePort } from './free-port.ts';
import { type BenchRequest, type CapturedScenario, send } from './requests.ts';
import type { Place, Target } from './target.ts';

const MAX_RETURN_BYTES = 1_024;

export interface NginxPlan {
  readonly folder: string;
  readonly port: number;
  readonly workers: number;
  /** Served at `/return`; without it only files are served. */
  readonly returned?: { readonly status: number; readonly body: string };
}

/** The configuration: everything below one folder, no log, open files and their sizes cached. */
export function nginxConfig({ folder, port, workers, returned }: NginxPlan): string {
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

/** Static files with the bytes of our server's answers. */
export function nginxFiles(place: Place): Target {
  const nginx = makeNginx(place);
  return {
    name: 'nginx-file',
    prepare: async (scenario) => {
      // A file cannot answer a request body or a missing key; a 304 needs a file too.
      if (scenario.requests[0].method !== 'GET' || scenario.status >= 400) return undefined;
      if (scenario.status === 304) return notModified(nginx, scenario, place);
      const names = writeFiles(
        place.folder,
        scenario.replies.map(({ body }) => body),
      );
      const running = await nginx.start();
      return {
        running,
        requests: scenario.requests.map((request, i) => ({ ...request, path: `/${names[i]}` })),
      };
    },
    stop: nginx.stop,
  };
}

/** `return` with the same status and bytes, if they are short and the same for every request. */
export function nginxReturn(place: Place): Target {
  const nginx = makeNginx(place);
  return {
    name: 'nginx-return',
    prepare: async ({ requests, replies, typical }) => {
      const body = typical.body.toString();
      const isConstant = replies.every((reply) => reply.body.equals(typical.body));
      // A dollar sign would begin a variable, and cannot be escaped.
      const isWritable = body.length <= MAX_RETURN_BYTES && !body.includes('$');
      if (!isConstant || !isWritable || requests[0].method !== 'GET') return undefined;
      const running = await nginx.start({ status: typical.status, body });
      return { running, requests: requests.map((request) => ({ ...request, path: '/return' })) };
    },
    stop: nginx.stop,
  };
}

async function notModified(
  nginx: ReturnType<typeof makeNginx>,
  { requests }: CapturedScenario,
  { folder }: Place,
): Promise<{ running: Running; requests: BenchRequest[] }> {
  const [name] = writeFiles(folder, [Buffer.from('{}')]);
  const running = await nginx.start();
  const whole = await send(running.address, { method: 'GET', path: `/${name}`, headers: {} });
  const tag = whole.headers.find(([header]) => header === 'etag')?.[1] ?? '';
  return {
    running,
    requests: requests.map((request) => ({
      ...request,
      path: `/${name}`,
      headers: { ...request.headers, 'If-None-Match': tag },
    })),
  };
}

/** Writes each distinct body once; returns the name of each body's file. */
function writeFiles(folder: string, bodies: readonly Buffer[]): string[] {
  const files = join(folder, 'files');
  mkdirSync(files, { recursive: true });
  const names = new Map<string, string>();
  return bodies.map((body) => {
    const text = body.toString('latin1');
    const name = names.get(text) ?? `${names.size}.json`;
    if (!names.has(text)) {
      names.set(text, name);
      writeFileSync(join(files, name), body);
    }
    return name;
  });
}

/** A new process for each scenario: nginx caches files that are replaced between scenarios. */
function makeNginx({ folder, workers, cores }: Place) {
  let running: Running | undefined;
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  return {
    stop,
    start: async (returned?: NginxPlan['returned']): Promise<Running> => {
      await stop();
      const port = await freePort();
      const config = join(folder, 'nginx.conf');
      writeFileSync(
        config,
        nginxConfig({ folder, port, workers, ...(returned === undefined ? {} : { returned }) }),
      );
      const address = `http://127.0.0.1:${port}`;
      running = await start({
        command: 'nginx',
        words: ['-p', folder, '-c', config, '-e', join(folder, 'error.log')],
        cores,
        ready: () => answers(address),
      });
      return running;
    },
  };
}

function answers(address: string): Promise<string | undefined> {
  return fetch(`${address}/`).then(
    () => address,
    () => undefined,
  );
}
