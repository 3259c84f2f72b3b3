// The 404s of this dialect. Its client ends with an error at either: it never takes one for "not affected".

import { type Answer, type Refusal, refuse } from '../../http/replies/responses.ts';
import type { Generation } from '../../index/generation.ts';
import { refuseWithoutData } from '../lookup-headers.ts';

export function unknownRecord(): Answer {
  return refuse({
    code: 'unknown_record',
    status: 404,
    title: 'No such record',
    detail: 'There is no record of this name about a Go module.',
  });
}

/** For an index that would say that every module is clean; undefined where there is data. */
export function refusalWithoutData(generation: Generation): Refusal | undefined {
  return refuseWithoutData(generation, 'golang', {
    code: 'no_go_data',
    title: 'No data about Go modules',
    detail: 'The snapshot has no advisory about a Go module.',
  });
}
