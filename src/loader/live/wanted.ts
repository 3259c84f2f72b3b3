// What the manifest of a source wants live, as the follower of the source writes it into `source.json` beside
// the snapshots; hot-swap.ts acts on it. The newest file does not decide then: a publisher may go back to an
// older build. Of the file, `fleet/source-memory.ts` owns the rest.

import { basename, join } from 'node:path';
import { SNAPSHOT_ID } from '../../index/snapshot-id.ts';
import { MarkerError, MarkerWatch } from './markers.ts';
import { isSnapshotName } from './snapshot-folder.ts';

const SOURCE_FILE = 'source.json';
/** It holds the manifest, of up to 64 KiB, as a text in a text. */
const MAX_SOURCE_BYTES = 512 << 10;

export interface OrderedFile {
  /** The snapshot's, in case another file takes the name. */
  readonly id: string;
  /** Its name in the folder. */
  readonly file: string;
}

export interface WantedOrder {
  readonly wanted: OrderedFile;
  /** When `wanted` goes live; undefined for at once. */
  readonly activateAtMs: number | undefined;
  /** Served by a process that starts before that time. */
  readonly previous: OrderedFile | undefined;
}

export class WantedKeeper {
  readonly #path: string;
  readonly #watch: MarkerWatch<WantedOrder | undefined>;
  readonly #onMarker: (path: string, problem: string) => void;
  #order: WantedOrder | undefined;
  /** By file of the order: why it cannot be loaded, as last reported. */
  readonly #reported = new Map<string, string>();

  constructor(folder: string, onMarker: (path: string, problem: string) => void) {
    this.#path = join(folder, SOURCE_FILE);
    this.#onMarker = onMarker;
    this.#watch = new MarkerWatch(this.#path, parseWanted, onMarker, MAX_SOURCE_BYTES);
  }

  /** Undefined as long as no manifest was obeyed. */
  get order(): WantedOrder | undefined {
    return this.#order;
  }

  read(): void {
    const look = this.#watch.look();
    if (look.kind === 'bad') return;
    const order = look.kind === 'read' ? look.value : undefined;
    if (order !== this.#order) this.#reported.clear();
    this.#order = order;
  }

  /** How long `wanted` must wait; 0 if it is due. */
  waitMs(nowMs: number): number {
    return Math.max(0, (this.#order?.activateAtMs ?? 0) - nowMs);
  }

  /** Reports why a file of the order cannot be loaded, once; undefined when nothing is wrong with it. */
  postpone(file: string, problem: string | undefined): void {
    if (problem === undefined) this.#reported.delete(file);
    else if (problem !== this.#reported.get(file)) {
      this.#reported.set(file, problem);
      this.#onMarker(this.#path, problem);
    }
  }
}

/** Throws MarkerError. */
export function parseWanted(text: string): WantedOrder | undefined {
  let document: { wanted?: unknown; previous?: unknown } | null;
  try {
    document = JSON.parse(text) as typeof document;
  } catch {
    throw new MarkerError('it is not JSON');
  }
  const { wanted, previous } = document ?? {};
  if (wanted === null || wanted === undefined) return undefined;
  const { activate_at } = wanted as { activate_at?: unknown };
  const activateAtMs = activate_at === undefined ? undefined : Date.parse(String(activate_at));
  if (Number.isNaN(activateAtMs)) throw new MarkerError(`activate_at is not a time: ${String(activate_at)}`);
  return {
    wanted: fileOf(wanted, 'wanted'),
    activateAtMs,
    previous: previous === null || previous === undefined ? undefined : fileOf(previous, 'previous'),
  };
}

function fileOf(value: unknown, what: string): OrderedFile {
  const { id, file } = value as { id?: unknown; file?: unknown };
  const isGood =
    typeof id === 'string' &&
    SNAPSHOT_ID.test(id) &&
    typeof file === 'string' &&
    basename(file) === file &&
    isSnapshotName(file);
  if (isGood) return { id, file };
  throw new MarkerError(`${what} is not a snapshot in this folder: ${JSON.stringify(value)}`);
}
