// Whether this process wants requests, and how /readyz says so.

import { serviceProblem } from './problems.ts';
import { type Answer, type ReplyHeader, refuse } from './responses.ts';

/** `unready` names why not. */
export type Readiness =
  | { readonly kind: 'ready' }
  /** Ready, with data that is older than it should be. */
  | { readonly kind: 'stale'; readonly detail: string }
  | {
      readonly kind: 'unready';
      readonly code: 'no_snapshot' | 'draining' | 'no_worker' | 'snapshot_too_old';
      readonly detail: string;
    };

/** Seconds: a load or a restart is over by then, or will take long. */
export const RETRY_SOON: ReplyHeader = ['Retry-After', '5'];

/** The body of /readyz with 200. */
export function renderReady(readiness: Exclude<Readiness, { kind: 'unready' }>): string {
  return readiness.kind === 'ready'
    ? '{"status":"ready"}'
    : JSON.stringify({ status: 'ready', warning: readiness.detail });
}

export function unready({
  code,
  detail,
}: Extract<Readiness, { kind: 'unready' }>): Extract<Answer, { kind: 'problem' }> {
  return refuse(serviceProblem(code, detail), [RETRY_SOON]);
}
