// Answers of a server, kept in a folder: an interrupted walk resumes from them, and one of an unchanged
// server needs no more. Each answer is a file of its own that appears whole, by a rename. A file says what
// was asked and which entity tag came back; whoever reads it decides whether that is still right.
//
//     <name>.kept    gzip: one line of JSON with format, question and tag; then the body as received

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SourceError } from '../../download/source-error.ts';
import { sweepTemporaryFiles, temporaryPath } from '../../files/temporary-file.ts';

export interface KeptAnswer {
  readonly tag: string | undefined;
  readonly body: Buffer;
}

/** Where answers are kept: AnswerFolder outlives the process, ScratchAnswers does not. */
export interface AnswerStore {
  /** Undefined if there is none, or it answers another question. */
  find(name: string, question: string): KeptAnswer | undefined;
  put(name: string, question: string, answer: KeptAnswer): void;
  /** Removes all answers except those with these names. */
  retain(names: ReadonlySet<string>): void;
  close(): void;
}

const FORMAT = 1;
const SUFFIX = '.kept';
const LINE_FEED = 0x0a;
const MAX_HEAD_BYTES = 64 * 1024;

interface Head {
  readonly format: number;
  readonly question: string;
  readonly tag?: string;
}

export class AnswerFolder implements AnswerStore {
  readonly #folder: string;
  readonly #maxBytes: number;

  /** Makes the folder. No body has more than `maxBytes`. Throws SourceError. */
  constructor(folder: string, maxBytes: number, nowMs: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    explaining(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    sweepTemporaryFiles(folder, nowMs);
  }

  /** Undefined also if it is damaged. */
  find(name: string, question: string): KeptAnswer | undefined {
    let content: Buffer;
    try {
      const maxOutputLength = this.#maxBytes + MAX_HEAD_BYTES;
      content = gunzipSync(readFileSync(this.#pathOf(name)), { maxOutputLength });
    } catch {
      return undefined; // it is asked again
    }
    const end = content.indexOf(LINE_FEED);
    const head = readHead(content.subarray(0, Math.max(0, end)));
    if (head?.format !== FORMAT || head.question !== question) return undefined;
    return { tag: head.tag, body: content.subarray(end + 1) };
  }

  put(name: string, question: string, { tag, body }: KeptAnswer): void {
    const head: Head = { format: FORMAT, question, ...(tag === undefined ? {} : { tag }) };
    const content = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
    const path = this.#pathOf(name);
    explaining(path, () => {
      const temporary = temporaryPath(this.#folder, 'mirroring');
      try {
        writeFileSync(temporary, gzipSync(content, { level: 1 }), { flag: 'wx', mode: 0o600 });
        renameSync(temporary, path);
      } finally {
        rmSync(temporary, { force: true });
      }
    });
  }

  retain(names: ReadonlySet<string>): void {
    explaining(this.#folder, () => {
      for (const file of readdirSync(this.#folder)) {
        if (!file.endsWith(SUFFIX) || names.has(file.slice(0, -SUFFIX.length))) continue;
        rmSync(join(this.#folder, file), { force: true });
      }
    });
  }

  close(): void {}

  #pathOf(name: string): string {
    return join(this.#folder, `${name}${SUFFIX}`);
  }
}

function readHead(line: Uint8Array): Head | undefined {
  try {
    return JSON.parse(Buffer.from(line).toString()) as Head; // compared before use
  } catch {
    return undefined;
  }
}

/** Throws SourceError for what goes wrong in the action. */
function explaining(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw new SourceError(
      `${path}: the answers of the server cannot be kept (${(error as Error).message}); check the folder's permissions and space`,
      { cause: error },
    );
  }
}
