// Follows a folder of snapshots: the newest valid one, by build time and then id, is live. A newer file is loaded in the
// background and published as one reference; a refused file is reported once and ignored until it changes; removing a
// file unloads nothing. An operator can override this: markers.ts.

import { basename, join } from 'node:path';
import type { Generation } from '../index/generation.ts';
import { SnapshotError } from './errors.ts';
import { findBuiltAhead, findShrunk, findTooLarge, MAX_AHEAD_MS } from './guards.ts';
import { type LoadedSnapshot, loadOpenSnapshot } from './load.ts';
import { ACCEPT_SUFFIX, MarkerWatch, parseAccept } from './markers.ts';
import { type OpenSnapshot, withSnapshot } from './reader.ts';
import { type RollBack, RollBackKeeper } from './roll-back.ts';
import { compareAge, type SnapshotAge } from './snapshot-age.ts';
import { type FolderLook, type FolderState, SnapshotFolder } from './snapshot-folder.ts';

const POLL_MS = 500;
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 60_000;
/** The most snapshots that are listed. */
const MOST_LISTED = 50;

/** Why a snapshot went live. */
export type LoadReason = 'newest' | 'accepted-shrink' | 'rolled-back';

export interface HotSwapEvents {
  /** A generation went live; `tookMs` is the time for reading, checking and preparing it. */
  readonly onLoaded: (loaded: LoadedSnapshot, file: string, tookMs: number, reason: LoadReason) => void;
  /** The file is not served. The previous snapshot stays live. */
  readonly onRefused: (error: Error, file: string) => void;
  /** The file is sound but older than the live snapshot. */
  readonly onOlder: (file: string, id: string) => void;
  readonly onFolder: (state: FolderState) => void;
  /** An order to roll back was seen, was followed, is over, or was removed (undefined). */
  readonly onRollBack: (rollBack: RollBack | undefined) => void;
  /** The snapshots that can be ordered have changed; the newest first. */
  readonly onListed?: (snapshots: readonly ListedSnapshot[]) => void;
  /** There is a marker that cannot be followed. */
  readonly onMarker: (file: string, problem: string) => void;
}

/** The live snapshot, as much as the next follower must know; plain data, so that a thread can pass it on. */
export interface InForce extends SnapshotAge {
  readonly publishedCount: number;
}

/** A file that an operator may order to be served. Its contents have not been checked, unless it was live. */
export interface ListedSnapshot extends SnapshotAge {
  /** Without its folder. */
  readonly file: string;
  readonly bytes: number;
}

export interface HotSwapOptions {
  /**
   * Guards against an upstream that lost its data: a snapshot with this many percent fewer published advisories than
   * the live one is refused. 100, the default, turns this off.
   */
  readonly maxShrinkPercent?: number;
  /** A larger file is refused based on its header. */
  readonly maxSnapshotBytes?: number;
  readonly nowMs?: () => number;
  /** State of the previous follower: what it published last, and the order it knew. */
  readonly inForce?: InForce | undefined;
  readonly rollBack?: RollBack | undefined;
}

/** What is remembered of a file until it changes. */
interface Known {
  readonly mark: string;
  /** From its header; undefined until that is read. */
  age: SnapshotAge | undefined;
  bytes: number;
  /** About its bytes, so final until the file changes. */
  verdict: 'none' | 'refused' | 'shrunk';
  /** What has been reported about it, to report it only once. */
  reported: 'nothing' | 'older' | 'ahead';
  /** The last system error, and when to retry. */
  failure: { readonly message: string; readonly pauseMs: number; tryAtMs: number } | undefined;
}

type Candidate = Known & { readonly age: SnapshotAge };

export class HotSwap {
  readonly #folder: SnapshotFolder;
  readonly #events: HotSwapEvents;
  readonly #maxShrinkPercent: number;
  readonly #maxSnapshotBytes: number;
  readonly #nowMs: () => number;
  readonly #rollBack: RollBackKeeper;
  /** By path. */
  readonly #known = new Map<string, Known>();
  /** By path of the snapshot: the marker that accepts it although it shrank. */
  readonly #accepts = new Map<string, MarkerWatch<string>>();
  #inForce: InForce | undefined;
  /** What was reported last. */
  #listed = '[]';
  #current: LoadedSnapshot | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, events: HotSwapEvents, options: HotSwapOptions = {}) {
    this.#events = events;
    this.#maxShrinkPercent = options.maxShrinkPercent ?? 100;
    this.#maxSnapshotBytes = options.maxSnapshotBytes ?? Number.POSITIVE_INFINITY;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#inForce = options.inForce;
    this.#folder = new SnapshotFolder(folder, events.onFolder);
    const latestMs = (): number => this.#nowMs() + MAX_AHEAD_MS;
    this.#rollBack = new RollBackKeeper(folder, latestMs, options.rollBack, events);
  }

  /** The live generation. Read it once per request. */
  current(): Generation | undefined {
    return this.#current?.generation;
  }

  /** What to pass to the follower that replaces this one. */
  inForce(): InForce | undefined {
    return this.#inForce;
  }

  rollBack(): RollBack | undefined {
    return this.#rollBack.current;
  }

  folderState(): FolderState {
    return this.#folder.state;
  }

  /** Loads what is there, then follows the folder. */
  start(pollMs: number = POLL_MS): void {
    this.scan({ includeFresh: true });
    this.#timer = setInterval(() => this.scan({ includeFresh: false }), pollMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Scans once. Skips a file that changed since the last scan, as it may be half copied, and one that the system failed
   * to read recently; `includeFresh` includes both. It lifts no guard.
   */
  scan({ includeFresh }: { readonly includeFresh: boolean }): void {
    const look = this.#folder.look(includeFresh);
    if (look === undefined) return;
    for (const [file, { mark }] of this.#known) if (look.marks.get(file) !== mark) this.#forget(file);
    if (includeFresh) for (const { failure } of this.#known.values()) if (failure) failure.tryAtMs = 0;
    for (const [file, mark] of look.settled) this.#readAge(file, mark);
    this.#rollBack.read(this.#inForce);
    this.#takeNewest(look, () => this.#rollBack.floor(this.#inForce));
    this.#followRollBack(look);
    // With nothing to serve, an order that cannot be followed must not block other snapshots.
    if (this.#inForce === undefined) this.#takeNewest(look, () => this.#inForce);
    this.#list();
  }

  /** Reports the files that can be ordered, if they have changed. */
  #list(): void {
    const { onListed } = this.#events;
    if (onListed === undefined) return;
    const listed = [...this.#known]
      .filter((entry): entry is [string, Candidate] => isCandidate(entry[1]))
      .filter(([, { age }]) => findBuiltAhead(age.builtAtMs, this.#nowMs()) === undefined)
      .sort(([, a], [, b]) => -compareAge(a.age, b.age))
      .slice(0, MOST_LISTED)
      .map(([path, { age, bytes }]): ListedSnapshot => ({ file: basename(path), ...age, bytes }));
    const text = JSON.stringify(listed);
    if (text === this.#listed) return;
    this.#listed = text;
    onListed(listed);
  }

  /** Reads the header of a file that is new or that the system failed to read. */
  #readAge(file: string, mark: string): void {
    let known = this.#known.get(file);
    if (known === undefined) {
      known = { mark, age: undefined, bytes: 0, verdict: 'none', reported: 'nothing', failure: undefined };
      this.#known.set(file, known);
    }
    if (known.age !== undefined || known.verdict !== 'none' || this.#isPausing(known)) return;
    try {
      const found = withSnapshot(file, (open) => {
        if (open.mark !== mark) return undefined;
        this.#requireAllowedSize(open);
        const { builtAtMs, totalBytes } = open.header;
        return { age: { builtAtMs, id: open.id }, bytes: totalBytes };
      });
      if (found === undefined) this.#forget(file);
      else Object.assign(known, found);
    } catch (error) {
      this.#refuse(file, known, error);
    }
  }

  /** Loads the newest sound file above the floor, which rises with it. */
  #takeNewest(look: FolderLook, floorOf: () => SnapshotAge | undefined): void {
    const candidates = [...this.#known]
      .filter((entry): entry is [string, Candidate] => isCandidate(entry[1]))
      .sort(([, a], [, b]) => -compareAge(a.age, b.age));
    for (const [file, candidate] of candidates) {
      if (this.#isAhead(file, candidate)) continue;
      const floor = floorOf();
      if (floor !== undefined && compareAge(candidate.age, floor) <= 0) {
        this.#reportIfOlder(file, candidate);
        continue;
      }
      if (candidate.verdict === 'none') this.#load(file, candidate, 'newest');
      else if (this.#isAccepted(look, file, candidate)) this.#load(file, candidate, 'accepted-shrink');
    }
  }

  /** Reports an older file once, but not one that a roll-back holds back or asks for. */
  #reportIfOlder(file: string, candidate: Candidate): void {
    const { age, reported } = candidate;
    if (this.#inForce === undefined || reported === 'older' || this.#rollBack.pending?.id === age.id) return;
    if (compareAge(age, this.#inForce) >= 0) return;
    candidate.reported = 'older';
    this.#events.onOlder(file, candidate.age.id);
  }

  /** Loads the snapshot of a pending order, or reports why not. */
  #followRollBack(look: FolderLook): void {
    const order = this.#rollBack.pending;
    if (order === undefined) return;
    if (order.id === this.#inForce?.id) {
      this.#rollBack.hold();
      return;
    }
    const file = join(this.#folder.path, order.file);
    const known = this.#known.get(file);
    if (known === undefined) {
      if (!look.marks.has(file)) this.#rollBack.postpone(`no file ${order.file}`);
    } else if (!isCandidate(known) || this.#isAhead(file, known)) {
      this.#rollBack.postpone(`${order.file} is refused`);
    } else if (known.age.id !== order.id) {
      this.#rollBack.postpone(`${order.file} is now snapshot ${known.age.id}, not ${order.id}`);
    } else if (this.#load(file, known, 'rolled-back')) {
      this.#rollBack.hold();
    } else if (this.#known.has(file)) {
      this.#rollBack.postpone(`${order.file} is refused`);
    }
  }

  /** False when the file was refused, or has changed since it was examined. */
  #load(file: string, known: Candidate, reason: LoadReason): boolean {
    if (this.#isPausing(known)) return false;
    const startMs = performance.now();
    try {
      const loaded = withSnapshot(file, (open) => {
        if (open.mark !== known.mark || open.id !== known.age.id) return undefined;
        this.#requireAllowedSize(open);
        return loadOpenSnapshot(open);
      });
      if (loaded === undefined) {
        this.#forget(file);
        return false;
      }
      const { publishedCount } = loaded.generation;
      if (reason === 'newest' && this.#inForce !== undefined) {
        const before = this.#inForce.publishedCount;
        throwIfFound(findShrunk(file, publishedCount, before, this.#maxShrinkPercent));
      }
      this.#current = loaded;
      this.#inForce = { ...known.age, publishedCount };
      known.failure = undefined;
      known.reported = 'older'; // a snapshot that was live is not reported when it is later the older one
      if (reason !== 'rolled-back') this.#rollBack.loaded(known.age);
      this.#events.onLoaded(loaded, file, performance.now() - startMs, reason);
      return true;
    } catch (error) {
      this.#refuse(file, known, error);
      return false;
    }
  }

  #requireAllowedSize({ header }: OpenSnapshot): void {
    throwIfFound(findTooLarge(header.totalBytes, this.#maxSnapshotBytes));
  }

  /** Whether the file was built ahead of the clock; reports that once. */
  #isAhead(file: string, candidate: Candidate): boolean {
    const error = findBuiltAhead(candidate.age.builtAtMs, this.#nowMs());
    if (error === undefined) return false;
    if (candidate.reported !== 'ahead') this.#events.onRefused(error, file);
    candidate.reported = 'ahead';
    return true;
  }

  /** Whether a marker next to the file names this snapshot. */
  #isAccepted({ names }: FolderLook, file: string, { age }: Candidate): boolean {
    if (!names.has(basename(file) + ACCEPT_SUFFIX)) return false;
    let watch = this.#accepts.get(file);
    if (watch === undefined) {
      watch = new MarkerWatch(file + ACCEPT_SUFFIX, parseAccept, this.#events.onMarker);
      this.#accepts.set(file, watch);
    }
    const look = watch.look();
    return look.kind === 'read' && look.value === age.id;
  }

  #isPausing({ failure }: Known): boolean {
    return failure !== undefined && failure.tryAtMs > this.#nowMs();
  }

  #forget(file: string): void {
    this.#known.delete(file);
    this.#accepts.delete(file);
  }

  /** Only a verdict about the bytes is final. Errors of the system, of memory and of this program may be transient. */
  #refuse(file: string, known: Known, thrown: unknown): void {
    const error = thrown instanceof SnapshotError ? thrown : new Error(String(thrown));
    const { failure } = known;
    if (error instanceof SnapshotError && error.code !== 'unreadable') {
      known.verdict = error.code === 'shrunk' ? 'shrunk' : 'refused';
      known.failure = undefined;
    } else {
      const pauseMs = failure === undefined ? FIRST_PAUSE_MS : Math.min(LAST_PAUSE_MS, 2 * failure.pauseMs);
      known.failure = { message: error.message, pauseMs, tryAtMs: this.#nowMs() + pauseMs };
      if (error.message === failure?.message) return;
    }
    this.#events.onRefused(error, file);
  }
}

function isCandidate(known: Known): known is Candidate {
  return known.age !== undefined && known.verdict !== 'refused';
}

function throwIfFound(error: SnapshotError | undefined): void {
  if (error !== undefined) throw error;
}
