// Changes every reply that a request may get, at once, by work, by a body or refused: for what stands in
// front of the service.

import type { Handled } from './handled.ts';
import type { Reply } from './replies/responses.ts';
import type { Steps } from './work/steps.ts';
import type { Work } from './work/work-queue.ts';

type Change = (reply: Reply) => Reply;

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
