// A fleet: replicas that follow one store, behind a real HAProxy that keeps a client on its replica, with
// quotas in a real engine.

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/folder.ts';
import { Builds } from '../../support/load/builds.ts';
import { minisignFixture } from '../../support/minisign.ts';
import { type Access, writeAccess } from '../../support/process/access.ts';
import { freePort } from '../../support/process/ports.ts';
import { RealEngine } from '../../support/process/redis.ts';
import { ServerProcess } from '../../support/process/server-process.ts';
import { until } from '../../support/until.ts';
import { FleetStore } from './fleet-store.ts';

/** The header by which HAProxy knows a client again; who does not send it goes to any replica. */
export const CLIENT = 'X-Client';
export const MAX_VERDICT_CHANGE = 20;
export const BURST = 200;
const DRAIN_SECONDS = 2; // longer than HAProxy needs to notice

const run = promisify(execFile);

export interface FleetPlan {
  readonly replicas: number;
  readonly advisories: number;
  /** Of the limited key, for the fleet. */
  readonly requestsPerMinute: number;
}

export class Replica {
  readonly port: number;
  readonly #start: () => Promise<ServerProcess>;
  #server: ServerProcess | undefined;

  constructor(port: number, start: () => Promise<ServerProcess>) {
    this.port = port;
    this.#start = start;
  }

  get server(): ServerProcess {
    if (this.#server === undefined) throw new Error('the replica was not started');
    return this.#server;
  }

  async start(): Promise<void> {
    this.#server = await this.#start();
  }

  /** As when a machine fails. */
  async kill(): Promise<void> {
    await this.server.kill();
  }

  /** Whether it has switched to that snapshot. */
  async serves(snapshot: string): Promise<boolean> {
    try {
      const { status } = await fetch(`http://127.0.0.1:${this.port}/readyz?snapshot=${snapshot}`);
      return status === 200;
    } catch {
      return false;
    }
  }
}

export class Fleet {
  readonly builds: Builds;
  readonly access: Access;
  readonly store: FleetStore;
  readonly engine: RealEngine;
  readonly replicas: readonly Replica[];
  readonly port: number;
  readonly #key: string;

  /** Nothing is published yet, and no replica runs. */
  static async prepare(t: TestContext, plan: FleetPlan): Promise<Fleet> {
    const folder = temporaryFolder(t);
    const store = await FleetStore.start(t, join(folder, 'store'));
    const engine = await RealEngine.start(t);
    const ports = [];
    for (let i = 0; i <= plan.replicas; i++) ports.push(await freePort());
    return new Fleet(t, folder, { plan, store, engine, ports });
  }

  private constructor(
    t: TestContext,
    folder: string,
    {
      plan,
      store,
      engine,
      ports,
    }: { plan: FleetPlan; store: FleetStore; engine: RealEngine; ports: readonly number[] },
  ) {
    this.builds = new Builds(join(folder, 'builds'), plan.advisories, 41);
    this.access = writeAccess(join(folder, 'keys.json'), {
      limited: { limit: plan.requestsPerMinute, window_seconds: 60, burst: BURST },
    });
    this.store = store;
    this.engine = engine;
    this.#key = join(folder, 'publisher.key');
    writeFileSync(this.#key, minisignFixture('plain.key'), { mode: 0o600 });
    const publicKey = join(folder, 'publisher.pub');
    writeFileSync(publicKey, minisignFixture('plain.pub'));
    const [port, ...rest] = ports;
    this.port = port;
    this.replicas = rest.map((each) => {
      const snapshots = join(folder, `replica-${each}`);
      mkdirSync(snapshots);
      const options = {
        source: store.manifestUrl,
        'source-interval': 1,
        'source-key': publicKey,
        limits: engine.url,
        'max-verdict-change': MAX_VERDICT_CHANGE,
      };
      const keys = this.access.file;
      return new Replica(each, () =>
        ServerProcess.start(t, {
          snapshots,
          keys,
          port: each,
          workers: 1,
          drainSeconds: DRAIN_SECONDS,
          options,
        }),
      );
    });
    this.#balance(t, join(folder, 'haproxy.cfg'));
  }

  /** Starts HAProxy, which answers 503 until a replica is ready. */
  #balance(t: TestContext, configuration: string): void {
    const servers = this.replicas.map(({ port }, i) => `  server r${i} 127.0.0.1:${port}`).join('\n');
    writeFileSync(
      configuration,
      `global
  maxconn 1000
defaults
  mode http
  timeout connect 1s
  # A machine that stalls must not look like five replicas that are gone.
  timeout check 10s
  timeout client 30s
  timeout server 30s
  timeout queue 5s
frontend clients
  bind 127.0.0.1:${this.port}
  default_backend replicas
backend replicas
  balance hdr(${CLIENT})
  hash-type consistent
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host vulndex
  default-server check inter 500ms fall 1 rise 2
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response response-timeout 503
  http-reuse safe
  default-server pool-purge-delay 4s
${servers}
`,
    );
    const child = spawn('haproxy', ['-db', '-f', configuration], { stdio: 'ignore' });
    t.after(async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    });
  }

  async start(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.start()));
    await until('HAProxy forwards', async () => {
      try {
        return (await fetch(`http://127.0.0.1:${this.port}/readyz`)).status === 200;
      } catch {
        return false;
      }
    });
  }

  /** Publishes by the program, signed unless told otherwise; returns what it printed. */
  async publish(path: string, options: readonly string[] = [], isSigned = true): Promise<Published> {
    const signing = isSigned ? ['--key', this.#key] : [];
    const words = ['publish', path, '--to', this.store.folder, ...signing, '--json', ...options];
    const { stdout } = await run(process.execPath, ['dist/cli.js', ...words]);
    return JSON.parse(stdout) as Published;
  }
}

export interface Published {
  readonly manifest: { readonly sequence: number; readonly activate_at?: string };
}
