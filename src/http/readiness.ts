// Whether this process accepts requests, and the answers of /readyz.

import { serviceProblem } from './replies/problems.ts';
import type { ReplyHeader } from './replies/reply-headers.ts';
import { type Refusal, refuse } from './replies/responses.ts';

/** `unready` says why. */
export type Readiness =
  | { readonly kind: 'ready' }
  /** Ready, with data older than the limit. */
  | { readonly kind: 'stale'; readonly detail: string }
  | Unready;

export interface Unready {
  readonly kind: 'unready';
  readonly code:
    | 'no_snapshot'
    | 'preparing'
    | 'draining'
    | 'no_worker'
    | 'snapshot_too_old'
    | 'other_snapshot';
  readonly detail: string;
}

/** Seconds: by then a load or a restart is over, or will take long. */
export const RETRY_SOON: ReplyHeader = ['Retry-After', '5'];

/** The body of a 200 from /readyz. */
export function renderReady(readiness: Exclude<Readiness, Unready>): string {
  return readiness.kind === 'ready'
    ? '{"status":"ready"}'
    : JSON.stringify({ status: 'ready', warning: readiness.detail });
}

export function unready({ code, detail }: Unready): Refusal {
  return refuse(serviceProblem(code, detail), [RETRY_SOON]);
}
