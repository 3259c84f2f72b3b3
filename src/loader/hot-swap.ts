// Follows a folder of snapshots: the newest valid one by its own build time, then id, is in force. A newer file
// is loaded aside and published as one reference; a file that is refused is reported once and not looked at
// again until it changes; a file that goes away unloads nothing. An operator may order otherwise: markers.ts.

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

/** Why a snapshot was put in force. */
export type LoadReason = 'newest' | 'accepted-shrink' | 'rolled-back';

export interface HotSwapEvents {
  /** A generation is in force; `tookMs` is what reading, checking and preparing it took. */
  readonly onLoaded: (loaded: LoadedSnapshot, file: string, tookMs: number, reason: LoadReason) => void;
  /** The file is not served. What was in force stays so. */
  readonly onRefused: (error: Error, file: string) => void;
  /** The file is sound but older than what is in force. */
  readonly onOlder: (file: string, id: string) => void;
  readonly onFolder: (state: FolderState) => void;
  /** An order to roll back was seen, followed, is over, or is gone (undefined). */
  readonly onRollBack: (rollBack: RollBack | undefined) => void;
  /** A marker is there and cannot be followed. */
  readonly onMarker: (file: string, problem: string) => void;
}

/** All that a follower must know of what is in force, so that another thread can hand it over. */
export interface InForce extends SnapshotAge {
  readonly publishedCount: number;
}

export interface HotSwapOptions {
  /**
   * The guard against an upstream that lost its data: a snapshot with that many percent fewer published advisories
   * than the one in force is refused. 100, the default, switches it off.
   */
  readonly maxShrinkPercent?: number;
  /** A larger file is refused by its header. */
  readonly maxSnapshotBytes?: number;
  readonly nowMs?: () => number;
  /** What the follower before this one left: what it published last, and the order it knew. */
  readonly inForce?: InForce | undefined;
  readonly rollBack?: RollBack | undefined;
}

export interface ScanOptions {
  readonly judgesFresh: boolean;
}

/** What is remembered of a file until it changes. */
interface Known {
  readonly mark: string;
  /** From its header; undefined as long as that was not read. */
  age: SnapshotAge | undefined;
  /** About its bytes, which will be no better the next time. */
  verdict: 'none' | 'refused' | 'shrunk';
  /** What was said of it, to say it once. */
  told: 'nothing' | 'older' | 'ahead';
  /** The last error of the system, and when to try again. */
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
  /** By path of the snapshot: the marker that accepts it though it shrank. */
  readonly #accepts = new Map<string, MarkerWatch<string>>();
  #inForce: InForce | undefined;
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

  /** The generation in force. Read it once a request. */
  current(): Generation | undefined {
    return this.#current?.generation;
  }

  /** What to hand to a follower that takes this one's place. */
  inForce(): InForce | undefined {
    return this.#inForce;
  }

  rollBack(): RollBack | undefined {
    return this.#rollBack.current;
  }

  folderState(): FolderState {
    return this.#folder.state;
  }

  /** Loads what is there and follows the folder from then on. */
  start(pollMs: number = POLL_MS): void {
    this.scan({ judgesFresh: true });
    this.#timer = setInterval(() => this.scan({ judgesFresh: false }), pollMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Looks once. A file that changed since the last look is let be, for it may be half copied, and one that the system
   * failed to read until its pause is over, unless `judgesFresh`. No guard is lifted by it.
   */
  scan({ judgesFresh }: ScanOptions): void {
    const look = this.#folder.look(judgesFresh);
    if (look === undefined) return;
    for (const [file, { mark }] of this.#known) if (look.marks.get(file) !== mark) this.#forget(file);
    if (judgesFresh) for (const { failure } of this.#known.values()) if (failure) failure.tryAtMs = 0;
    for (const [file, mark] of look.settled) this.#readAge(file, mark);
    this.#rollBack.read(this.#inForce);
    this.#takeNewest(look, () => this.#rollBack.floor(this.#inForce));
    this.#followRollBack(look);
    // With nothing to serve, an order that cannot be followed holds nothing back.
    if (this.#inForce === undefined) this.#takeNewest(look, () => this.#inForce);
  }

  /** Reads the header of a file that nothing is known of, or that the system failed to read. */
  #readAge(file: string, mark: string): void {
    let known = this.#known.get(file);
    if (known === undefined) {
      known = { mark, age: undefined, verdict: 'none', told: 'nothing', failure: undefined };
      this.#known.set(file, known);
    }
    if (known.age !== undefined || known.verdict !== 'none' || this.#isPausing(known)) return;
    try {
      const age = withSnapshot(file, (open) => {
        if (open.mark !== mark) return undefined;
        this.#requireAllowedSize(open);
        return { builtAtMs: open.header.builtAtMs, id: open.id };
      });
      if (age === undefined) this.#forget(file);
      else known.age = age;
    } catch (error) {
      this.#refuse(file, known, error);
    }
  }

  /** Takes the newest sound file that is newer than the floor, which rises with it. */
  #takeNewest(look: FolderLook, floorOf: () => SnapshotAge | undefined): void {
    const candidates = [...this.#known]
      .filter((entry): entry is [string, Candidate] => isCandidate(entry[1]))
      .sort(([, a], [, b]) => -compareAge(a.age, b.age));
    for (const [file, candidate] of candidates) {
      if (this.#isAhead(file, candidate)) continue;
      const floor = floorOf();
      if (floor !== undefined && compareAge(candidate.age, floor) <= 0) {
        this.#tellIfOlder(file, candidate);
        continue;
      }
      if (candidate.verdict === 'none') this.#load(file, candidate, 'newest');
      else if (this.#isAccepted(look, file, candidate)) this.#load(file, candidate, 'accepted-shrink');
    }
  }

  /** Says it once, and nothing of a file that only a roll-back holds back, or asks for. */
  #tellIfOlder(file: string, candidate: Candidate): void {
    const { age, told } = candidate;
    if (this.#inForce === undefined || told === 'older' || this.#rollBack.pending?.id === age.id) return;
    if (compareAge(age, this.#inForce) >= 0) return;
    candidate.told = 'older';
    this.#events.onOlder(file, candidate.age.id);
  }

  /** Loads the snapshot of an order that waits, or says why not. */
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
      if (!look.marks.has(file)) this.#rollBack.postpone(`there is no ${order.file}`);
    } else if (!isCandidate(known) || this.#isAhead(file, known)) {
      this.#rollBack.postpone(`${order.file} is refused`);
    } else if (known.age.id !== order.id) {
      this.#rollBack.postpone(`${order.file} holds the snapshot ${known.age.id} instead of ${order.id}`);
    } else if (this.#load(file, known, 'rolled-back')) {
      this.#rollBack.hold();
    } else if (this.#known.has(file)) {
      this.#rollBack.postpone(`${order.file} is refused`);
    }
  }

  /** False when the file was refused, or is not the one that was looked at any more. */
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
      known.told = 'older'; // what was in force needs no word when it is the older one
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

  /** Tells once that the file was built ahead of the clock. */
  #isAhead(file: string, candidate: Candidate): boolean {
    const error = findBuiltAhead(candidate.age.builtAtMs, this.#nowMs());
    if (error === undefined) return false;
    if (candidate.told !== 'ahead') this.#events.onRefused(error, file);
    candidate.told = 'ahead';
    return true;
  }

  /** Whether a marker beside the file names this snapshot. */
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

  /** Only a verdict about the bytes is final. Errors of the system, of memory and of this program may pass. */
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
