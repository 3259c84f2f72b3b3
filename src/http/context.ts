// What every handler gets: one generation, read once; the time; and the thread's reusable buffers.

import type { Generation } from '../index/generation.ts';
import { Matches } from '../index/lookup/matches.ts';
import { AnswerBuffer } from '../index/memory/answer-buffer.ts';

export interface HandlerContext {
  readonly generation: Generation;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  readonly latestAnchor: 'clock' | 'snapshot';
  /** Restarted by the handler; its view is the reply's body. */
  readonly out: AnswerBuffer;
  readonly matches: Matches;
}

/** The buffers of one thread. */
export function makeBuffers(): Pick<HandlerContext, 'out' | 'matches'> {
  return { out: new AnswerBuffer(), matches: new Matches() };
}
