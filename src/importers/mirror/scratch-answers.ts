// Answers of a server for as long as they are read, in a scratch file that nothing can leave behind.

import { gunzipSync, gzipSync } from 'node:zlib';
import { readAt, Spill } from '../../files/spill.ts';
import type { AnswerStore, KeptAnswer } from './answer-folder.ts';

interface Entry {
  readonly question: string;
  readonly tag: string | undefined;
  readonly offset: number;
  readonly length: number;
}

export class ScratchAnswers implements AnswerStore {
  readonly #spill: Spill;
  readonly #entries = new Map<string, Entry>();

  /** In a folder with room for all answers. */
  constructor(folder: string) {
    this.#spill = new Spill(folder);
  }

  find(name: string, question: string): KeptAnswer | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.question !== question) return undefined;
    const bytes = Buffer.allocUnsafe(entry.length);
    this.#spill.flush();
    readAt(this.#spill.fd, bytes, entry.offset);
    return { tag: entry.tag, body: gunzipSync(bytes) };
  }

  put(name: string, question: string, { tag, body }: KeptAnswer): void {
    const bytes = gzipSync(body, { level: 1 });
    this.#entries.set(name, { question, tag, offset: this.#spill.length, length: bytes.length });
    this.#spill.append(bytes);
  }

  retain(names: ReadonlySet<string>): void {
    for (const name of this.#entries.keys()) if (!names.has(name)) this.#entries.delete(name);
  }

  close(): void {
    this.#spill.close();
  }
}
