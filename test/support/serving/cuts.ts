// Where the bytes of requests and replies are split in transit: places that no reader may take for an end. A
// list for every transport; FAULTS are the places that a transport gets wrong.

import type { TransportKind } from '../../../src/http/transport/transport.ts';

/** What is on both sides of a cut. */
export type CutPlace =
  | 'method'
  | 'blank-and-path'
  | 'path'
  | 'path-and-protocol'
  | 'protocol'
  | 'fields'
  | 'end';

export interface Cut {
  /** Bytes before it. */
  readonly at: number;
  readonly place: CutPlace;
}

/**
 * Every place where the head of a request can be cut. Requires: one head, from its method to its empty line.
 */
export function cutsOf(head: string): Cut[] {
  const path = head.indexOf(' ') + 1;
  const protocol = head.indexOf(' HTTP/1.1\r\n') + 1;
  const fields = head.indexOf('\r\n') + 2;
  const placeOf = (at: number): CutPlace => {
    if (at < path) return 'method';
    if (at === path) return 'blank-and-path';
    if (at < protocol) return 'path';
    if (at === protocol) return 'path-and-protocol';
    if (at < fields) return 'protocol';
    return at < head.length - 1 ? 'fields' : 'end';
  };
  return Array.from({ length: head.length - 1 }, (_, i) => ({ at: i + 1, place: placeOf(i + 1) }));
}

/** Pipelined requests, all sent before the first reply is read. */
export interface PipelineCut {
  readonly name: string;
  readonly requests: number;
  readonly replyBytes: number;
}

export const PIPELINE_CUTS: readonly PipelineCut[] = [
  { name: 'replies within the send buffer', requests: 20, replyBytes: 2_000 },
  { name: 'replies beyond the send buffer', requests: 16, replyBytes: 2_000_000 },
];

/** What a transport gets wrong. */
export interface TransportFaults {
  /** A cut here gets 505, and the connection is closed. */
  readonly cuts: ReadonlySet<CutPlace>;
  /** Names of PIPELINE_CUTS: the connection is closed before all replies have arrived. */
  readonly pipelines: ReadonlySet<string>;
}

export const FAULTS: Readonly<Record<TransportKind, TransportFaults>> = {
  uws: {
    // of the build in package.json
    cuts: new Set(['blank-and-path', 'path-and-protocol', 'protocol']),
    pipelines: new Set(['replies beyond the send buffer']),
  },
  node: { cuts: new Set(), pipelines: new Set() },
};
