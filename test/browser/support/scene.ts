// What the tests of one file share: a browser, the built server with data and keys, and, if it is asked for,
// a background load that must not notice anything of what happens in the browser.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { hashKey, type KeysFile, makeKey } from '../../../src/access/keys-file.ts';
import { ENDPOINTS } from '../../../src/dialects/dialects.ts';
import type { FeedJson } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeFailures, Load, type LoadPlan } from '../../support/load/load.ts';
import { mixedRequests } from '../../support/load/mix.ts';
import { type ProcessOwner, type ServeOptions, ServerProcess } from '../../support/process/server-process.ts';
import { until } from '../../support/until.ts';
import { type Data, inventData } from './data.ts';
import { launchBrowser } from './launch.ts';
import { type Visit, visit } from './visit.ts';

const CONNECTIONS = 6;
const PAUSE_MS = 15; // some 300 requests a second: the browser shares the cores
const SEED = 17;
const REQUESTS = 500; // each of the mix about once
/** Without it the browser has the cores for itself. */
const isLoaded = process.env.VULNDEX_BROWSER_LOAD === '1';

/** Tiers by name; each has one key. */
const TIERS = {
  all: ENDPOINTS,
  /** Looks up, without suggestions, inventories, statistics and operations. */
  little: ['product', 'exists'],
  /** Sees what the process does, and gives no orders. */
  watch: ENDPOINTS.filter((name) => name !== 'operate'),
} as const;

export interface VisitOptions {
  /** What comes after `/console/`, such as `#/lookup?type=npm`. */
  readonly at?: string;
  /** In the session storage before the page starts; by default the key of the tier with every right. */
  readonly key?: string;
  readonly context?: BrowserContextOptions;
  /** Complaints that belong to the test, as `VisitPlan` has them. */
  readonly expected?: readonly RegExp[];
  /** Visits the operations port; of this server, if it is another one. */
  readonly operations?: boolean | Pick<ServerProcess, 'opsPort'>;
}

export class Scene {
  readonly browser: Browser;
  readonly keys: Readonly<Record<keyof typeof TIERS, string>>;
  readonly data: Data;
  readonly #owner: ProcessOwner;
  readonly #folder: string;
  readonly #options: ServeOptions;
  #server: ServerProcess;
  #load: Load | undefined;

  /** Ends with the tests of the file. `options` are further ones of `serve`. */
  static async start(options: ServeOptions = {}): Promise<Scene> {
    // In reverse, and one after another: the load ends before the server does.
    const ends: (() => void | Promise<void>)[] = [];
    const owner = { after: (end: () => void | Promise<void>) => void ends.unshift(end) };
    after(async () => {
      const failures: unknown[] = [];
      for (const end of ends) await (async () => end())().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    });
    const folder = temporaryFolder(owner);
    mkdirSync(join(folder, 'snapshots'));
    mkdirSync(join(folder, 'builds'));
    const data = inventData(folder);
    const keys = { all: makeKey(), little: makeKey(), watch: makeKey() };
    const browser = launchBrowser(owner);
    await data.compile(join(folder, 'snapshots', '1.vdx'), 1);
    writeKeys(folder, keys);
    const server = await startServer({ owner, folder, options });
    const scene = new Scene({ browser: await browser, keys, data, owner, folder, options, server });
    await scene.prepared();
    owner.after(() => scene.#assertSilent());
    scene.#startLoad();
    return scene;
  }

  private constructor(parts: {
    readonly browser: Browser;
    readonly keys: Readonly<Record<keyof typeof TIERS, string>>;
    readonly data: Data;
    readonly owner: ProcessOwner;
    readonly folder: string;
    readonly options: ServeOptions;
    readonly server: ServerProcess;
  }) {
    this.browser = parts.browser;
    this.keys = parts.keys;
    this.data = parts.data;
    this.#owner = parts.owner;
    this.#folder = parts.folder;
    this.#options = parts.options;
    this.#server = parts.server;
  }

  get server(): ServerProcess {
    return this.#server;
  }

  /** The root of the service. */
  get address(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Opens the console in a context of its own, and fails if the page complains about anything unexpected. */
  visit(options: VisitOptions, work: (visit: Visit) => Promise<void>): Promise<void> {
    const { at = '', key = this.keys.all, context = {}, expected = [], operations = false } = options;
    const { opsPort } = typeof operations === 'object' ? operations : this.#server;
    const origin = operations === false ? this.address : `http://127.0.0.1:${opsPort}`;
    return visit({ browser: this.browser, origins: [origin], context, expected }, async (open) => {
      if (key !== '' && operations === false)
        await open.context.addInitScript(
          `location.protocol.startsWith('http') && (sessionStorage.getItem('vulndex-key') ?? sessionStorage.setItem('vulndex-key', ${JSON.stringify(key)}))`,
        );
      await open.page.goto(`${origin}/console/${at}`);
      await work(open);
    });
  }

  /** Adds a key that expires. */
  addKey(key: string, expiresAtMs: number): void {
    const expires = new Date(expiresAtMs).toISOString();
    writeKeys(this.#folder, this.keys, {
      id: 'k_expiring',
      name: 'expiring',
      sha256: hashKey(key),
      tier: 'all',
      expires_at: expires,
    });
  }

  /** Publishes a newer snapshot with further records; returns its id. */
  async publish(number: number, further: readonly FeedJson[] = []): Promise<string> {
    const built = join(this.#folder, 'builds', `${number}.vdx`);
    const id = await this.data.compile(built, number, further);
    renameSync(built, join(this.#folder, 'snapshots', `${number}.vdx`));
    return id;
  }

  /** Starts another server with the same data and keys. */
  another(options: ServeOptions): Promise<ServerProcess> {
    return startServer({ owner: this.#owner, folder: this.#folder, options });
  }

  /** Stops the load, then the server. */
  async stopServer(): Promise<void> {
    await this.#stopLoad();
    this.#assertSilent();
    await this.#server.kill();
  }

  /** Starts the server again, on the same ports. */
  async startAgain(): Promise<void> {
    const { port, opsPort } = this.#server;
    const plan = { owner: this.#owner, folder: this.#folder, options: this.#options };
    this.#server = await startServer({ ...plan, ports: { port, opsPort } });
    this.#startLoad();
  }

  /**
   * Resolves when the files that grow with the data are made, of this snapshot if one is named, and no
   * request is told to come later.
   */
  async prepared(snapshot?: string): Promise<void> {
    const headers = { PSKey: this.keys.all };
    await until('the statistics are prepared', async () => {
      const response = await fetch(`${this.address}/statistics`, { headers });
      const counts = (await response.json()) as { snapshot?: string };
      return response.ok && (snapshot === undefined || counts.snapshot === snapshot);
    });
  }

  /** Sends requests of every kind, so that there is something to show. Fails if one of them does. */
  async sendRequests(): Promise<void> {
    const load = new Load({ ...this.#loadPlan(), requests: REQUESTS });
    await load.finished();
    assert.equal(load.failures.length, 0, describeFailures(load.failures));
  }

  #loadPlan(): LoadPlan {
    const next = mixedRequests(this.data.invented, this.keys.all, SEED);
    return { port: this.#server.port, connections: CONNECTIONS, next };
  }

  #startLoad(): void {
    if (!isLoaded) return;
    this.#owner.after(() => this.#stopLoad());
    this.#load = new Load({ ...this.#loadPlan(), pauseMs: PAUSE_MS });
  }

  /** Fails if a request of the load did. */
  async #stopLoad(): Promise<void> {
    const load = this.#load;
    if (load === undefined) return;
    this.#load = undefined;
    const times = await load.stop();
    console.log(`load meanwhile: ${times.summary()}`);
    assert.equal(load.failures.length, 0, describeFailures(load.failures));
  }

  #assertSilent(): void {
    assert.equal(this.#server.errors, '', 'the server writes nothing to its standard error');
  }
}

interface StartPlan {
  readonly owner: ProcessOwner;
  readonly folder: string;
  readonly options: ServeOptions;
  readonly ports?: { readonly port: number; readonly opsPort: number };
}

function startServer({ owner, folder, options, ports }: StartPlan): Promise<ServerProcess> {
  const [snapshots, keys] = [join(folder, 'snapshots'), join(folder, 'keys.json')];
  return ServerProcess.start(owner, { snapshots, keys, workers: 2, options, ...ports });
}

function writeKeys(
  folder: string,
  keys: Readonly<Record<string, string>>,
  ...further: KeysFile['keys']
): void {
  const content: KeysFile = {
    tiers: Object.fromEntries(
      Object.entries(TIERS).map(([name, endpoints]) => [name, { endpoints, rate: null }]),
    ),
    keys: [
      ...Object.entries(keys).map(([name, key]) => ({
        id: `k_${name}`,
        name,
        sha256: hashKey(key),
        tier: name,
      })),
      ...further,
    ],
  };
  const path = join(folder, 'keys.json');
  writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
