// What the service makes of a request, and how whatever stands in front of it changes every reply.

import type { Reply } from './replies/responses.ts';
import type { Steps } from './work/steps.ts';
import type { Work } from './work/work-queue.ts';

/** A request that passed the checks and waits for its body. */
export interface BodyWanted {
  readonly kind: 'body-wanted';
  readonly maxBytes: number;
  /** Whose body it is: each caller has a share of the memory for bodies. */
  readonly caller: string;
  /** Once the whole body has arrived. */
  work(body: Uint8Array): Work;
  /** The reply if the body exceeds `maxBytes`. */
  tooLarge(): Reply;
  /** The reply if there is no memory left for it. */
  overloaded(): Reply;
}

/** What a request gets: a reply at once, or one that takes a body or time. */
export type Handled = Reply | BodyWanted | Work;

type Change = (reply: Reply) => Reply;

/** Changes every reply that a request may get: at once, by work, by a body or refused. */
export function changeEach(handled: Handled, change: Change): Handled {
  if (!('kind' in handled)) return change(handled);
  if (handled.kind === 'work') return changeWork(handled, change);
  return {
    ...handled,
    work: (body) => changeWork(handled.work(body), change),
    tooLarge: () => change(handled.tooLarge()),
    overloaded: () => change(handled.overloaded()),
  };
}

function changeWork(work: Work, change: Change): Work {
  return {
    ...work,
    steps: () => changedSteps(work, change),
    refuse: () => change(work.refuse()),
    tooLate: () => change(work.tooLate()),
  };
}

function* changedSteps(work: Work, change: Change): Steps<Reply> {
  return change(yield* work.steps());
}
