// A real registry (the Debian package docker-registry) with an empty storage, and pushing to it as
// `oras push` does.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../folder.ts';
import { until } from '../until.ts';
import { freePort } from './ports.ts';
import type { ProcessOwner } from './server-process.ts';

/** Whether it is installed. */
export const hasRegistry = (): boolean => spawnSync('docker-registry', ['--version']).status === 0;

export const REGISTRY_USER = 'replica';
export const REGISTRY_PASSWORD = 'open sesame';
/** Of that password, by bcrypt. */
const HTPASSWD = `${REGISTRY_USER}:$2b$04$DAS1T.w0EyDfqvGjVZ8pAOlBSV2wZa3fRckITx40gsz.ZcU6mnxYK\n`;

const EMPTY_CONFIG = Buffer.from('{}');

export class Registry {
  readonly host: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<void>;
  readonly #headers: Readonly<Record<string, string>>;

  static async start(
    owner: ProcessOwner & { readonly after: (clean: () => void) => void },
    { hasUsers = false }: { readonly hasUsers?: boolean } = {},
  ): Promise<Registry> {
    const folder = temporaryFolder(owner);
    const port = await freePort();
    const htpasswd = join(folder, 'htpasswd');
    writeFileSync(htpasswd, HTPASSWD);
    const auth = hasUsers ? { auth: { htpasswd: { realm: 'test', path: htpasswd } } } : {};
    const config = join(folder, 'config.yml');
    // JSON is YAML.
    writeFileSync(
      config,
      JSON.stringify({
        version: '0.1',
        log: { level: 'error' },
        storage: { filesystem: { rootdirectory: join(folder, 'storage') } },
        http: { addr: `127.0.0.1:${port}` },
        ...auth,
      }),
    );
    const registry = new Registry(`127.0.0.1:${port}`, config, hasUsers);
    owner.after(() => registry.#stop());
    await until('the registry answers', async () => {
      const answer = await fetch(`http://${registry.host}/v2/`).catch(() => undefined);
      return answer !== undefined;
    });
    return registry;
  }

  private constructor(host: string, config: string, hasUsers: boolean) {
    this.host = host;
    const basic = Buffer.from(`${REGISTRY_USER}:${REGISTRY_PASSWORD}`).toString('base64');
    this.#headers = hasUsers ? { authorization: `Basic ${basic}` } : {};
    this.#child = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
    this.#exit = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  /** Each file becomes a layer with its name as the title; the tag is moved last. */
  async push(repository: string, tag: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const layers = [];
    for (const [title, bytes] of files) {
      const layer = await this.#pushBlob(repository, bytes, 'application/vnd.oci.image.layer.v1.tar');
      layers.push({ ...layer, annotations: { 'org.opencontainers.image.title': title } });
    }
    const config = await this.#pushBlob(repository, EMPTY_CONFIG, 'application/vnd.oci.empty.v1+json');
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const body = JSON.stringify({ schemaVersion: 2, mediaType, config, layers });
    await this.#ask(`/v2/${repository}/manifests/${tag}`, 'PUT', body, { 'content-type': mediaType });
  }

  async #pushBlob(repository: string, bytes: Uint8Array, mediaType: string) {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const begun = await this.#ask(`/v2/${repository}/blobs/uploads/`, 'POST');
    const place = new URL(begun.headers.get('location') ?? '', `http://${this.host}`);
    place.searchParams.set('digest', digest);
    await this.#ask(place.href, 'PUT', bytes, { 'content-type': 'application/octet-stream' });
    return { mediaType, digest, size: bytes.length };
  }

  async #ask(
    path: string,
    method: string,
    body?: Uint8Array | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const answer = await fetch(new URL(path, `http://${this.host}`), {
      method,
      headers: { ...this.#headers, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async #stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exit;
  }
}
