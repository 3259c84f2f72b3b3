// Compiles any sources into a snapshot. Feeds alone go straight to the compiler; everything else is assembled into
// records first, which get their numbers from the registry.

import { join } from 'node:path';
import type { Preference } from '../importers/assemble/preference.ts';
import { toAdvisory } from '../importers/record/record.ts';
import { type AssemblySummary, assembleSources } from './assemble-sources.ts';
import { UsageError } from './command-error.ts';
import { type CompileResult, compileFeeds } from './compile-feeds.ts';
import { type CompileTarget, isStandardOutput, stoppedPathOf } from './compile-target.ts';
import { DEFAULT_MAX_REJECT_PERCENT } from './reject-limit.ts';
import { type Examine, withSnapshotOutput } from './snapshot-output.ts';
import { type OpenSource, openSource, REGISTRY_NAME, type SourcePlan } from './sources.ts';

export interface SourcesPlan {
  readonly sources: readonly SourcePlan[];
  readonly preference: Preference;
  /** A file, a folder (the snapshot is then named after its build time and id), or `-` for standard output. */
  readonly out: string;
  /** The registry of ids; by default `vulndex-ids.tsv` in the folder of the snapshot. Feeds alone need none. */
  readonly idsPath?: string;
  readonly guards: {
    /** Default 1; for feeds alone, see `skipInvalid`. */
    readonly maxRejectPercent?: number;
    /** Called with the complete snapshot before it is published; what it throws stops the compilation. */
    readonly examine?: Examine;
  };
  /** For feeds alone, which otherwise must have no bad line. */
  readonly skipInvalid: boolean;
  /** A member that the feed format does not have makes a line of a feed bad; otherwise it is a warning. */
  readonly strict: boolean;
  readonly builtAtMs: number;
}

export interface SourcesResult extends Omit<CompileResult, 'feedBytes'> {
  /** Undefined for feeds alone. */
  readonly summary: AssemblySummary | undefined;
  /** Undefined if feeds were assembled with other sources. */
  readonly feedBytes: number | undefined;
}

/**
 * Compiles and publishes. `report` gets one line for every problem and warning. Throws CommandError, with nothing
 * published and no id registered, if a source cannot be read to its end, or a guard stops it.
 */
export async function compileSources(
  plan: SourcesPlan,
  report: (line: string) => void,
  open: OpenSource = openSource,
): Promise<SourcesResult> {
  if (plan.sources.every(({ kind }) => kind === 'feed')) return compileFeedsOf(plan, report);
  if (plan.skipInvalid) {
    throw new UsageError(
      '--skip-invalid is for feeds alone; with other sources, --max-reject limits how many entries may be bad',
    );
  }
  const { out, builtAtMs, guards } = plan;
  requireRegistryPath(plan);
  const output = {
    out,
    keepsRejects: true,
    builtAtMs,
    ...(guards.examine ? { examine: guards.examine } : {}),
  };
  return withSnapshotOutput(
    output,
    () => {},
    async ({ target, compiler, rejects, finish }) => {
      const assembly = {
        ...plan,
        idsPath: plan.idsPath ?? registryPathIn(target),
        maxRejectPercent: guards.maxRejectPercent ?? DEFAULT_MAX_REJECT_PERCENT,
      };
      const surroundings = {
        folder: target.folder,
        rejects,
        stoppedRejectsPath: stoppedPathOf(out),
        report,
        open,
      };
      const { summary, result } = await assembleSources(assembly, surroundings, async ({ each, commit }) => {
        await each((record, psid) => compiler.add(toAdvisory(record, psid)));
        return finish(commit);
      });
      const { advisories, withdrawn } = summary;
      return { ...result, advisories, withdrawn, rejects: rejects.count, feedBytes: undefined, summary };
    },
  );
}

async function compileFeedsOf(plan: SourcesPlan, report: (line: string) => void): Promise<SourcesResult> {
  const { maxRejectPercent, examine } = plan.guards;
  const { out, skipInvalid, strict, builtAtMs } = plan;
  const result = await compileFeeds(
    {
      feeds: plan.sources.map(({ location }) => location),
      ...{ out, skipInvalid, strict, builtAtMs },
      ...(maxRejectPercent === undefined ? {} : { maxRejectPercent }),
      ...(examine === undefined ? {} : { examine }),
    },
    report,
  );
  return { ...result, summary: undefined };
}

function requireRegistryPath({ out, idsPath }: SourcesPlan): void {
  if (!isStandardOutput(out) || idsPath !== undefined) return;
  throw new UsageError(
    'the registry of ids is kept beside the output, which is not possible with standard output: name its file with --ids, or give --out a file',
  );
}

function registryPathIn({ folder }: CompileTarget): string {
  return join(folder, REGISTRY_NAME);
}
