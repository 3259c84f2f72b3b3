// Writes what sources say as a feed. The registry of ids is the same as that of `compile`, so a snapshot made
// of the feed has the ids of one made of the sources.

import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sweepTemporaryFiles } from '../../files/temporary-file.ts';
import type { Preference } from '../../importers/assemble/preference.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { cleaningUp } from '../interruption.ts';
import { explainWriting, isStandardOutput, rejectsPathOf, stoppedPathOf } from '../output/compile-target.ts';
import { FeedOutput } from '../output/feed-output.ts';
import { explained } from '../output/snapshot-output.ts';
import { copyToOutput, withScratchFolder } from '../standard-streams.ts';
import { type AssemblySummary, assembleSources } from './assemble-sources.ts';
import { DEFAULT_MAX_REJECT_PERCENT } from './reject-limit.ts';
import { RejectsFile } from './rejects-file.ts';
import { type OpenSource, openSource, REGISTRY_NAME, type SourcePlan } from './sources.ts';

export interface ImportPlan {
  readonly sources: readonly SourcePlan[];
  readonly preference: Preference;
  /** A file, gzipped if its name ends in `.gz`, or `-` for standard output. */
  readonly out: string;
  /** The registry of ids; by default `vulndex-ids.tsv` in the folder of the feed. */
  readonly idsPath?: string;
  readonly maxRejectPercent?: number;
  readonly strict: boolean;
  /** Reports every problem of sources that are assembled, and what each source took. */
  readonly isVerbose?: boolean;
  readonly builtAtMs: number;
}

interface ImportResult {
  readonly path: string;
  readonly totalBytes: number;
  readonly rejects: number;
  readonly rejectsPath: string | undefined;
  readonly summary: AssemblySummary;
}

/**
 * Throws CommandError, with nothing written and no id registered, if a source cannot be read or a guard stops
 * it.
 */
export async function importSources(
  plan: ImportPlan,
  report: (line: string) => void,
  open: OpenSource = openSource,
): Promise<ImportResult> {
  if (!isStandardOutput(plan.out)) {
    requireFile(plan.out);
    return importInto(plan.out, plan, report, open);
  }
  if (plan.idsPath === undefined) {
    throw new UsageError(
      'the registry of ids is kept beside the output, which is not possible with standard output: name its file with --ids, or give --out a file',
    );
  }
  return withScratchFolder(async (folder) => {
    const path = join(folder, 'output.ndjson');
    const result = await importInto(path, plan, report, open);
    await copyToOutput(path);
    return { ...result, path: plan.out };
  });
}

async function importInto(
  path: string,
  plan: ImportPlan,
  report: (line: string) => void,
  open: OpenSource,
): Promise<ImportResult> {
  const folder = dirname(path);
  const rejects = new RejectsFile(folder);
  let output: FeedOutput | undefined;
  const abandon = (): void => {
    output?.abandon();
    rejects.abandon();
  };
  try {
    return await cleaningUp(abandon, async () => {
      mkdirSync(folder, { recursive: true });
      sweepTemporaryFiles(folder, Date.now());
      const feed = new FeedOutput(folder, path.endsWith('.gz'));
      output = feed;
      const assembly = {
        ...plan,
        isVerbose: plan.isVerbose === true,
        idsPath: plan.idsPath ?? join(folder, REGISTRY_NAME),
        maxRejectPercent: plan.maxRejectPercent ?? DEFAULT_MAX_REJECT_PERCENT,
      };
      const stoppedRejectsPath = stoppedPathOf(plan.out);
      const surroundings = { folder, rejects, stoppedRejectsPath, report, open };
      let rejectsPath: string | undefined;
      const { summary } = await assembleSources(assembly, surroundings, async ({ lines, commit }) => {
        let count = 0;
        for await (const batch of lines()) {
          for (const { bytes } of batch) feed.add(bytes);
          count += batch.length;
        }
        if (count === 0) throw new CommandError('there are no valid advisories; nothing was written');
        feed.publish(path, () => {
          commit();
          rejectsPath = rejects.publish(rejectsPathOf(path));
        });
      });
      return { path, totalBytes: feed.totalBytes, rejects: rejects.count, rejectsPath, summary };
    });
  } catch (error) {
    throw explained(error, folder);
  } finally {
    abandon();
  }
}

/**
 * Checked before the work, not after. Also, a rename would replace a device such as /dev/null with a file.
 */
function requireFile(path: string): void {
  if (path === '') throw new UsageError('--out is empty; name a file, or - for standard output');
  for (const each of [path, rejectsPathOf(path)]) {
    let isFile = true;
    try {
      isFile = statSync(each).isFile();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw explainWriting(error, each);
    }
    if (!isFile) throw new CommandError(`${each}: not a regular file; choose another --out`);
  }
}
