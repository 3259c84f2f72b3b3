// Passes lines to systemd by its own program, systemd-notify: Node has no Unix datagram sockets, and packages
// that add them are compiled when they are installed. One shell, started while this process is small, runs
// the program for each line. To fork this process later would stop all its threads while the kernel copies
// the tables of its pages: at 1 GB, 50 ms and more.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** The program itself waits at most 5 s for systemd. */
const ANSWER_MS = 10_000;
/** `told`, or what went wrong and `failed`, for each line. */
const LOOP =
  'while IFS= read -r line; do systemd-notify "$line" 2>&1 && echo told || echo "failed, status $?"; done';
const OUTCOME = /^(told|failed, status \d+)\n/m;
const MAX_OUTPUT = 1_000;

type Shell = ChildProcessByStdio<Writable, Readable, null>;

/** Takes one line at a time. */
export interface NotifyProgram {
  /**
   * Resolves when systemd has the line; otherwise rejects with the reason, after ten seconds at the latest.
   * Requires: no line break, and that the line before was answered.
   */
  tell(line: string): Promise<void>;
  close(): void;
}

/** `environment` is all that the programs get. A shell that ended is replaced with the next line. */
export function openNotifyProgram(
  environment: Readonly<Record<string, string>>,
  answerMs = ANSWER_MS,
): NotifyProgram {
  let shell: Shell | undefined = startShell(environment);
  const drop = (): void => {
    shell?.kill('SIGKILL');
    shell = undefined;
  };
  const tell = async (line: string): Promise<void> => {
    shell ??= startShell(environment);
    const problem = await answerOf(shell, line, answerMs);
    if (problem === undefined) return;
    if (problem.isOver) drop();
    throw new Error(problem.reason);
  };
  return { tell, close: drop };
}

/** What went wrong, if anything did, and whether it is over with the shell. */
function answerOf(
  shell: Shell,
  line: string,
  answerMs: number,
): Promise<{ readonly reason: string; readonly isOver: boolean } | undefined> {
  return new Promise((resolve) => {
    let output = '';
    const end = (reason?: string, isOver = true): void => {
      clearTimeout(timer);
      shell.stdout.off('data', received);
      shell.off('error', failed).off('exit', ended);
      resolve(reason === undefined ? undefined : { reason, isOver });
    };
    const received = (text: string): void => {
      output = (output + text).slice(-MAX_OUTPUT);
      const outcome = OUTCOME.exec(output)?.[1];
      if (outcome === 'told') end();
      else if (outcome !== undefined) end(output.trim().replaceAll('\n', '; '), false);
    };
    const failed = ({ message }: Error): void => end(message);
    const ended = (): void => end('the shell that runs systemd-notify ended');
    const timer = setTimeout(() => end(`systemd-notify did not end within ${answerMs} ms`), answerMs);
    if (shell.exitCode !== null || shell.signalCode !== null) return ended();
    shell.stdout.on('data', received);
    shell.once('error', failed).once('exit', ended);
    shell.stdin.write(`${line}\n`);
  });
}

function startShell(env: Readonly<Record<string, string>>): Shell {
  const shell = spawn('/bin/sh', ['-c', LOOP], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  shell.on('error', () => {}); // told by `error` and `exit` to whoever waits for an answer
  shell.unref(); // only a line that waits for its answer keeps this process
  for (const pipe of [shell.stdin, shell.stdout]) {
    pipe.on('error', () => {});
    if (pipe instanceof Socket) pipe.unref();
  }
  shell.stdout.setEncoding('utf8');
  return shell;
}
