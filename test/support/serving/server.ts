// The service on a real socket, in this process: a feed is compiled, its snapshot loaded from a folder, and
// every response that passes through `request` is checked against the OpenAPI document, and, where a test has
// several transports, against the response over the others.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildKeyTable } from '../../../src/access/key-table.ts';
import {
  hashKey,
  type KeyRecord,
  type KeysFile,
  shippedTiers,
  type Tier,
} from '../../../src/access/keys-file.ts';
import { compileFeeds } from '../../../src/cli/sources/compile-feeds.ts';
import { findChangedIds } from '../../../src/compare/differences.ts';
import { ALL_DIALECTS, DIALECTS, ENDPOINTS } from '../../../src/dialects/dialects.ts';
import { allocateAddressTable } from '../../../src/http/callers/address-table.ts';
import { AnonymousCallers } from '../../../src/http/callers/anonymous.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter, RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import { TrustedProxies } from '../../../src/http/callers/trusted-proxies.ts';
import type { RequestObserver } from '../../../src/http/observer.ts';
import type { OperationsView } from '../../../src/http/operations-view.ts';
import type { Readiness } from '../../../src/http/readiness.ts';
import { prepareFiles } from '../../../src/http/replies/answer-prepared.ts';
import type { CorsPolicy } from '../../../src/http/replies/cors.ts';
import type { PreparedFile, PreparedFiles, PreparedSet } from '../../../src/http/replies/prepared-files.ts';
import { Service } from '../../../src/http/service.ts';
import type { Transport, TransportKind, TransportLimits } from '../../../src/http/transport/transport.ts';
import { createTransport } from '../../../src/http/transport/transports.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { HotSwap } from '../../../src/loader/live/hot-swap.ts';
import { KeptGenerations } from '../../../src/serve/snapshots/kept-generations.ts';
import { type FeedJson, writeFeed } from '../feeds/advisories.ts';
import { type FolderOwner, temporaryFolder } from '../folder.ts';
import { isFull } from '../volume.ts';
import { assertMatchesOpenApi } from './openapi.ts';
import { fetchSame } from './same-answer.ts';
import { TRANSPORTS } from './transports.ts';

/** The key of tier `partner` that `request` sends by default. */
export const PARTNER_KEY = 'partner-key';

export interface TestServerOptions {
  /** Compiled into the folder before the start; without them there is no snapshot. */
  readonly records?: readonly FeedJson[];
  /** Feed files, instead of records. */
  readonly feeds?: readonly string[];
  /** An existing snapshot, instead of either. */
  readonly snapshot?: string;
  readonly keys?: readonly KeyRecord[];
  /** The names of the dialects that answer without a key. */
  readonly anonymous?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly tiers?: Readonly<Record<string, Tier>>;
  readonly latestAnchor?: 'clock' | 'snapshot';
  readonly nowMs?: () => number;
  readonly readiness?: () => Readiness;
  readonly maxDataAgeMs?: number;
  readonly isClosing?: () => boolean;
  readonly limits?: Partial<TransportLimits>;
  readonly cors?: CorsPolicy | undefined;
  readonly operations?: OperationsView;
  readonly onInternalError?: (error: unknown) => void;
  readonly observer?: RequestObserver | undefined;
  /** A free one by default. */
  readonly port?: number;
  /** Snapshots that stay in memory beside the live one; 1 by default. */
  readonly keepGenerations?: number;
  /** Whether what changed is known as soon as a snapshot is loaded; true by default. */
  readonly listsChanges?: boolean;
  /** By default the one that `serve` picks, or at full volume each that is available. */
  readonly transport?: TransportKind | 'each';
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; throws if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
  json(): any;
}

export interface TestServer {
  readonly address: string;
  readonly port: number;
  /** The folder whose newest snapshot is served. */
  readonly folder: string;
  readonly swap: HotSwap;
  readonly http: Transport;
  readonly limiter: RateLimiter;
  /** Replaces the keys, as a changed keys file would. */
  setKeys(keys: readonly KeyRecord[]): void;
  /** Compiles records into the folder and loads the snapshot. */
  publish(records: readonly FeedJson[], builtAtMs: number): Promise<string>;
  /** Computes what changed between the snapshots in memory. */
  listChanges(): void;
  /** Sends a request with the partner key; a PSKey in `headers` replaces it, `PSKey: ''` omits it. */
  request(path: string, init?: RequestInit): Promise<TestResponse>;
}

const FIRST_BUILD_MS = Date.UTC(2026, 0, 10);
/**
 * Nothing is put off, however slow the machine: over uWebSockets, a request that is pipelined behind one that
 * is put off is cut off.
 */
const TURN_MS = 60_000;

/** A key record for a plain-text key. */
export function keyRecord(key: string, tier: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return { id: `id-${key}`, name: key, sha256: hashKey(key), tier, ...more };
}

/**
 * A response in one line: its status, and for a problem its code and the parameters it names, as in
 * `422 invalid_parameter page, per_page`.
 */
export function outcomeOf({ status, text }: TestResponse): string {
  if (status < 400 || text === '') return String(status);
  const { code, errors = [] } = JSON.parse(text) as { code: string; errors?: { parameter: string }[] };
  const parameters = errors.map((error) => error.parameter).join(', ');
  return parameters === '' ? `${status} ${code}` : `${status} ${code} ${parameters}`;
}

/** Runs for the duration of one test, or of a suite when given `{ after }`. */
export async function startServer(owner: FolderOwner, options: TestServerOptions = {}): Promise<TestServer> {
  const folder = temporaryFolder(owner);
  const problems: unknown[] = [];
  const kept = new KeptGenerations<Generation>(options.keepGenerations ?? 1);
  const listChanges = (): void => {
    for (const { previous, next } of kept.unknown()) {
      const [from, to] = [previous.id, next.id];
      kept.learn({ from, to, ids: findChangedIds(previous, next), tookMs: 0 });
    }
  };
  const swap = new HotSwap(folder, {
    onLoaded: ({ generation }) => {
      kept.publish(generation);
      if (options.listsChanges !== false) listChanges();
    },
    onRefused: (error) => problems.push(error),
    onOlder: () => {},
    onFolder: () => {},
    onRollBack: () => {},
    onMarker: (_, problem) => problems.push(problem),
  });
  const take = (): void => {
    swap.scan({ includeFresh: true });
    if (problems.length > 0) throw new Error(`the snapshot was not loaded: ${problems.join('; ')}`);
  };
  const publish = async (feeds: readonly string[], builtAtMs: number): Promise<string> => {
    const { id } = await compileFeeds({ feeds, out: folder, skipInvalid: false, builtAtMs }, (line) =>
      problems.push(line),
    );
    take();
    return id;
  };
  const publishRecords = async (records: readonly FeedJson[], builtAtMs: number): Promise<string> => {
    const feed = join(temporaryFolder(owner), 'feed.ndjson');
    writeFeed(feed, records);
    return publish([feed], builtAtMs);
  };
  if (options.snapshot !== undefined) {
    copyFileSync(options.snapshot, join(folder, 'given.vdx'));
    take();
  }
  if (options.feeds !== undefined) await publish(options.feeds, FIRST_BUILD_MS);
  if (options.records !== undefined) await publishRecords(options.records, FIRST_BUILD_MS);

  // The default clock stands still, so that all transports answer at the same time.
  const startMs = Date.now();
  const kinds = transportsFor(options);
  const tables = kinds.map(() => new RateLimiterTable()); // each transport counts the same requests
  const limiters = tables.map(({ memory }) => new RateLimiter(memory));
  const ringOf = (keys: readonly KeyRecord[]): KeyRing => {
    const file: KeysFile = {
      tiers: { ...shippedTiers(ENDPOINTS), ...options.tiers },
      keys: [keyRecord(PARTNER_KEY, 'partner'), ...keys],
    };
    const [slots] = tables.map((limits) => limits.slotsOf(file)); // the same in all of them
    return new KeyRing(buildKeyTable(file, slots));
  };
  let ring = ringOf(options.keys ?? []);
  const serviceWith = (limiter: RateLimiter): Service =>
    new Service({
      dialects: ALL_DIALECTS,
      generation: () => swap.current(),
      kept: () => kept.list,
      prepared: () => preparedOf(swap.current()),
      keys: () => ring,
      limiter,
      anonymous: new AnonymousCallers({
        dialects: DIALECTS.filter(({ name }) => options.anonymous?.includes(name)),
        memory: allocateAddressTable(),
        proxies: new TrustedProxies(options.trustedProxies ?? []),
      }),
      readiness: options.readiness ?? (() => ({ kind: 'ready' })),
      maxDataAgeMs: options.maxDataAgeMs,
      isClosing: options.isClosing ?? (() => false),
      latestAnchor: options.latestAnchor ?? 'snapshot',
      cors: options.cors,
      operations: options.operations,
      nowMs: options.nowMs ?? (() => startMs),
      makeRequestId: () => 'made-up',
      onInternalError:
        options.onInternalError ??
        ((error) => {
          throw error;
        }),
    });
  const listening = kinds.map(async (kind, i) => {
    const transport = await createTransport(kind, {
      service: serviceWith(limiters[i]),
      host: '127.0.0.1',
      port: i === 0 ? (options.port ?? 0) : 0,
      ...(options.observer === undefined ? {} : { observer: options.observer }),
      limits: { turnMs: TURN_MS, ...options.limits },
    });
    owner.after(() => transport.close());
    await transport.startListening();
    return transport;
  });
  const transports = await Promise.all(listening);
  const addresses = transports.map(({ port }) => `http://127.0.0.1:${port}`);
  const [http] = transports;
  return {
    address: addresses[0],
    port: http.port,
    folder,
    swap,
    http,
    limiter: limiters[0],
    setKeys: (keys) => {
      ring = ringOf(keys);
    },
    publish: publishRecords,
    listChanges,
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('PSKey') && !headers.has('Authorization')) headers.set('PSKey', PARTNER_KEY);
      if (headers.get('PSKey') === '') headers.delete('PSKey');
      const { text, ...response } = await fetchSame(addresses, path, { ...init, headers });
      assertMatchesOpenApi({ method: init.method ?? 'GET', path, ...response, body: text });
      return { ...response, text, json: () => JSON.parse(text) };
    },
  };
}

let preparedFrom: Generation | undefined;
let prepared: PreparedSet | undefined;

/** The files of a generation, made when the first of them is asked for: most tests ask for none. */
function preparedOf(generation: Generation | undefined): PreparedSet | undefined {
  if (generation !== preparedFrom) {
    preparedFrom = generation;
    prepared =
      generation === undefined
        ? undefined
        : { snapshot: generation.id, files: new FilesOnDemand(generation) };
  }
  return prepared;
}

class FilesOnDemand extends Map<string, PreparedFile> {
  readonly #generation: Generation;
  #files: PreparedFiles | undefined;

  constructor(generation: Generation) {
    super();
    this.#generation = generation;
  }

  override get(name: string): PreparedFile | undefined {
    this.#files ??= prepareFiles(DIALECTS, this.#generation);
    return this.#files.get(name);
  }
}

function transportsFor({ transport, observer, onInternalError }: TestServerOptions): TransportKind[] {
  if (transport !== undefined && transport !== 'each') return [transport];
  const available = TRANSPORTS.filter(({ skip }) => skip === false).map(({ kind }) => kind);
  const counts = observer !== undefined || onInternalError !== undefined; // what happens inside, once
  return (transport === 'each' || isFull) && !counts ? available : available.slice(0, 1);
}
