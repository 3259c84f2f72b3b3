// Runs test files in lanes: processes that each take the next file when they have ended one. Nothing outlives a run,
// however it ends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileResult, LaneProcess, laneFolder } from './lane-process.ts';

const END_MS = 20_000; // for a lane whose files have all ended

export interface RunPlan {
  /** In the order in which they start. */
  readonly files: readonly string[];
  readonly lanes: number;
  /** For each file. */
  readonly limitMs: number;
  /** Whether a lane runs many files; otherwise each has a process of its own. */
  readonly sharesProcess: boolean;
  readonly onResult: (result: FileResult) => void;
}

/** Everything that went wrong outside of files, once all of them have ended. */
export async function runFiles({
  files,
  lanes,
  limitMs,
  sharesProcess,
  onResult,
}: RunPlan): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vulndex-run-'));
  const waiting = [...files];
  const alive = new Set<LaneProcess>();
  const problems: string[] = [];
  let started = 0;

  const clean = (): void => {
    for (const lane of alive) lane.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    clean();
    process.removeListener(signal, interrupted);
    process.kill(process.pid, signal);
  };
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, interrupted);

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
      onResult(await lane.run(file, limitMs));
      if (sharesProcess && lane.isAlive) continue;
      await endLane(lane);
      lane = undefined;
    }
    if (lane !== undefined) await endLane(lane);
  };
  try {
    await Promise.all(Array.from({ length: lanes }, runLane));
  } finally {
    clean();
    for (const signal of signals) process.removeListener(signal, interrupted);
  }
  return problems;
}
