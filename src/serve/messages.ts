// What the threads of one process say to each other. Everything is plain data; a generation travels as views of
// shared memory, so its bytes are never copied.

import type { KeysFile } from '../access/keys-file.ts';
import type { GenerationParts } from '../index/generation.ts';
import type { LogBatch } from './log-relay.ts';

/** A generation as it travels between threads. */
export interface PostedGeneration {
  readonly parts: GenerationParts;
  readonly details: Uint8Array;
  readonly file: string;
  readonly fileBytes: number;
  readonly format: number;
  readonly loadedAtMs: number;
  /** What reading, checking and preparing took. */
  readonly tookMs: number;
}

/** Keys and the rows they have in the shared limiter. */
export interface PostedKeys {
  readonly file: KeysFile;
  readonly slots: ReadonlyMap<string, number>;
}

export type ToLoader =
  /** Look at the folder now, whatever has just changed in it; `allowsShrink` lifts the guard for this look. */
  { readonly kind: 'scan'; readonly allowsShrink: boolean } | { readonly kind: 'stop' };

export type FromLoader =
  | { readonly kind: 'loaded'; readonly generation: PostedGeneration }
  | { readonly kind: 'refused'; readonly file: string; readonly code: string; readonly message: string }
  | { readonly kind: 'older'; readonly file: string; readonly id: string }
  | { readonly kind: 'folder'; readonly problem: string | undefined }
  /** The first look is over, whether or not it found anything. */
  | { readonly kind: 'scanned' };

export interface LoaderData {
  readonly folder: string;
  readonly maxShrinkPercent: number;
}

export type ToWorker =
  | { readonly kind: 'generation'; readonly generation: PostedGeneration }
  | { readonly kind: 'keys'; readonly keys: PostedKeys }
  /** The process ends soon: tell clients to come back on another connection. */
  | { readonly kind: 'drain' }
  /** Whether new connections are taken: not while the process is out of file descriptors. */
  | { readonly kind: 'accept'; readonly isPaused: boolean }
  /** The last batch of log lines has arrived. */
  | { readonly kind: 'log-taken' }
  /** Close the port, finish what is in flight, end. */
  | { readonly kind: 'stop' }
  /** Tests only: throw, or loop without end, now or in the handler of the next request. */
  | { readonly kind: 'fail'; readonly how: 'throw' | 'hang' | 'hang-in-request' };

export type FromWorker =
  | { readonly kind: 'listening' }
  | { readonly kind: 'log'; readonly batch: LogBatch }
  /** Something escaped; the worker closes its connections and ends. */
  | { readonly kind: 'failed'; readonly message: string };

/** Without a generation: what a thread is started with stays in its memory as long as it lives. */
export interface WorkerData {
  readonly index: number;
  readonly host: string;
  /** Never 0: only a fixed port is shared between threads. */
  readonly port: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  readonly maxSnapshotAgeMs: number | undefined;
  readonly maxConnections: number;
  readonly accessLogRate: number;
  readonly corsOrigins: readonly string[];
  readonly keys: PostedKeys;
  /** A generation is among the first messages: the port opens when it is there, and nobody gets a 503 for want of it. */
  readonly awaitsGeneration: boolean;
  readonly limiter: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  /** One Int32: see lifecycle.ts. */
  readonly lifecycle: SharedArrayBuffer;
}
