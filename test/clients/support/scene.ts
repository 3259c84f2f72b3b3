// The server with an invented feed, a registry behind it, and a key for each client.

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashKey, type KeysFile, makeKey } from '../../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../../src/dialects/dialects.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type LogLine, ServerProcess } from '../../support/process/server-process.ts';
import { compileRecords } from '../../support/snapshots/snapshots.ts';
import { CLIENTS, type Client, type Target } from './clients.ts';
import { type InventedAdvisory, inventAdvisories } from './feed.ts';
import { inventPackages, type Packages } from './packages.ts';
import { FakeRegistry } from './registry.ts';
import { type Run, runClient, writeProject } from './runs.ts';
import { manifestOf, type Tree } from './trees.ts';

/** A test's context. */
interface SceneOwner {
  readonly after: (clean: () => void | Promise<void>) => void;
}

/** Why the clients cannot be run here; undefined if they can. */
export function whyNoClients(): string | undefined {
  const missing = CLIENTS.filter(({ program }) => !program.every((path) => existsSync(path)));
  if (missing.length === 0) return undefined;
  const names = missing.map(({ name }) => name).join(', ');
  return `not installed: ${names}; npm run test:clients -- --install`;
}

export class Scene {
  readonly packages: Packages;
  readonly advisories: readonly InventedAdvisory[];
  readonly registry: FakeRegistry;
  readonly server: ServerProcess;
  readonly #folder: string;
  readonly #keys: ReadonlyMap<string, string>;

  static async start(owner: SceneOwner, seed: number): Promise<Scene> {
    const packages = inventPackages(seed);
    const advisories = inventAdvisories(packages, seed);
    const folder = temporaryFolder(owner);
    const snapshots = join(folder, 'snapshots');
    mkdirSync(snapshots);
    const made = await compileRecords(
      folder,
      advisories.map(({ record }) => record),
    );
    renameSync(made, join(snapshots, 'test.vdx'));
    const keys = new Map(CLIENTS.map(({ name }) => [name, makeKey()]));
    const keysFile = join(folder, 'keys.json');
    writeFileSync(keysFile, JSON.stringify(keysContent(keys)), { mode: 0o600 });
    const registry = await FakeRegistry.start(owner, packages);
    const server = await ServerProcess.start(owner, {
      snapshots,
      keys: keysFile,
      workers: 1,
      options: { 'access-log': 1, 'npm-upstream': registry.elsewhere, anonymous: 'npm-audit' },
    });
    return new Scene({ packages, advisories, registry, server, folder, keys });
  }

  private constructor(parts: {
    readonly packages: Packages;
    readonly advisories: readonly InventedAdvisory[];
    readonly registry: FakeRegistry;
    readonly server: ServerProcess;
    readonly folder: string;
    readonly keys: ReadonlyMap<string, string>;
  }) {
    this.packages = parts.packages;
    this.advisories = parts.advisories;
    this.registry = parts.registry;
    this.server = parts.server;
    this.#folder = parts.folder;
    this.#keys = parts.keys;
  }

  target({ name }: Client): Target {
    const key = this.#keys.get(name) ?? '';
    return { registry: `http://127.0.0.1:${this.server.port}/npm/`, key };
  }

  /** Writes the tree down in the client's way. Returns the project's folder. */
  project(client: Client, whole: Tree): string {
    const tree = client.regroup?.(whole) ?? whole;
    const folder = join(this.#folder, client.name, tree.name);
    const target = this.target(client);
    writeProject(folder, {
      'package.json': JSON.stringify(manifestOf(tree)),
      [client.lockfile]: client.lock(tree, target),
      ...client.settings(target),
    });
    return folder;
  }

  run(client: Client, project: string, words: readonly string[]): Promise<Run> {
    return runClient(client, { project, words, home: join(this.#folder, client.name, 'home') });
  }

  /**
   * What the server has logged about requests with the client's key; for one that sends none, about anonymous
   * ones.
   */
  requestsOf({ name, sendsKey }: Client): readonly LogLine[] {
    return this.server
      .logged('request')
      .filter(({ keyId }) => keyId === (sendsKey ? keyIdOf(name) : 'anonymous'));
  }
}

const keyIdOf = (name: string): string => `k_${name}`;

function keysContent(keys: ReadonlyMap<string, string>): KeysFile {
  return {
    tiers: {
      clients: { endpoints: ENDPOINTS, rate: null },
      anonymous: { endpoints: ['npm-audit'], rate: null },
    },
    keys: [...keys].map(([name, key]) => ({
      id: keyIdOf(name),
      name,
      sha256: hashKey(key),
      tier: 'clients',
    })),
  };
}
