// What is known of the source of snapshots, for /status and /metrics: what its follower reports, and what the
// loader has made of the snapshot since.

import type { FollowProblem } from '../../fleet/follow-events.ts';
import type { Manifest } from '../../fleet/manifest.ts';
import { fileNameOf } from '../../fleet/source-memory.ts';
import type { FromSource } from './source-messages.ts';

export const MANIFEST_STATES = ['fetching', 'prepared', 'live', 'refused'] as const;

type ManifestStatus =
  | { readonly kind: Exclude<(typeof MANIFEST_STATES)[number], 'refused'> }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** How a poll ended. */
export type PollOutcome = 'done' | 'refused' | 'failed';

export interface SourceState {
  /** Without credentials. */
  readonly shownAs: string;
  /** Milliseconds since the epoch, like all times here. */
  readonly lastPollAtMs: number | undefined;
  /** When the store last said what it has. */
  readonly lastSuccessAtMs: number | undefined;
  readonly polls: Readonly<Record<PollOutcome, number>>;
  readonly fetchedBytes: number;
  /** The last that was accepted. */
  readonly manifest: Manifest | undefined;
  readonly status: ManifestStatus;
  /** Of the snapshot of the manifest, as far as it is here. */
  readonly arrivedBytes: number;
  /** Since the last poll that had none. */
  readonly problem: (FollowProblem & { readonly sinceMs: number }) | undefined;
  /** This clock, of the store's. */
  readonly clockAheadMs: number | undefined;
}

const FETCHING: ManifestStatus = { kind: 'fetching' };
/** Refusals of what the accepted manifest names. */
const OF_THE_SNAPSHOT: readonly string[] = ['missing', 'wrong-size', 'wrong-hash', 'wrong-id'];

export class SourceRecord {
  readonly #shownAs: string;
  readonly #liveId: () => string | undefined;
  readonly #nowMs: () => number;
  readonly #polls: Record<PollOutcome, number> = { done: 0, refused: 0, failed: 0 };
  #lastPollAtMs: number | undefined;
  #lastSuccessAtMs: number | undefined;
  #fetchedBytes = 0;
  #arrivedBytes = 0;
  #manifest: Manifest | undefined;
  #preparedId: string | undefined;
  #refused: { readonly file: string; readonly code: string; readonly message: string } | undefined;
  #problem: SourceState['problem'];
  #clockAheadMs: number | undefined;

  constructor(shownAs: string, liveId: () => string | undefined, nowMs: () => number = Date.now) {
    this.#shownAs = shownAs;
    this.#liveId = liveId;
    this.#nowMs = nowMs;
  }

  take(message: FromSource): void {
    switch (message.kind) {
      case 'polled':
        this.#lastPollAtMs = message.atMs;
        if (message.isAnswered) this.#lastSuccessAtMs = message.atMs;
        break;
      case 'problem': {
        const { problem } = message;
        const outcome = problem === undefined ? 'done' : problem.kind === 'refused' ? 'refused' : 'failed';
        this.#polls[outcome]++;
        const sinceMs = this.#problem?.kind === problem?.kind ? this.#problem?.sinceMs : undefined;
        this.#problem = problem && { ...problem, sinceMs: sinceMs ?? this.#nowMs() };
        break;
      }
      case 'manifest':
        if (message.manifest.snapshot.id !== this.#manifest?.snapshot.id) {
          this.#arrivedBytes = 0;
          this.#refused = undefined;
        }
        this.#manifest = message.manifest;
        break;
      case 'bytes':
        this.#fetchedBytes += message.added;
        this.#arrivedBytes = message.bytes;
        break;
      case 'fetched':
        this.#arrivedBytes = message.manifest.snapshot.size;
        break;
      case 'clock':
        this.#clockAheadMs = message.aheadMs;
        break;
      case 'forgotten':
        break;
    }
  }

  /** The loader holds this snapshot, for its time. */
  prepared(id: string): void {
    this.#preparedId = id;
    this.#refused = undefined;
  }

  /** The loader has refused this file, a name in the folder. */
  refused(file: string, code: string, message: string): void {
    const id = this.#manifest?.snapshot.id;
    if (id === undefined || file !== fileNameOf(id)) return;
    this.#refused = { file, code, message };
    this.#preparedId = undefined;
  }

  state(): SourceState {
    return {
      shownAs: this.#shownAs,
      lastPollAtMs: this.#lastPollAtMs,
      lastSuccessAtMs: this.#lastSuccessAtMs,
      polls: { ...this.#polls },
      fetchedBytes: this.#fetchedBytes,
      manifest: this.#manifest,
      status: this.#status(),
      arrivedBytes: this.#arrivedBytes,
      problem: this.#problem,
      clockAheadMs: this.#clockAheadMs,
    };
  }

  #status(): ManifestStatus {
    const id = this.#manifest?.snapshot.id;
    const problem = this.#problem;
    if (id === undefined) return FETCHING;
    if (this.#liveId() === id) return { kind: 'live' };
    if (this.#preparedId === id) return { kind: 'prepared' };
    const refused = this.#refused;
    if (refused !== undefined) return { kind: 'refused', code: refused.code, message: refused.message };
    if (problem?.kind === 'refused' && OF_THE_SNAPSHOT.includes(problem.code)) {
      return { kind: 'refused', code: problem.code, message: problem.message };
    }
    return FETCHING;
  }
}
