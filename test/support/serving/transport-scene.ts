// What tests of a transport share: a suite for each transport, servers with small or large replies, and a
// record of the calls of an observer.

import { after, suite } from 'node:test';
import type { RequestObserver } from '../../../src/http/observer.ts';
import type {
  Transport,
  TransportKind,
  TransportLimits,
  TransportOptions,
} from '../../../src/http/transport/transport.ts';
import { createTransport } from '../../../src/http/transport/transports.ts';
import { feedRecord } from '../feeds/advisories.ts';
import { type FolderOwner, temporaryFolder } from '../folder.ts';
import { compileRecords } from '../snapshots/snapshots.ts';
import type { TransportFaults } from './cuts.ts';
import { FAULTS } from './cuts.ts';
import { startServer, type TestServer, type TestServerOptions } from './server.ts';
import { TRANSPORTS } from './transports.ts';

// The kernel buffers up to 4 MiB for a client that reads nothing, and the client's side some more, so a page
// is much larger: 100 titles of 160 KB.
export const PAGE_BYTES = 16_000_000;
export const LARGE_RECORDS = Array.from({ length: 100 }, (_, i) =>
  feedRecord(i + 1, { title: `${i} `.repeat(160_000).slice(0, PAGE_BYTES / 100) }),
);

export interface TransportScene {
  readonly kind: TransportKind;
  readonly faults: TransportFaults;
  start(owner: FolderOwner, options: TestServerOptions): Promise<TestServer>;
  /** A server whose /all is a page of 16 MB. */
  startLarge(
    owner: FolderOwner,
    limits?: Partial<TransportLimits>,
    observer?: RequestObserver,
  ): Promise<TestServer>;
  /** A transport over a service of the test's own. Rejects if it cannot listen. */
  listen(options: TransportOptions): Promise<Transport>;
}

/** Declares the tests once for each transport. */
export function overEach(declare: (scene: TransportScene) => void | Promise<void>): void {
  for (const { kind, skip } of TRANSPORTS) {
    suite(`over ${kind}`, { skip }, () => declare(sceneOf(kind, temporaryFolder({ after }))));
  }
}

/** The folder is for what the tests of a suite share. */
function sceneOf(kind: TransportKind, folder: string): TransportScene {
  let large: Promise<string> | undefined;
  const start: TransportScene['start'] = (owner, options) =>
    startServer(owner, { ...options, transport: kind });
  return {
    kind,
    faults: FAULTS[kind],
    start,
    startLarge: async (owner, limits = {}, observer) => {
      large ??= compileRecords(folder, LARGE_RECORDS);
      return start(owner, { snapshot: await large, limits, observer });
    },
    listen: async (options) => {
      const http = await createTransport(kind, options);
      await http.startListening().catch((error: unknown) => {
        http.close();
        throw error;
      });
      return http;
    },
  };
}

/** The calls of an observer, as text, in order. */
export class ObservedEvents implements RequestObserver {
  readonly events: string[] = [];
  connected(): void {}
  disconnected(): void {}
  started(): void {
    this.events.push('started');
  }
  ended(label: string, status: number, _tookMs: number, bodyBytes: number): void {
    this.events.push(`ended ${label} ${status}, ${bodyBytes > PAGE_BYTES ? 'a page' : bodyBytes}`);
  }
  abandoned(): void {
    this.events.push('abandoned');
  }
  cutOff(bodyBytes: number): void {
    this.events.push(bodyBytes < PAGE_BYTES ? 'cut off' : 'cut off after all of it');
  }
}
