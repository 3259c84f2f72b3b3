// What the runner and a lane tell each other.

/** `sharesProcess`: whether other files run in the same process. */
export type LaneOrder =
  | { readonly kind: 'run'; readonly file: string; readonly sharesProcess: boolean }
  | { readonly kind: 'end' };

/** One test or suite that ended. A file is a suite of nesting 0. */
export interface Ended {
  readonly kind: 'ended';
  readonly name: string;
  readonly nesting: number;
  readonly isSuite: boolean;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly durationMs: number;
  /** Why it was skipped, or the error in full. */
  readonly why: string;
}

export type LaneReport =
  | Ended
  | { readonly kind: 'started'; readonly name: string }
  | { readonly kind: 'diagnostic'; readonly text: string };
