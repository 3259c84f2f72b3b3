// Compiles any sources into a snapshot. Feeds alone go straight to the compiler; everything else is assembled
// into records first, which get their numbers from the registry.

import { join } from 'node:path';
import type { SnapshotCompiler } from '../../compiler/compile.ts';
import type { Preference } from '../../importers/assemble/preference.ts';
import { indexLines } from '../../importers/feed/known-lines.ts';
import { packBatches } from '../../importers/feed/line-threads.ts';
import { type PackedLines, packedLine } from '../../importers/feed/pack-lines.ts';
import { UsageError } from '../command-error.ts';
import { type CompileTarget, isStandardOutput, stoppedPathOf } from '../output/compile-target.ts';
import { type Examine, withSnapshotOutput } from '../output/snapshot-output.ts';
import { type AssemblySummary, assembleSources } from './assemble-sources.ts';
import { type CompileResult, compileFeeds } from './compile-feeds.ts';
import type { OpenPrevious } from './previous-snapshot.ts';
import { DEFAULT_MAX_REJECT_PERCENT } from './reject-limit.ts';
import { areFeedsAlone, type OpenSource, openSource, REGISTRY_NAME, type SourcePlan } from './sources.ts';

export interface SourcesPlan {
  readonly sources: readonly SourcePlan[];
  readonly preference: Preference;
  /**
   * A file, a folder (the snapshot is then named after its build time and id), or `-` for standard output.
   */
  readonly out: string;
  /**
   * The registry of ids; by default `vulndex-ids.tsv` in the folder of the snapshot. Feeds alone need none.
   */
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
  /** Reports every problem of sources that are assembled, and what each source took. */
  readonly isVerbose?: boolean;
  readonly builtAtMs: number;
  /** A snapshot to keep unchanged advisories from; the caller closes it. */
  readonly previous?: OpenPrevious | undefined;
}

export interface SourcesResult extends Omit<CompileResult, 'feedBytes'> {
  /** Undefined for feeds alone. */
  readonly summary: AssemblySummary | undefined;
  /** Undefined if feeds were assembled with other sources. */
  readonly feedBytes: number | undefined;
}

/**
 * Compiles and publishes. `report` gets one line for every problem and warning. Throws CommandError, with
 * nothing published and no id registered, if a source cannot be read to its end, or a guard stops it.
 */
export async function compileSources(
  plan: SourcesPlan,
  report: (line: string) => void,
  open: OpenSource = openSource,
): Promise<SourcesResult> {
  if (areFeedsAlone(plan.sources)) return compileFeedsOf(plan, report);
  if (plan.skipInvalid) {
    throw new UsageError(
      '--skip-invalid is for feeds alone; with other sources, --max-reject limits how many entries may be bad',
    );
  }
  const { out, builtAtMs, guards, previous } = plan;
  requireRegistryPath(plan);
  const output = {
    out,
    keepsRejects: true,
    builtAtMs,
    previous,
    ...(guards.examine ? { examine: guards.examine } : {}),
  };
  return withSnapshotOutput(
    output,
    () => {},
    async ({ target, compiler, rejects, finish }) => {
      const assembly = {
        ...plan,
        isVerbose: plan.isVerbose === true,
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
      const { summary, result } = await assembleSources(assembly, surroundings, async ({ lines, commit }) => {
        const known = previous === undefined ? undefined : indexLines(previous.origins);
        for await (const { packed } of packBatches(lines(), { previous: known, isChecked: true })) {
          addRecords(compiler, packed);
        }
        return finish(commit);
      });
      const { advisories, withdrawn } = summary;
      return { ...result, advisories, withdrawn, rejects: rejects.count, feedBytes: undefined, summary };
    },
  );
}

/**
 * A record that is the same, member by member, as one of the previous snapshot is kept from there. Its origin
 * is that of the line which `import` writes for it, so that both ways give the same snapshot. Its PSID
 * follows from the record.
 */
function addRecords(compiler: SnapshotCompiler, lines: PackedLines): void {
  for (let line = 0; line < lines.ids.length; line++) {
    if (lines.known[line] > 0) compiler.addKept(lines.known[line] - 1);
    else compiler.addPacked(packedLine(lines, line));
  }
}

async function compileFeedsOf(plan: SourcesPlan, report: (line: string) => void): Promise<SourcesResult> {
  const { maxRejectPercent, examine } = plan.guards;
  const { out, skipInvalid, strict, builtAtMs, previous } = plan;
  const result = await compileFeeds(
    {
      feeds: plan.sources.map(({ location }) => location),
      ...{ out, skipInvalid, strict, builtAtMs, previous },
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
