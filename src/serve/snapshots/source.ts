// The supervisor's side of the thread that follows the source of snapshots. A thread that dies is started
// again; meanwhile what is live stays live.

import { KeptThread, type KeptThreadOptions, type ThreadHandle } from '../kept-thread.ts';
import { startThread } from '../thread.ts';
import type { FromSource, SourceData, ToSource } from './source-messages.ts';

const BACK_OFF_MS = [1_000, 60_000] as const;
/** For a request that is under way; then the thread is ended. */
const STOP_MS = 2_000;
/** It keeps little: what it reads is written at once. */
const YOUNG_MEGABYTES = 3;

type SourceEvents = Pick<KeptThreadOptions<FromSource>, 'onMessage' | 'onFailure'>;

export class Source {
  readonly #thread: KeptThread<ToSource, FromSource>;

  constructor(
    data: SourceData,
    events: SourceEvents,
    start: (data: SourceData) => ThreadHandle = startSource,
  ) {
    const isGood = ({ kind }: FromSource): boolean => kind === 'polled';
    this.#thread = new KeptThread({ ...events, start: () => start(data), backOffMs: BACK_OFF_MS, isGood });
  }

  /** The loader has refused this file, a name in the folder. */
  suspect(file: string): void {
    this.#thread.post({ kind: 'suspect', file });
  }

  /** Whether the thread has ended; it has not if it is held by a system call. */
  stop(): Promise<boolean> {
    return this.#thread.stop({ kind: 'stop' }, STOP_MS);
  }
}

function startSource(data: SourceData): ThreadHandle {
  return startThread('snapshots/source-thread', data, { youngMegabytes: YOUNG_MEGABYTES });
}
