// Follows what the manifest of a source wants live: loads it, or prepares it and publishes it at its time.
// wanted.ts reads the order; hot-swap.ts opens files and publishes.

import { join } from 'node:path';
import { type Candidate, isCandidate, type KnownFile } from './known-files.ts';
import type { Opened } from './opened.ts';
import type { SnapshotAge } from './snapshot-age.ts';
import type { FolderLook } from './snapshot-folder.ts';
import { type OrderedFile, WantedKeeper } from './wanted.ts';

/** Node runs a timer for longer than this at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface SourceOrderMeans {
  readonly inForce: () => SnapshotAge | undefined;
  readonly find: (file: string) => KnownFile | undefined;
  /** Whether a manifest may have the file live: no order of the operator, and no guard, forbids it. */
  readonly isAllowed: (look: FolderLook, file: string, known: Candidate) => boolean;
  /** Undefined when the file was refused, or has changed since it was examined. */
  readonly open: (file: string, known: Candidate) => Opened | undefined;
  readonly publish: (opened: Opened) => void;
  readonly onPrepared: (id: string, tookMs: number) => void;
  readonly onMarker: (file: string, problem: string) => void;
  readonly nowMs: () => number;
}

export class SourceOrder {
  readonly #folder: string;
  readonly #means: SourceOrderMeans;
  readonly #keeper: WantedKeeper;
  /** Loaded ahead of the time when it is to be live. */
  #prepared: Opened | undefined;
  #activation: NodeJS.Timeout | undefined;

  constructor(folder: string, means: SourceOrderMeans) {
    this.#folder = folder;
    this.#means = means;
    this.#keeper = new WantedKeeper(folder, means.onMarker);
  }

  /** Whether there is a manifest, which then decides instead of the age of files. */
  get decides(): boolean {
    return this.#keeper.order !== undefined;
  }

  get prepared(): Opened | undefined {
    return this.#prepared;
  }

  read(): void {
    this.#keeper.read();
  }

  /** Loads, prepares or publishes what the manifest wants. */
  follow(look: FolderLook): void {
    const { order } = this.#keeper;
    if (order === undefined) return;
    const { inForce, nowMs } = this.#means;
    const { wanted, previous } = order;
    if (this.#prepared !== undefined && this.#prepared.known.age.id !== wanted.id) this.drop();
    const isDue = this.#keeper.waitMs(nowMs()) === 0;
    if (inForce() === undefined && !isDue) this.#load(look, previous);
    if (inForce()?.id === wanted.id) return;
    if (inForce() === undefined || (isDue && this.#prepared === undefined)) this.#load(look, wanted);
    else {
      this.#prepare(look, wanted);
      this.#publishInTime(look);
    }
    if (inForce() === undefined && isDue) this.#load(look, previous);
  }

  /** Gives up what is prepared. */
  drop(): void {
    this.#prepared = undefined;
    clearTimeout(this.#activation);
  }

  stop(): void {
    clearTimeout(this.#activation);
  }

  #load(look: FolderLook, wanted: OrderedFile | undefined): void {
    const found = wanted === undefined ? undefined : this.#find(look, wanted);
    const opened = found === undefined ? undefined : this.#means.open(...found);
    if (opened !== undefined) this.#means.publish(opened);
  }

  #prepare(look: FolderLook, wanted: OrderedFile): void {
    if (this.#prepared !== undefined) return;
    const found = this.#find(look, wanted);
    this.#prepared = found === undefined ? undefined : this.#means.open(...found);
    if (this.#prepared !== undefined) this.#means.onPrepared(wanted.id, this.#prepared.tookMs);
  }

  /** Publishes the prepared snapshot when it is due. A clock that is set is noticed by the next scan. */
  #publishInTime(look: FolderLook): void {
    clearTimeout(this.#activation);
    const prepared = this.#prepared;
    const { isAllowed, publish, nowMs } = this.#means;
    if (prepared === undefined || !isAllowed(look, prepared.file, prepared.known)) return;
    const waitMs = this.#keeper.waitMs(nowMs());
    if (waitMs > 0) {
      const again = (): void => this.#publishInTime(look);
      this.#activation = setTimeout(again, Math.min(waitMs, MAX_TIMER_MS)).unref();
      return;
    }
    this.drop();
    publish(prepared);
  }

  /** The file of the snapshot if it may be loaded. A build time ahead of the clock orders nothing here. */
  #find(look: FolderLook, { id, file }: OrderedFile): [file: string, known: Candidate] | undefined {
    const path = join(this.#folder, file);
    const known = this.#means.find(path);
    const isOther = known?.age !== undefined && known.age.id !== id;
    const other = `${file} is snapshot ${known?.age?.id} and not ${id}, which the manifest names`;
    this.#keeper.postpone(file, isOther ? other : undefined);
    if (known === undefined || !isCandidate(known) || isOther) return undefined;
    return this.#means.isAllowed(look, path, known) ? [path, known] : undefined;
  }
}
