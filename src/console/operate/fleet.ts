// Words for `source` and `limits` in GET /operations: what it is, since when, and what to do. Short
// ones: conditions are shown above, and messages of refusals say what to do.

import type {
  ManifestState,
  Reason,
  SharedLimits,
  SourceProblem,
} from '../../dialects/operations/document.ts';
import { bytes, counted, moment } from '../parts/words.ts';

/** `Manifest 12: prepared, live at 2026-01-31 07:05.` */
export function manifestState(manifest: ManifestState | null): string {
  if (manifest === null) return 'No manifest was accepted yet.';
  const { sequence, state, activate_at, reason, arrived_bytes } = manifest;
  let more = '';
  if (state === 'prepared') more = `, live ${activate_at === null ? 'next' : `at ${moment(activate_at)}`}`;
  if (state === 'fetching') more = `, ${bytes(arrived_bytes)} of ${bytes(manifest.bytes)}`;
  return `Manifest ${sequence}: ${state}${more}${because(reason)}.`;
}

const NEXT_STEPS: Readonly<Record<SourceProblem['kind'], string>> = {
  store: ' It is asked again; check address, credentials and store.',
  system: ' Check room and permissions of the folder of snapshots.',
  refused: '',
};

export function problemText(problem: SourceProblem): string {
  return `Since ${moment(problem.since)}${because(problem)}.${NEXT_STEPS[problem.kind]}`;
}

export function limitsState({
  mode,
  replicas = 0,
  problem,
}: Pick<SharedLimits, 'mode' | 'replicas' | 'problem'>): string {
  if (mode === 'starting') return 'The engine was not reached yet.';
  if (mode === 'fleet') return `Counted over ${counted(replicas, 'replica')}.`;
  const share = replicas === 0 ? 'whole quotas' : `1/${replicas} of each quota`;
  return `Counted here alone, within ${share}${because(problem)}.`;
}

function because(reason: Reason | undefined): string {
  if (reason === undefined) return '';
  const { code, message } = reason;
  return code === undefined ? `: ${message}` : `: ${code}: ${message}`;
}
