// The messages between the threads of one process. Everything is plain data; a generation is posted as views
// of shared memory, so its bytes are never copied.

import type { KeyTable } from '../access/key-table.ts';
import type { Pages } from '../dialects/page-routes.ts';
import type { EngineAddress } from '../fleet/leases/engine-address.ts';
import type { LeaserState } from '../fleet/leases/leaser.ts';
import type { ChangedIds } from '../http/context.ts';
import type { Order, OrderRefusal } from '../http/operations-view.ts';
import type { PreparedFile } from '../http/replies/prepared-files.ts';
import type { TransportKind } from '../http/transport/transport.ts';
import type { GenerationParts } from '../index/generation.ts';
import type { Guarded, InForce } from '../loader/live/held-back.ts';
import type { ListedSnapshot, LoadReason } from '../loader/live/hot-swap.ts';
import type { RollBack } from '../loader/live/roll-back.ts';
import type { PackedSections } from '../loader/snapshot/reader.ts';
import type { ClientPlan } from './clients.ts';
import type { LogBatch } from './log/log-relay.ts';
import type { OrderResult } from './operations/orders/orders.ts';
import type { PostedSlowRequest } from './operations/requests/slow-requests.ts';
import type { AgeLimit } from './readiness.ts';

/** A generation as posted between threads. */
export interface PostedGeneration {
  readonly parts: GenerationParts;
  readonly packed: PackedSections;
  readonly file: string;
  readonly fileBytes: number;
  readonly format: number;
  readonly loadedAtMs: number;
  /** Time for reading it and checking its columns. */
  readonly tookMs: number;
}

/** What differs between two generations, by their ids. */
export interface PostedChanges {
  readonly from: string;
  readonly to: string;
  readonly ids: ChangedIds;
  readonly tookMs: number;
}

/** The prepared files of a generation, by name, their bytes in shared memory. */
export interface PostedFiles {
  /** The id of the generation. */
  readonly snapshot: string;
  readonly files: readonly (readonly [name: string, file: PreparedFile])[];
  readonly bytes: number;
  readonly tookMs: number;
}

export interface PreparerData {
  /** The names of the dialects whose files are made. */
  readonly dialects: readonly string[];
}

/** What the preparer thread has to make. */
export interface Preparation {
  readonly neighbours: readonly { readonly previous: PostedGeneration; readonly next: PostedGeneration }[];
  /** The generation that files are made from; undefined for none. */
  readonly files: PostedGeneration | undefined;
  /** One number in shared memory: 1 when this is no longer wanted. */
  readonly halt: Int32Array;
}

export type ToPreparer =
  /** `number` comes back with all that is made of it. */
  | { readonly kind: 'prepare'; readonly number: number; readonly preparation: Preparation }
  | { readonly kind: 'stop' };

/** What cannot be made from this data, however often it is tried. */
export interface PreparationFailure {
  /** The name of the dialect whose files are missing, or `changes`. */
  readonly what: string;
  readonly reason: string;
}

export type Prepared =
  | { readonly kind: 'changes'; readonly changes: PostedChanges }
  | { readonly kind: 'files'; readonly files: PostedFiles }
  /** Everything else was made and posted. */
  | { readonly kind: 'finished'; readonly failures: readonly PreparationFailure[] };

export interface FromPreparer {
  /** Of the preparation that this belongs to. */
  readonly number: number;
  readonly prepared: Prepared;
}

/** Keys as posted between threads: a few tiers, and a table in shared memory. */
export type PostedKeys = KeyTable;

export type ToLoader =
  /** Scan the folder now, including files that have just changed. */
  | { readonly kind: 'scan' }
  /** The shared memory of look-ups: operations/requests/lookup-ring.ts. */
  | { readonly kind: 'lookups'; readonly lookups: SharedArrayBuffer }
  | { readonly kind: 'order'; readonly number: number; readonly order: Order }
  | { readonly kind: 'stop' };

export type PostedFolderState =
  | { readonly kind: 'filled' }
  /** `message` has the path and what to do, and is for the log only. */
  | { readonly kind: 'empty'; readonly message: string }
  /** `reason` has no path, for it is told to strangers. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly message: string };

export type FromLoader =
  | { readonly kind: 'loaded'; readonly generation: PostedGeneration; readonly reason: LoadReason }
  | { readonly kind: 'refused'; readonly file: string; readonly code: string; readonly message: string }
  | { readonly kind: 'older'; readonly file: string; readonly id: string }
  /** This snapshot is loaded and waits for the time at which a manifest wants it live. */
  | { readonly kind: 'prepared'; readonly id: string; readonly tookMs: number }
  /** All of this snapshot, which is live or prepared, has been found sound. */
  | { readonly kind: 'checked'; readonly id: string; readonly tookMs: number }
  /** A fault was found in this snapshot, which was live. Sent after its replacement, if there is one. */
  | { readonly kind: 'retired'; readonly id: string; readonly isReplaced: boolean }
  | { readonly kind: 'folder'; readonly state: PostedFolderState }
  | { readonly kind: 'roll-back'; readonly rollBack: RollBack | undefined }
  /** The snapshots in the folder that can be ordered. */
  | { readonly kind: 'listed'; readonly snapshots: readonly ListedSnapshot[] }
  /** The newest file that a guard holds back. */
  | { readonly kind: 'guarded'; readonly guarded: Guarded | undefined }
  /** The order with this number was carried out, or not. */
  | { readonly kind: 'ordered'; readonly number: number; readonly result: OrderResult }
  /** An operator's marker that cannot be read. */
  | { readonly kind: 'marker'; readonly file: string; readonly problem: string }
  /** The thread could not lower its priority; it loads anyway. */
  | { readonly kind: 'priority-kept'; readonly reason: string }
  /** The first scan is over, whether or not it found anything. */
  | { readonly kind: 'scanned' };

/** What a loader must know about its predecessor. */
export interface LoaderInheritance {
  readonly inForce: InForce | undefined;
  readonly rollBack: RollBack | undefined;
}

export interface LoaderOptions {
  readonly folder: string;
  readonly maxShrinkPercent: number;
  readonly maxVerdictChangePercent: number;
  readonly maxSnapshotBytes: number;
  /** Whether the manifest of a source decides what is live. */
  readonly followsSource?: boolean;
}

export type LoaderData = LoaderOptions &
  LoaderInheritance & {
    /** One Int32, which the thread counts up as long as its event loop turns. */
    readonly beat: SharedArrayBuffer;
    /** As in the message. */
    readonly lookups: SharedArrayBuffer | undefined;
  };

/** Where the quotas of a fleet are kept. */
export interface LimitsChoice {
  readonly address: EngineAddress;
  /** Instead of that in the address. */
  readonly password: string | undefined;
}

export interface LimitsData extends LimitsChoice {
  /** Names this process among the replicas. */
  readonly replica: string;
  readonly limiter: SharedArrayBuffer;
  readonly leases: SharedArrayBuffer;
  readonly keys: PostedKeys;
}

export type ToLimits =
  | { readonly kind: 'keys'; readonly keys: PostedKeys }
  /** Return what is not spent, and end. */
  | { readonly kind: 'stop' };

export type FromLimits =
  | { readonly kind: 'state'; readonly state: LeaserState }
  /** The engine's memory was lost, or is older than what was seen from it. */
  | { readonly kind: 'state-lost' }
  | { readonly kind: 'keys-lost'; readonly count: number }
  | { readonly kind: 'clock-jumped'; readonly byMs: number };

/** What a worker asks the supervisor about the process, for a client. */
export type OperationsQuestion =
  | { readonly kind: 'now' }
  | { readonly kind: 'history'; readonly sinceSeconds: number }
  | { readonly kind: 'order'; readonly order: Order };

/** A document, why an order is not taken, or undefined. */
export type OperationsAnswer = Uint8Array | string | OrderRefusal | undefined;

export type ToWorker =
  | { readonly kind: 'generation'; readonly generation: PostedGeneration }
  /** This generation, which is not live any more, is not kept either. */
  | { readonly kind: 'retire'; readonly id: string }
  /** A generation that was live before all those posted until now. */
  | { readonly kind: 'older-generation'; readonly generation: PostedGeneration }
  | { readonly kind: 'changes'; readonly changes: PostedChanges }
  | { readonly kind: 'files'; readonly files: PostedFiles }
  | { readonly kind: 'keys'; readonly keys: PostedKeys }
  /** The process will end soon: tell clients to come back on another connection. */
  | { readonly kind: 'drain' }
  /** Whether new connections are accepted: not while the process is out of file descriptors. */
  | { readonly kind: 'accept'; readonly isPaused: boolean }
  /** To the question with this number. */
  | { readonly kind: 'answered'; readonly number: number; readonly answer: OperationsAnswer }
  /** The last batch of log lines has arrived. */
  | { readonly kind: 'log-taken' }
  /** Close the port, finish what is in flight, end. */
  | { readonly kind: 'stop' };

export type FromWorker =
  | { readonly kind: 'listening' }
  | { readonly kind: 'log'; readonly batch: LogBatch }
  | { readonly kind: 'asked'; readonly number: number; readonly question: OperationsQuestion }
  | { readonly kind: 'slow'; readonly requests: readonly PostedSlowRequest[] }
  /** An uncaught error; the worker closes its connections and ends. */
  | { readonly kind: 'failed'; readonly message: string };

/** Without a generation: the data a thread is started with stays in memory as long as the thread lives. */
export interface WorkerData {
  readonly index: number;
  readonly transport: TransportKind;
  /** Whether there are other workers on its port. */
  readonly sharesPort: boolean;
  readonly host: string;
  /** Never 0: only a fixed port is shared between threads. */
  readonly port: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  /** How many generations are kept beside the live one. */
  readonly keepGenerations: number;
  readonly ageLimit: AgeLimit | undefined;
  /** Whether /readyz waits for the first prepared files. */
  readonly isReadyWithFiles: boolean;
  readonly maxConnections: number;
  readonly maxHeldBytes: number;
  readonly accessLogRate: number;
  readonly corsOrigins: readonly string[];
  readonly clients: ClientPlan;
  /** The files of the pages, in shared memory; undefined if they are off. */
  readonly pages: Pages | undefined;
  readonly keys: PostedKeys;
  /**
   * A generation is among the first messages: the port opens once it is there, so that no client gets a 503.
   */
  readonly awaitsGeneration: boolean;
  readonly limiter: SharedArrayBuffer;
  /** Tokens of quotas that a fleet shares; undefined if this process counts by itself. */
  readonly leases: SharedArrayBuffer | undefined;
  readonly counters: SharedArrayBuffer;
  /** One Int32: see lifecycle.ts. */
  readonly lifecycle: SharedArrayBuffer;
  /** The shared memory of look-ups: operations/requests/lookup-ring.ts. */
  readonly lookups: SharedArrayBuffer;
}
