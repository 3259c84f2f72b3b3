// The store of a fleet: a folder that a publisher writes to, served by a real nginx, which can be cut off.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/process/ports.ts';
import type { ProcessOwner } from '../../support/process/server-process.ts';
import { until } from '../../support/until.ts';

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

export class FleetStore {
  readonly folder: string;
  readonly port: number;
  readonly #configuration: string;
  #child: ChildProcess | undefined;

  static async start(owner: ProcessOwner, folder: string): Promise<FleetStore> {
    const store = new FleetStore(folder, await freePort());
    owner.after(() => store.cut());
    await store.restore();
    return store;
  }

  private constructor(folder: string, port: number) {
    this.folder = join(folder, 'objects');
    this.port = port;
    mkdirSync(this.folder, { recursive: true });
    const state = join(folder, 'nginx');
    mkdirSync(state);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${state};`)
      .join(' ');
    this.#configuration = join(state, 'nginx.conf');
    // Named, because root's folder is closed to the user that nginx would take instead.
    writeFileSync(
      this.#configuration,
      `daemon off; worker_processes 1; user ${userInfo().username}; pid ${state}/pid; error_log stderr error;
       events { worker_connections 256; }
       http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; root ${this.folder}; } }`,
    );
  }

  get manifestUrl(): string {
    return `http://127.0.0.1:${this.port}/latest.json`;
  }

  /** Whoever asks is refused, in the middle of a download too. */
  async cut(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async restore(): Promise<void> {
    this.#child = spawn('nginx', ['-c', this.#configuration], { stdio: 'ignore' });
    await until('nginx answers', async () => {
      try {
        await fetch(this.manifestUrl);
        return true;
      } catch {
        return false;
      }
    });
  }
}
