// The slowest requests: in a worker, the few slowest of the current minute; in the supervisor, those of
// the last hour. Nothing in them could be a secret: no key, body or query. A path may name a product; one
// that no route has is not kept.

import type { SlowRequest } from '../../../dialects/operations/document.ts';
import { OTHER_LABEL } from '../../../http/routing/dialect.ts';
import type { SentReply, SlowObserver } from '../../../http/transport/transport.ts';

/** Faster ones are never of interest. */
const LEAST_MS = 1;
const MOST_PER_WORKER = 5;
const MINUTE_MS = 60_000;
const KEPT_MINUTES = 60;
const MOST_SHOWN = 20;
const MOST_PATH_CHARS = 200;

/** As posted to the supervisor. */
export interface PostedSlowRequest extends Omit<SlowRequest, 'at'> {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** Of one worker. */
export class SlowRequests implements SlowObserver {
  /** Requests that took longer are noted. */
  thresholdMs = LEAST_MS;
  readonly #nowMs: () => number;
  #minute = 0;
  /** The slowest first. */
  #slowest: readonly PostedSlowRequest[] = [];
  #isNew = new Set<PostedSlowRequest>();

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  note({ method, status, tookMs, about }: SentReply, path: string): void {
    const { label, id, keyId } = about;
    const shown = path.length > MOST_PATH_CHARS ? `${path.slice(0, MOST_PATH_CHARS)}…` : path;
    const request: PostedSlowRequest = {
      atMs: this.#nowMs(),
      method,
      label,
      path: label === OTHER_LABEL ? null : shown,
      status,
      took_ms: Number(tookMs.toFixed(3)),
      request_id: id === '' ? null : String(id),
      key_id: keyId ?? null,
    };
    this.#isNew.add(request);
    const ordered = [...this.#slowest, request].sort((a, b) => b.took_ms - a.took_ms);
    for (const dropped of ordered.slice(MOST_PER_WORKER)) this.#isNew.delete(dropped);
    this.#slowest = ordered.slice(0, MOST_PER_WORKER);
    if (ordered.length >= MOST_PER_WORKER) this.thresholdMs = this.#slowest[MOST_PER_WORKER - 1].took_ms;
  }

  /** Those noted since the last call that are still among the slowest. Call it at least once a minute. */
  take(): readonly PostedSlowRequest[] {
    const taken = [...this.#isNew];
    this.#isNew = new Set();
    const minute = Math.floor(this.#nowMs() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#slowest = [];
      this.thresholdMs = LEAST_MS;
    }
    return taken;
  }
}

/** Of all workers. */
export class SlowestTable {
  /** By minute. */
  readonly #minutes = new Map<number, readonly PostedSlowRequest[]>();

  add(requests: readonly PostedSlowRequest[]): void {
    for (const request of requests) {
      const minute = Math.floor(request.atMs / MINUTE_MS);
      this.#minutes.set(minute, slowest([...(this.#minutes.get(minute) ?? []), request]));
    }
    const newest = Math.max(...this.#minutes.keys());
    for (const minute of this.#minutes.keys())
      if (minute <= newest - KEPT_MINUTES) this.#minutes.delete(minute);
  }

  /** The slowest first. */
  top(nowMs: number): readonly SlowRequest[] {
    const sinceMs = nowMs - KEPT_MINUTES * MINUTE_MS;
    const recent = [...this.#minutes.values()].flat().filter(({ atMs }) => atMs > sinceMs);
    return slowest(recent).map(({ atMs, ...rest }) => ({ at: new Date(atMs).toISOString(), ...rest }));
  }
}

function slowest(requests: PostedSlowRequest[]): readonly PostedSlowRequest[] {
  return requests.sort((a, b) => b.took_ms - a.took_ms).slice(0, MOST_SHOWN);
}
