// Follows a folder of snapshots: the newest valid one, by build time and then id, is live. A newer file is
// loaded in the background and published as one reference; a refused file is reported once and ignored until
// it changes (known-files.ts); removing a file unloads nothing. What the columns do not show is checked once
// the snapshot is live; a fault retires it: the next one takes its place. What is newer and still not served
// is in held-back.ts, an operator's order to go back in roll-back.ts. With a source, its manifest decides
// which file is live, and when: source-order.ts.

import { basename } from 'node:path';
import type { Generation } from '../../index/generation.ts';
import type { LoadedSnapshot } from '../snapshot/load.ts';
import { findBuiltAhead, MAX_AHEAD_MS } from './guards.ts';
import { type FindChanged, type Guarded, HeldBack, type InForce } from './held-back.ts';
import { type Candidate, KnownFiles } from './known-files.ts';
import { type Opened, openCandidate } from './opened.ts';
import { type RollBack, RollBackKeeper } from './roll-back.ts';
import { compareAge, type SnapshotAge } from './snapshot-age.ts';
import { type FolderLook, type FolderState, SnapshotFolder } from './snapshot-folder.ts';
import { SourceOrder } from './source-order.ts';
import { warmUp } from './warm-up.ts';

const POLL_MS = 500;
/** How long a check goes on before the thread looks at its messages. */
const CHECK_MS = 20;
/** The most snapshots that are listed. */
const MOST_LISTED = 50;

/** Why a snapshot went live. */
export type LoadReason = 'newest' | 'accepted-shrink' | 'rolled-back' | 'previous-retired' | 'manifest';

export interface HotSwapEvents {
  /** A generation went live; `tookMs` is the time for reading, checking and preparing it. */
  readonly onLoaded: (loaded: LoadedSnapshot, file: string, tookMs: number, reason: LoadReason) => void;
  /** What a manifest wants is loaded and waits for its time. */
  readonly onPrepared?: (id: string, tookMs: number) => void;
  /** All of the live snapshot, or of the prepared one, has been found sound. */
  readonly onChecked?: (id: string, tookMs: number) => void;
  /**
   * A fault was found in the live snapshot. Without a replacement it stays live: what has no fault is served.
   */
  readonly onRetired?: (id: string, isReplaced: boolean) => void;
  /** The file is not served. The previous snapshot stays live. */
  readonly onRefused: (error: Error, file: string) => void;
  /** The file is sound but older than the live snapshot. */
  readonly onOlder: (file: string, id: string) => void;
  readonly onFolder: (state: FolderState) => void;
  /** An order to roll back was seen, was followed, is over, or was removed (undefined). */
  readonly onRollBack: (rollBack: RollBack | undefined) => void;
  /** The newest file that a guard holds back, or that none is held back any more (undefined). */
  readonly onGuarded?: (guarded: Guarded | undefined) => void;
  /** The snapshots that can be ordered have changed; the newest first. */
  readonly onListed?: (snapshots: readonly ListedSnapshot[]) => void;
  /** There is a marker that cannot be followed. */
  readonly onMarker: (file: string, problem: string) => void;
}

/** A file that an operator may order to be served. Its contents have not been checked, unless it was live. */
export interface ListedSnapshot extends SnapshotAge {
  /** Without its folder. */
  readonly file: string;
  readonly bytes: number;
}

export interface HotSwapOptions {
  /**
   * Guards against an upstream that lost its data: a snapshot with this many percent fewer published
   * advisories than the live one is refused. 100, the default, turns this off.
   */
  readonly maxShrinkPercent?: number;
  /** Refuses a snapshot whose answers differ too much from those of the live one. */
  readonly findChanged?: FindChanged;
  /** A larger file is refused based on its header. */
  readonly maxSnapshotBytes?: number;
  /** What is live is decided by the manifest of a source, once there is one. */
  readonly followsSource?: boolean;
  readonly nowMs?: () => number;
  /** State of the previous follower: what it published last, and the order it knew. */
  readonly inForce?: InForce | undefined;
  readonly rollBack?: RollBack | undefined;
}

export class HotSwap {
  readonly #folder: SnapshotFolder;
  readonly #events: HotSwapEvents;
  readonly #nowMs: () => number;
  readonly #rollBack: RollBackKeeper;
  readonly #known: KnownFiles;
  readonly #heldBack: HeldBack;
  #inForce: InForce | undefined;
  /** What was reported last. */
  #listed = '[]';
  readonly #source: SourceOrder | undefined;
  #current: Opened | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextCheck: NodeJS.Immediate | undefined;

  constructor(folder: string, events: HotSwapEvents, options: HotSwapOptions = {}) {
    this.#events = events;
    this.#nowMs = options.nowMs ?? Date.now;
    const maxBytes = options.maxSnapshotBytes ?? Number.POSITIVE_INFINITY;
    this.#known = new KnownFiles(maxBytes, this.#nowMs, (error, file) => events.onRefused(error, file));
    const { maxShrinkPercent = 100, findChanged = () => undefined } = options;
    this.#heldBack = new HeldBack(this.#known, { maxShrinkPercent, findChanged, nowMs: this.#nowMs }, events);
    this.#inForce = options.inForce;
    this.#folder = new SnapshotFolder(folder, events.onFolder);
    const latestMs = (): number => this.#nowMs() + MAX_AHEAD_MS;
    this.#rollBack = new RollBackKeeper(folder, latestMs, options.rollBack, events);
    if (options.followsSource) {
      this.#source = new SourceOrder(folder, {
        inForce: () => this.#inForce,
        find: (file) => this.#known.get(file),
        isAllowed: (look, file, known) => this.#isAllowed(look, file, known),
        open: (file, known) => this.#open(file, known, 'manifest'),
        publish: (opened) => this.#publish(opened, 'manifest'),
        onPrepared: (id, tookMs) => {
          this.#checkOn();
          events.onPrepared?.(id, tookMs);
        },
        onMarker: events.onMarker,
        nowMs: this.#nowMs,
      });
    }
  }

  /** The live generation. Read it once per request. */
  current(): Generation | undefined {
    return this.#current?.loaded.generation;
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
    this.#source?.stop();
    clearImmediate(this.#nextCheck);
  }

  /** Goes on with the check of the live snapshot, then of a prepared one. Returns whether more is to do. */
  check(forMs = Number.POSITIVE_INFINITY): boolean {
    const opened = [this.#current, this.#source?.prepared].find((each) => each?.check !== undefined);
    if (opened?.check === undefined) return false;
    opened.checkedSinceMs ??= performance.now();
    try {
      if (!opened.check.run(forMs)) return true;
      opened.check = undefined;
      this.#events.onChecked?.(opened.known.age.id, performance.now() - opened.checkedSinceMs);
    } catch (error) {
      opened.check = undefined;
      if (opened === this.#current) this.#retire(opened, error);
      else {
        this.#source?.drop();
        this.#known.refuse(opened.file, opened.known, error);
      }
    }
    return this.#current?.check !== undefined || this.#source?.prepared?.check !== undefined;
  }

  /** Checks a little in each turn of the event loop. */
  #checkOn(): void {
    clearImmediate(this.#nextCheck);
    this.#nextCheck = setImmediate(() => {
      if (this.check(CHECK_MS)) this.#checkOn();
    });
  }

  /** Refuses the file of the live snapshot; the newest of the others goes live. */
  #retire({ file, known }: Opened, error: unknown): void {
    this.#known.refuse(file, known, error);
    const retired = this.#inForce;
    const look = this.#folder.look(false);
    this.#inForce = undefined;
    // With an order in force, the newest is what the operator does not want.
    const isOrdered = this.#rollBack.floor(undefined) !== undefined;
    if (look !== undefined && !isOrdered) {
      // What is newer than the snapshot of a manifest is what the publisher does not want.
      const ceiling = this.#source?.decides ? retired : undefined;
      this.#takeNewest(look, () => this.#inForce, 'previous-retired', ceiling);
    }
    const isReplaced = this.#inForce !== undefined;
    if (!isReplaced) this.#inForce = retired;
    this.#events.onRetired?.(known.age.id, isReplaced);
  }

  /**
   * Scans once. Skips a file that changed since the last scan, as it may be half copied, and one that the
   * system failed to read recently; `includeFresh` includes both. It lifts no guard.
   */
  scan({ includeFresh }: { readonly includeFresh: boolean }): void {
    const look = this.#folder.look(includeFresh);
    if (look === undefined) return;
    this.#known.follow(look, includeFresh);
    this.#rollBack.read(this.#inForce);
    this.#source?.read();
    const decides = this.#source?.decides === true;
    if (!decides && this.#inForce === undefined) this.#heldBack.guardStart(look);
    if (!decides) this.#takeNewest(look, () => this.#rollBack.floor(this.#inForce));
    this.#rollBack.follow(look, this.#inForce?.id, {
      find: (file) => this.#known.get(file),
      isAhead: (file, known) => this.#heldBack.isAhead(file, known),
      load: (file, known) => this.#load(file, known, 'rolled-back'),
    });
    this.#source?.follow(look);
    // With nothing to serve, an order that cannot be followed must not block other snapshots.
    if (this.#inForce === undefined) this.#takeNewest(look, () => this.#inForce);
    this.#list();
    this.#heldBack.report(look, this.#inForce);
  }

  /** Reports the files that can be ordered, if they have changed. */
  #list(): void {
    const { onListed } = this.#events;
    if (onListed === undefined) return;
    const listed = this.#known
      .candidates()
      .filter(([, { age }]) => findBuiltAhead(age.builtAtMs, this.#nowMs()) === undefined)
      .slice(0, MOST_LISTED)
      .map(([path, { age, bytes }]): ListedSnapshot => ({ file: basename(path), ...age, bytes }));
    const text = JSON.stringify(listed);
    if (text === this.#listed) return;
    this.#listed = text;
    onListed(listed);
  }

  /** Loads the newest sound file above the floor, which rises with it. */
  #takeNewest(
    look: FolderLook,
    floorOf: () => SnapshotAge | undefined,
    reason: LoadReason = 'newest',
    ceiling?: SnapshotAge,
  ): void {
    for (const [file, candidate] of this.#known.candidates()) {
      if (this.#heldBack.isAhead(file, candidate)) continue;
      if (ceiling !== undefined && compareAge(candidate.age, ceiling) >= 0) continue;
      const floor = floorOf();
      if (floor !== undefined && compareAge(candidate.age, floor) <= 0) {
        this.#reportIfOlder(file, candidate);
        continue;
      }
      if (candidate.verdict === 'none') this.#load(file, candidate, reason);
      else if (this.#heldBack.isAccepted(look, file, candidate))
        this.#load(file, candidate, 'accepted-shrink');
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

  /** Whether a manifest may have it live. A roll-back of the operator's lasts until something newer comes. */
  #isAllowed(look: FolderLook, file: string, candidate: Candidate): boolean {
    const floor = this.#rollBack.floor(undefined);
    if (floor !== undefined && compareAge(candidate.age, floor) <= 0) return false;
    return candidate.verdict === 'none' || this.#heldBack.isAccepted(look, file, candidate);
  }

  /** False when the file was refused, or has changed since it was examined. */
  #load(file: string, known: Candidate, reason: LoadReason): boolean {
    const opened = this.#open(file, known, reason);
    if (opened === undefined) return false;
    this.#publish(opened, reason);
    return true;
  }

  #open(file: string, known: Candidate, reason: LoadReason): Opened | undefined {
    return openCandidate(this.#known, file, known, (next) => {
      const live = this.current();
      if (this.#inForce !== undefined && this.#isForward(known, reason)) {
        this.#heldBack.requireLike(live, this.#inForce, file, next);
      }
      if (live !== undefined) warmUp(next, live);
    });
  }

  /** Whether it is to replace an older snapshot without anybody's word that it may be smaller. */
  #isForward({ age, verdict }: Candidate, reason: LoadReason): boolean {
    if (reason !== 'manifest') return reason === 'newest';
    return verdict === 'none' && this.#inForce !== undefined && compareAge(age, this.#inForce) > 0;
  }

  #publish(opened: Opened, reason: LoadReason): void {
    const { loaded, file, known, tookMs } = opened;
    this.#current = opened;
    this.#checkOn();
    this.#inForce = { ...known.age, publishedCount: loaded.generation.publishedCount };
    known.failure = undefined;
    known.reported = 'older'; // a snapshot that was live is not reported when it is later the older one
    if (reason !== 'rolled-back') this.#rollBack.loaded(known.age);
    this.#events.onLoaded(loaded, file, tookMs, reason);
  }
}
