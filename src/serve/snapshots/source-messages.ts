// The messages between the supervisor and the thread that follows the source of snapshots.

import type { FollowProblem } from '../../fleet/follow-events.ts';
import type { Manifest } from '../../fleet/manifest.ts';
import type { SourcePlan } from '../../fleet/open-source.ts';

/** What the thread that follows a source is started with. */
export interface SourceData extends SourcePlan {
  /** Of the snapshots. */
  readonly folder: string;
  /** Public keys, of which one must have signed; none for no signatures. */
  readonly keys: readonly string[];
  readonly intervalMs: number;
  readonly maxSnapshotBytes: number;
  /** Of this server. */
  readonly version: string;
}

export type ToSource =
  /** What was under way is kept, and the thread ends. */
  | { readonly kind: 'stop' }
  /** The loader has refused this file, a name in the folder. */
  | { readonly kind: 'suspect'; readonly file: string };

export type FromSource =
  /** At the end of each poll, after `problem`. */
  | { readonly kind: 'polled'; readonly atMs: number; readonly isAnswered: boolean }
  | { readonly kind: 'problem'; readonly problem: FollowProblem | undefined }
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  /** The size so far of the snapshot that is being fetched, and what was added since the last report. */
  | { readonly kind: 'bytes'; readonly bytes: number; readonly added: number }
  /** The snapshot of this manifest is in the folder. */
  | { readonly kind: 'fetched'; readonly manifest: Manifest }
  /** How far this clock is ahead of the store's. */
  | { readonly kind: 'clock'; readonly aheadMs: number }
  | { readonly kind: 'forgotten'; readonly problem: string };
