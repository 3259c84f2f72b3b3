// One inventory, from the text to all answers. It outlives the view, so that a person may look something up
// and come back; it is in memory only. The view shows its state, which is replaced as a whole, a few times a
// second at most.

import type { Inventory } from '../../inventory/inventory.ts';
import { Refusal } from '../../inventory/refusal.ts';
import type { Item } from './answer.ts';
import { askAll, type Server } from './ask.ts';
import { answeredRow, isOpen, type Row, waitingRow } from './findings.ts';
import type { Task } from './task.ts';

export type Asking =
  | {
      readonly kind: 'asking';
      readonly waiting: { readonly seconds: number; readonly why: string } | undefined;
    }
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped'; readonly why: string };

export type State =
  | { readonly kind: 'empty'; readonly refusal: string | undefined }
  | { readonly kind: 'reading'; readonly fileName: string }
  | {
      readonly kind: 'read';
      readonly fileName: string;
      readonly inventory: Inventory;
      readonly rows: readonly Row[];
      readonly asking: Asking;
      /** Of the page, when the asking began: another one may mean other data. */
      readonly revision: number;
    };

export interface SessionTools {
  readonly read: (task: Task, signal: AbortSignal) => Promise<Inventory>;
  readonly serverFor: (signal: AbortSignal) => Server;
}

const CANCELLED = 'You cancelled.';
const SHOW_EVERY_MS = 100;
/** Larger inventories take longer to show, and are shown less often. */
const ROWS_PER_SHOWN_MS = 100;

export class Session {
  readonly #tools: SessionTools;
  readonly #listeners = new Set<() => void>();
  #state: State = { kind: 'empty', refusal: undefined };
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tools: SessionTools) {
    this.#tools = tools;
  }

  get state(): State {
    return this.#state;
  }

  /** Returns the way to stop. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads a text and asks about what is in it. Resolves when all is done or cancelled. */
  async start(task: Task, revision: number): Promise<void> {
    const signal = this.#begin();
    this.#show({ kind: 'reading', fileName: task.fileName });
    let inventory: Inventory;
    try {
      inventory = await this.#tools.read(task, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#show({ kind: 'empty', refusal: error instanceof Refusal ? error.message : String(error) });
      return;
    }
    if (signal.aborted) return;
    await this.#ask(task.fileName, inventory, inventory.packages.map(waitingRow), revision);
  }

  /** Asks again about all packages, or about those without an answer. */
  async askAgain(revision: number, which: 'all' | 'missing'): Promise<void> {
    if (this.#state.kind !== 'read') return;
    const { fileName, inventory, rows } = this.#state;
    const open = rows.map((row) =>
      which === 'all' || isOpen(row) ? waitingRow(row.pack, row.position) : row,
    );
    await this.#ask(fileName, inventory, open, revision);
  }

  /** Takes a list of plugins for one of themes, or the other way round, and asks about those. */
  async retype(type: 'plugin' | 'theme', revision: number): Promise<void> {
    if (this.#state.kind !== 'read') return;
    const { fileName, inventory } = this.#state;
    const packages = inventory.packages.map((pack) => ({ ...pack, type }));
    const format = inventory.format.replace(/^wp (?:plugin|theme)/, `wp ${type}`);
    const retyped = { ...inventory, packages, format };
    await this.#ask(fileName, retyped, packages.map(waitingRow), revision);
  }

  /** Ends what is under way: reading is forgotten, answers that came stay. */
  cancel(): void {
    this.#abort.abort();
    const state = this.#state;
    if (state.kind === 'reading') this.#show({ kind: 'empty', refusal: undefined });
    if (state.kind === 'read' && state.asking.kind === 'asking') {
      this.#show({ ...state, asking: { kind: 'stopped', why: CANCELLED } });
    }
  }

  forget(): void {
    this.#abort.abort();
    this.#show({ kind: 'empty', refusal: undefined });
  }

  async #ask(fileName: string, inventory: Inventory, open: readonly Row[], revision: number): Promise<void> {
    const signal = this.#begin();
    const rows = [...open];
    const positions = rows.flatMap(({ kind }, position) => (kind === 'waiting' ? position : []));
    const items = positions.map((position): Item => {
      const { type, name, version } = rows[position].pack; // and nothing else leaves the browser
      return { type, name, version };
    });
    let asking: Asking = { kind: 'asking', waiting: undefined };
    const stateNow = (): State => ({ kind: 'read', fileName, inventory, rows: [...rows], asking, revision });
    this.#show(stateNow());
    const everyMs = Math.max(SHOW_EVERY_MS, rows.length / ROWS_PER_SHOWN_MS);
    try {
      const why = await askAll(items, this.#tools.serverFor(signal), {
        onAnswers: (answered, answers) => {
          if (signal.aborted) return;
          answered.forEach((index, i) => {
            const position = positions[index];
            rows[position] = answeredRow(rows[position].pack, position, answers[i]);
          });
          this.#timer ??= setTimeout(() => this.#show(stateNow()), everyMs);
        },
        onWait: (waiting) => {
          if (signal.aborted) return;
          asking = { kind: 'asking', waiting };
          this.#show(stateNow());
        },
      });
      asking = why === undefined ? { kind: 'done' } : { kind: 'stopped', why };
    } catch (error) {
      if (signal.aborted) return;
      asking = { kind: 'stopped', why: error instanceof Error ? error.message : String(error) };
    }
    if (!signal.aborted) this.#show(stateNow());
  }

  #begin(): AbortSignal {
    this.#abort.abort();
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  #show(state: State): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
