// The proxies of deploy/ that put the server and a registry behind one address, started as their files say;
// only addresses and paths are replaced.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type FolderOwner, temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/process/ports.ts';

export interface ProxyPlan {
  /** The server's port. */
  readonly server: number;
  /** The registry's port; it speaks TLS. */
  readonly registry: number;
  /** The file with the registry's certificate. */
  readonly certificate: string;
  /** The key that the proxy has for the server. */
  readonly key: string;
}

export interface NpmProxy {
  readonly name: string;
  readonly isInstalled: () => boolean;
  /** Whether it accepts its configuration; the output if not. */
  readonly check: (folder: string) => string | undefined;
  readonly start: (owner: FolderOwner, plan: ProxyPlan) => Promise<RunningProxy>;
}

export interface RunningProxy {
  readonly port: number;
  /** What it has logged about requests. */
  readonly log: () => string;
}

/** A stand-in for the server or the registry, which notes what reaches it and answers `{"from": name}`. */
export interface Recorder {
  readonly port: number;
  readonly seen: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly bytes: number }[];
}

const HAPROXY_FILE = 'deploy/haproxy-npm.cfg';
const NGINX_FILE = 'deploy/nginx-npm.conf';
const UNUSED: ProxyPlan = {
  server: 1,
  registry: 1,
  certificate: '/etc/ssl/certs/ca-certificates.crt',
  key: '',
};

export const NPM_PROXIES: readonly NpmProxy[] = [
  {
    name: 'HAProxy',
    isInstalled: () => spawnSync('haproxy', ['-v']).status === 0,
    check: () => problemsOf('haproxy', ['-c', '-f', HAPROXY_FILE]),
    start: async (owner, plan) => {
      const port = await freePort();
      const child = spawn('haproxy', ['-db', '-f', HAPROXY_FILE], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          VULNDEX_BIND: `127.0.0.1:${port}`,
          VULNDEX_REPLICA_A: `127.0.0.1:${plan.server}`,
          VULNDEX_KEY: plan.key,
          NPM_REGISTRY: `127.0.0.1:${plan.registry}`,
          NPM_REGISTRY_CA: plan.certificate,
        },
      });
      const output = follow(owner, child);
      await answering(port, output);
      return { port, log: output };
    },
  },
  {
    name: 'nginx',
    isInstalled: () => spawnSync('nginx', ['-v']).status === 0,
    check: (folder) => problemsOf('nginx', ['-t', ...nginxWords(folder, 1, UNUSED)]),
    start: async (owner, plan) => {
      const folder = temporaryFolder(owner);
      const port = await freePort();
      const child = spawn('nginx', nginxWords(folder, port, plan), { stdio: ['ignore', 'pipe', 'pipe'] });
      await answering(port, follow(owner, child));
      return { port, log: () => readFileSync(join(folder, 'access.log'), 'utf8') };
    },
  },
];

function problemsOf(command: string, words: readonly string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  return status === 0 ? undefined : stdout + stderr;
}

/**
 * Writes the configuration that includes the recipe, and the recipe with its addresses and paths replaced.
 */
function nginxWords(folder: string, port: number, plan: ProxyPlan): string[] {
  let recipe = readFileSync(NGINX_FILE, 'utf8');
  const replacements = [
    ['127.0.0.1:8080;', `127.0.0.1:${plan.server};`],
    ['127.0.0.1:8001;', `127.0.0.1:${port};`],
    ['proxy_pass https://registry.npmjs.org;', `proxy_pass https://127.0.0.1:${plan.registry};`],
    ['/etc/ssl/certs/ca-certificates.crt', plan.certificate],
    ['/etc/nginx/vulndex-key.conf', join(folder, 'key.conf')],
    ['/var/log/nginx/vulndex-npm.log', join(folder, 'access.log')],
    ['/var/log/nginx/vulndex-npm-error.log', join(folder, 'error.log')],
  ] as const;
  for (const [from, to] of replacements) {
    if (recipe.split(from).length !== 2) throw new Error(`${NGINX_FILE} does not have ${from} once`);
    recipe = recipe.replace(from, to);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'recipe.conf'), recipe);
  writeFileSync(join(folder, 'key.conf'), `proxy_set_header PSKey "${plan.key}";\n`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const main = join(folder, 'nginx.conf');
  // Started by root, nginx would serve as a user without access to the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    main,
    `${user}\ndaemon off;\nmaster_process off;\npid ${join(folder, 'nginx.pid')};\nevents { worker_connections 64; }\n` +
      `http {\n${paths.join('\n')}\ninclude ${join(folder, 'recipe.conf')};\n}\n`,
  );
  return ['-p', folder, '-c', main, '-e', join(folder, 'start.log')];
}

function follow(owner: FolderOwner, child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  owner.after(() => void child.kill('SIGKILL'));
  return () => output;
}

/** Resolves when the proxy answers for the server. */
async function answering(port: number, output: () => string): Promise<void> {
  for (let look = 0; look < 200; look++) {
    try {
      const { status } = await fetch(`http://127.0.0.1:${port}/-/npm/v1/security/ready`);
      if (status < 500) return;
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the proxy does not answer:\n${output()}`);
}

/** With a certificate, it speaks TLS. */
export async function startRecorder(
  owner: FolderOwner,
  name: string,
  tls?: { readonly key: string; readonly cert: string },
): Promise<Recorder> {
  const seen: Recorder['seen'] = [];
  const listener: Parameters<typeof createServer>[1] = (request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      const { url: path = '', headers } = request;
      if (path !== '/readyz') seen.push({ path, headers, bytes });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ from: name }));
    });
  };
  const server: HttpServer = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  owner.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { port, seen };
}

/**
 * A self-signed certificate for the public registry's name, and its key; undefined if there is no openssl.
 */
export function registryCertificate(
  owner: FolderOwner,
): { readonly file: string; readonly key: string; readonly cert: string } | undefined {
  const folder = temporaryFolder(owner);
  const [file, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=registry.npmjs.org', '-addext', 'subjectAltName=DNS:registry.npmjs.org'],
    ...['-keyout', keyFile, '-out', file],
  ]);
  if (status !== 0) return undefined;
  return { file, key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8') };
}
