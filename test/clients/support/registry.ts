// A registry on loopback: packuments and tarballs of invented packages, and a record of what it was asked. It
// has no audit routes: those are the server's.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import semver from 'semver';
import type { InventedPackage, Packages } from './packages.ts';
import { integrityOf, manifestOf, tarballOf, tarballPath } from './tarballs.ts';

export interface AskedRegistry {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A test's context. */
interface RegistryOwner {
  readonly after: (clean: () => void | Promise<void>) => void;
}

export class FakeRegistry {
  readonly asked: AskedRegistry[] = [];
  readonly #packages: Packages;
  readonly #server: Server;
  #base = '';

  static async start(owner: RegistryOwner, packages: Packages): Promise<FakeRegistry> {
    const registry = new FakeRegistry(packages);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    const { port } = registry.#server.address() as AddressInfo; // listening on TCP
    registry.#base = `http://127.0.0.1:${port}/`;
    owner.after(() => registry.#stop());
    return registry;
  }

  private constructor(packages: Packages) {
    this.#packages = packages;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** Its URL, with a slash at its end. */
  get base(): string {
    return this.#base;
  }

  /** The same under another host name: npm takes a key along to every port of a host. */
  get elsewhere(): string {
    return this.#base.replace('127.0.0.1', 'localhost');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    this.asked.push({ method, path: url, authorization: headers.authorization });
    request.resume();
    const path = decodeURIComponent(url.slice(1).split('?')[0]);
    const found = method === 'GET' || method === 'HEAD' ? this.#find(path) : undefined;
    const body = found ?? JSON.stringify({ error: 'Not found' });
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }

  /** A packument as text, a tarball as bytes. */
  #find(path: string): string | Buffer | undefined {
    const [name, file] = path.split('/-/');
    const versions = this.#packages.get(name);
    if (versions === undefined) return undefined;
    if (file === undefined) return JSON.stringify(this.#packument(name, versions));
    const item = versions.find((candidate) => tarballPath(candidate) === path);
    return item === undefined ? undefined : tarballOf(item);
  }

  #packument(name: string, versions: readonly InventedPackage[]): Record<string, unknown> {
    const newest = versions.findLast(({ version }) => semver.prerelease(version) === null) ?? versions[0];
    return {
      _id: name,
      name,
      'dist-tags': { latest: newest.version },
      versions: Object.fromEntries(versions.map((item) => [item.version, this.#versionOf(item)])),
      time: Object.fromEntries(versions.map(({ version }) => [version, '2026-01-01T00:00:00.000Z'])),
    };
  }

  #versionOf(item: InventedPackage): Record<string, unknown> {
    const dist = { tarball: `${this.#base}${tarballPath(item)}`, integrity: integrityOf(item) };
    return { ...manifestOf(item), dist };
  }

  async #stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
