// The errors of this dialect. The client shows each as NU1900, with the status, and never as "not affected".

import { RETRY_SOON } from '../../http/readiness.ts';
import { type Refusal, refuse } from '../../http/replies/responses.ts';
import type { Generation } from '../../index/generation.ts';
import { refuseWithoutData } from '../lookup-headers.ts';

export function unknownPage(): Refusal {
  return refuse({
    code: 'unknown_page',
    status: 404,
    title: 'No such page',
    detail: 'The index of pages names those that there are.',
  });
}

/** For an index that would say that every package is clean; undefined where there is data. */
export function refusalWithoutData(generation: Generation): Refusal | undefined {
  return refuseWithoutData(generation, 'nuget', {
    code: 'no_nuget_data',
    title: 'No data about NuGet packages',
    detail: 'The snapshot has no advisory about a NuGet package.',
  });
}

export function earlierSnapshot(): Refusal {
  const problem = {
    code: 'earlier_snapshot',
    status: 503,
    title: 'Not loaded yet',
    detail: 'The index came from a replica with a newer snapshot than this one has: ask again soon.',
  } as const;
  return refuse(problem, [RETRY_SOON]);
}
