// A lane as the runner sees it: a child process in a group of its own, the file it runs, and what it has said
// of it.

import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killTree } from '../processes.ts';
import type { Ended, LaneOrder, LaneReport } from './messages.ts';

const LANE = fileURLToPath(new URL('lane.ts', import.meta.url));
const REPORTER = new URL('lane-reporter.ts', import.meta.url).href;
const GONE_MS = 10_000; // for a busy machine
const START_MS = 120_000; // the same: of a new lane until it begins its file
/** What node:test says when something goes wrong outside of every test. */
const STRAY = /^Warning: /;

export interface FileResult {
  readonly file: string;
  readonly tookMs: number;
  /** Tests, not suites, in the order of their ends. */
  readonly tests: readonly Ended[];
  /** What went wrong outside of a test: a hook, the import, a process that died. */
  readonly problems: readonly string[];
  readonly diagnostics: readonly string[];
  /** What it printed, unless that was passed on. */
  readonly output: string;
}

/** What a file says while it runs. */
export type Progress = LaneReport | { readonly kind: 'printed'; readonly text: string };

export interface FilePlan {
  /** For each test of a file to begin or to end after what it said before. */
  readonly limitMs: number;
  /** Whether a lane runs many files; otherwise each has a process of its own. */
  readonly sharesProcess: boolean;
  /** How long a connection or a process that a file has closed may take to be gone. */
  readonly goneMs?: number;
  /** Called with what a file says while it runs; its result then has no output. */
  readonly onProgress?: (file: string, progress: Progress) => void;
}

export class LaneProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  #report: (report: LaneReport) => void = () => {};
  #output = '';
  #print: (text: string) => void = this.#keep;
  isAlive = true;

  /** `folder` is the lane's own, and is made here. */
  constructor(folder: string, nodeOptions: readonly string[] = []) {
    mkdirSync(folder);
    this.#child = fork(LANE, [], {
      detached: true, // a group of its own, so that what tests start can be ended with it
      execArgv: [
        '--import',
        'tsx',
        ...nodeOptions,
        `--test-reporter=${REPORTER}`,
        '--test-reporter-destination=stdout',
      ],
      // Without what marks a process of `node --test`: node:test would report to that.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, VULNDEX_LANE_FOLDER: folder },
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#print(text));
    }
    this.#child.on('message', (report: LaneReport) => this.#report(report));
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`));
      this.#child.once('exit', (code, signal) => resolve(signal === null ? `status ${code}` : signal));
    });
    void this.#exited.then(() => {
      this.isAlive = false;
      this.kill(); // what outlived it
    });
  }

  /** Resolves when the file has ended, or the process has, or a limit is over, which ends the process. */
  async run(
    file: string,
    { limitMs, sharesProcess, goneMs = GONE_MS, onProgress }: FilePlan,
  ): Promise<FileResult> {
    const startMs = performance.now();
    const tests: Ended[] = [];
    const problems: string[] = [];
    const diagnostics: string[] = [];
    let current = `"${file}"`;
    this.#output = '';
    if (onProgress !== undefined) this.#print = (text) => onProgress(file, { kind: 'printed', text });
    let timer: NodeJS.Timeout | undefined;
    let giveUp: () => void = () => {};
    const tooLong = new Promise<string>((resolve) => {
      giveUp = () => resolve('too long');
    });
    const waitFor = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, ms);
    };
    const fileEnded = new Promise<void>((resolve) => {
      this.#report = (report) => {
        waitFor(limitMs);
        onProgress?.(file, report);
        if (report.kind === 'started') current = `"${report.name}"`;
        if (report.kind === 'diagnostic')
          (STRAY.test(report.text) ? problems : diagnostics).push(report.text);
        if (report.kind !== 'ended') return;
        // The tests of a skipped suite are not even declared: the suite stands for them.
        if (!report.isSuite || report.outcome === 'skipped') tests.push(report);
        else if (report.outcome === 'failed' && report.why !== '') problems.push(report.why);
        if (report.nesting === 0) resolve();
      };
    });
    waitFor(Math.max(limitMs, START_MS));
    this.#tell({ kind: 'run', file, sharesProcess, goneMs });
    const end = await Promise.race([fileEnded, this.#exited, tooLong]);
    clearTimeout(timer);
    if (end === 'too long') {
      problems.push(`nothing began or ended for ${limitMs / 1000} s, in ${current}`);
      this.kill();
      await this.#exited;
    } else if (end !== undefined) {
      problems.push(`its process ended with ${end}, in ${current}`);
    } else if (tests.length === 0 && problems.length === 0) {
      problems.push('it has no test');
    }
    const tookMs = performance.now() - startMs;
    await turn(); // what it printed came before its end, but through another pipe
    this.#print = this.#keep;
    return { file, tookMs, tests, problems, diagnostics, output: this.#output };
  }

  /**
   * Ends the process as a program ends: by having nothing left to do. Says what was wrong with that, or
   * undefined.
   */
  async end(limitMs: number): Promise<string | undefined> {
    if (!this.isAlive) return undefined;
    this.#output = '';
    this.#tell({ kind: 'end' });
    const timer = setTimeout(() => this.kill(), limitMs);
    const how = await this.#exited;
    clearTimeout(timer);
    return how === 'SIGKILL' || this.#output !== ''
      ? `a test process ended with ${how}\n${this.#output}`
      : undefined;
  }

  kill(): void {
    this.isAlive = false;
    killTree(this.#child.pid);
  }

  #keep(text: string): void {
    this.#output += text;
  }

  #tell(order: LaneOrder): void {
    if (this.isAlive) this.#child.send(order, () => {}); // a process that is gone ends run()
  }
}

/** The folder of the lane with this number, in the folder of the run. */
export function laneFolder(runFolder: string, lane: number): string {
  return join(runFolder, String(lane));
}
