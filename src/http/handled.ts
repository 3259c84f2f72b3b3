// What the service makes of a request.

import type { Reply } from './replies/responses.ts';
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
