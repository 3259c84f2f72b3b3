// The 404s of this dialect. Its client ends with an error at either: it never takes one for "not affected".

import { type Answer, refuse } from '../../http/replies/responses.ts';
import type { Generation } from '../../index/generation.ts';
import { withoutData } from '../lookup-headers.ts';

export function unknownRecord(): Answer {
  return refuse({
    code: 'unknown_record',
    status: 404,
    title: 'No such record',
    detail: 'There is no record of this name about a Go module.',
  });
}

/** For an index that would say that every module is clean; undefined where there is data. */
export function refusalWithoutData(generation: Generation): Answer | undefined {
  const headers = withoutData(generation, ['golang']);
  if (headers.length === 0) return undefined;
  const problem = {
    code: 'no_go_data',
    status: 404,
    title: 'No data about Go modules',
    detail: 'The snapshot has no advisory about a Go module.',
  } as const;
  return refuse(problem, headers);
}
