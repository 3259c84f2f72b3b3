// The conversions of sources that `refresh` keeps in its cache: one file for each source of files, written
// when the source was read to its end.

import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { KeptConversions } from '../../importers/kept/kept-conversions.ts';
import { programOf } from '../../importers/kept/program.ts';
import type { SourceReader } from '../../importers/source-kind.ts';
import { type OpenOptions, openSource, type SourcePlan } from '../sources/sources.ts';

const NAME = /^[a-z]+-[0-9a-f]{16}\.kept$/;

/** A source of files that takes what has not changed from the last run. Throws SourceError. */
export async function openKept(
  plan: SourcePlan,
  options: OpenOptions,
  { folder, version }: { readonly folder: string; readonly version: string },
): Promise<SourceReader> {
  const { report } = options;
  return {
    ...(await openSource(plan, options)),
    async *read(onProgress) {
      // By another rule the same entries become others.
      const program = [programOf(version), plan.informational ?? ''].join(' ').trimEnd();
      const kept = new KeptConversions(join(folder, nameOf(plan)), { program, report });
      try {
        const { read } = await openSource(plan, { ...options, kept });
        yield* read(onProgress);
        kept.publish();
      } finally {
        kept.close();
      }
    },
  };
}

/** Removes what was kept of other sources than these. What cannot be removed stays. */
export function removeOthers(folder: string, plans: readonly SourcePlan[]): void {
  const names = new Set(plans.map(nameOf));
  for (const name of readdirSync(folder)) {
    if (!NAME.test(name) || names.has(name)) continue;
    try {
      rmSync(join(folder, name));
    } catch {
      // no permission: it is not read either
    }
  }
}

function nameOf({ kind, location }: SourcePlan): string {
  const hash = createHash('sha256').update(location).digest('hex').slice(0, 16);
  return `${kind.name}-${hash}.kept`;
}
