// What a follower tells: plain data, since it works in a thread of its own.

import type { Manifest } from './manifest.ts';
import type { RefusalCode } from './manifest-rules.ts';

/** Why not everything is as the source wants it. */
export type FollowProblem =
  /** The store does not do what it is asked. */
  | { readonly kind: 'store'; readonly message: string }
  /** This machine does not: a full disk, a folder that cannot be written. */
  | { readonly kind: 'system'; readonly message: string }
  | {
      readonly kind: 'refused';
      readonly code: RefusalCode;
      readonly message: string;
      /** Of the manifest, if it could be read. */
      readonly sequence: number | undefined;
    };

export interface FollowEvents {
  /** At the end of each poll. `isAnswered`: the store said what it has, whether it is followed or not. */
  readonly onPolled: (poll: { readonly atMs: number; readonly isAnswered: boolean }) => void;
  /** At the end of each poll; undefined if everything is as the source wants it. */
  readonly onProblem: (problem: FollowProblem | undefined) => void;
  /** A manifest was accepted, or recalled after a start. */
  readonly onManifest: (manifest: Manifest) => void;
  /** The size so far of the snapshot that is being fetched, and what was added to it. */
  readonly onBytes: (bytes: number, added: number) => void;
  /** The snapshot of this manifest is in the folder. */
  readonly onFetched: (manifest: Manifest) => void;
  /** How far this clock is ahead of the store's. */
  readonly onClock: (aheadMs: number) => void;
  /** What a previous process remembered is of no use, for this reason. */
  readonly onForgotten: (problem: string) => void;
}
