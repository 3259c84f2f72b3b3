// Runs test files in lanes: processes that each take the next file when they have ended one. Nothing outlives
// a run, however it ends.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onInterrupt, removeFolder } from '../processes.ts';
import { type FilePlan, type FileResult, LaneProcess, laneFolder } from './lane-process.ts';

const END_MS = 20_000; // for a lane whose files have all ended

export interface RunPlan extends FilePlan {
  /** In the order in which they start. */
  readonly files: readonly string[];
  readonly lanes: number;
  readonly onResult: (result: FileResult) => void;
}

/** Everything that went wrong outside of files, once all of them have ended. */
export async function runFiles({ files, lanes, onResult, ...plan }: RunPlan): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-run-'));
  const waiting = [...files];
  const alive = new Set<LaneProcess>();
  const problems: string[] = [];
  let started = 0;

  const clean = (): void => {
    for (const lane of alive) lane.kill();
    removeFolder(folder);
  };
  const end = onInterrupt(clean);

  const startLane = (): LaneProcess => {
    const lane = new LaneProcess(laneFolder(folder, started++));
    alive.add(lane);
    return lane;
  };
  const endLane = async (lane: LaneProcess): Promise<void> => {
    const problem = await lane.end(END_MS);
    if (problem !== undefined) problems.push(problem);
    alive.delete(lane);
  };
  const runLane = async (): Promise<void> => {
    let lane: LaneProcess | undefined;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      lane ??= startLane();
      const result = await lane.run(file, plan);
      onResult(result);
      if (result.problems.length > 0)
        lane.kill(); // what the file has left there is no concern of the next one
      else if (plan.sharesProcess) continue;
      await endLane(lane);
      lane = undefined;
    }
    if (lane !== undefined) await endLane(lane);
  };
  try {
    await Promise.all(Array.from({ length: lanes }, runLane));
  } finally {
    clean();
    end();
  }
  return problems;
}
