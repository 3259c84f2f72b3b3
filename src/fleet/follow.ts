// Follows a source: polls its manifest, decides whether to obey it, and puts the snapshot that it names into
// the folder, where the loader finds it as it finds a dropped file. Never touches what is live: a store that
// is gone, or says what cannot be believed, only leaves things as they are.

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../files/sync-folder.ts';
import { fetchManifest, type ManifestReading, readManifest, requireSigned } from './fetch-manifest.ts';
import { fetchSnapshot, hasContents, WrongContents } from './fetch-snapshot.ts';
import { isFetched, PART_SUFFIX, removeOld, removeOtherParts } from './fetched-files.ts';
import type { FollowEvents, FollowProblem } from './follow-events.ts';
import type { Manifest } from './manifest.ts';
import { Refusal, type RefusalCode, refusalOf } from './manifest-rules.ts';
import { ObjectError, type ObjectSource } from './objects/objects.ts';
import { nextPollMs } from './poll-times.ts';
import { fileNameOf, readMemory, type SourceMemory, writeMemory } from './source-memory.ts';

/** A manifest and its signature are a few kilobytes. */
const MANIFEST_MS = 30_000;
/**
 * Of one attempt to get a snapshot; the next goes on from there. In between, the manifest is looked at: a
 * store may send a byte now and then for ever.
 */
const SNAPSHOT_MS = 10 * 60_000;
/** Refusals that cost a download, or may end without anyone's help. */
const FAILURES: readonly RefusalCode[] = ['missing', 'wrong-size', 'wrong-hash', 'wrong-id'];
/** A part that is broken on the way may be whole the next time, but not for ever. */
const MOST_ATTEMPTS = 3;

export interface FollowOptions extends FollowEvents {
  readonly source: ObjectSource;
  /** Of the snapshots; this follower's alone. */
  readonly folder: string;
  readonly reading: ManifestReading;
  readonly intervalMs: number;
  readonly maxSnapshotBytes: number;
  /** Of this server. */
  readonly version: string;
  /** Whether the operator has ordered this file to be served, so that it must stay. */
  readonly isOrdered: (file: string) => boolean;
  /** The id in the header of a file; undefined if the file has none. */
  readonly readId: (path: string) => string | undefined;
  readonly nowMs: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Runs the action later, unless the returned function is called. */
  readonly after: (ms: number, action: () => void) => () => void;
}

export class Follower {
  readonly #options: FollowOptions;
  readonly #stopped = new AbortController();
  #memory: SourceMemory | undefined;
  /** Of the last manifest that was accepted, while it still holds. */
  #manifest: Manifest | undefined;
  /** An object whose contents were not what a manifest says. */
  #bad: { readonly sha256: string; readonly etag: string | undefined; readonly times: number } | undefined;
  /** Files that the loader has refused: their contents are looked at before they are taken for fetched. */
  readonly #suspects = new Set<string>();
  #failures = 0;
  #cancel: () => void = () => {};
  #polling: Promise<void> = Promise.resolve();

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** Polls now and from then on. */
  start(): void {
    this.#polling = this.#turn();
  }

  /** Resolves when nothing is under way any more. What has arrived of a snapshot is kept. */
  async stop(): Promise<void> {
    this.#cancel();
    this.#stopped.abort(new ObjectError('the server stops', true));
    await this.#polling;
    await this.#options.source.close();
  }

  /** The loader has refused this file: if it is damaged here, the next poll fetches it again. */
  suspect(file: string): void {
    if (this.#memory?.fetched.some((each) => each.file === file)) this.#suspects.add(file);
  }

  async #turn(): Promise<void> {
    const isAnswered = await this.#poll();
    if (this.#stopped.signal.aborted) return;
    const { intervalMs, random, after } = this.#options;
    this.#failures = isAnswered ? 0 : this.#failures + 1;
    this.#cancel = after(nextPollMs(intervalMs, this.#failures, random()), () => this.start());
  }

  /** Returns whether the store has done what it was asked, even if what it has is refused. */
  async #poll(): Promise<boolean> {
    const { onProblem, onPolled, nowMs } = this.#options;
    const problems: FollowProblem[] = [];
    const attempt = async (action: () => Promise<void>): Promise<void> => {
      try {
        await action();
      } catch (error) {
        if (!this.#stopped.signal.aborted) problems.push(problemOf(error));
      }
    };
    await attempt(() => this.#askForManifest());
    // Also with a newer one that is refused: what was accepted before is still to be had.
    await attempt(() => this.#obtain());
    if (this.#stopped.signal.aborted) return true;
    const [first] = problems;
    onPolled({ atMs: nowMs(), isAnswered: first?.kind !== 'store' && first?.kind !== 'system' });
    onProblem(first);
    return first === undefined || (first.kind === 'refused' && !FAILURES.includes(first.code));
  }

  async #askForManifest(): Promise<void> {
    const { source, reading, onClock, nowMs } = this.#options;
    this.#recall();
    const etag = this.#manifest === undefined ? undefined : this.#held.manifest?.etag;
    const answer = await this.#within(MANIFEST_MS, (signal) =>
      fetchManifest(source, reading, etag, signal),
    ).catch((error: unknown) => {
      if (etag !== undefined && error instanceof ObjectError && !error.isPassing) this.#forgetTag();
      throw error;
    });
    if (answer.storeTimeMs !== undefined) onClock(nowMs() - answer.storeTimeMs);
    if (answer.kind === 'unchanged') {
      if (this.#manifest !== undefined) this.#require(this.#manifest); // it may have ended
      return;
    }
    const { manifest, held } = answer;
    this.#require(manifest);
    const { highestSequence, revokedBelow } = this.#held;
    this.#remember({
      manifest: held,
      highestSequence: Math.max(highestSequence, manifest.sequence),
      revokedBelow: Math.max(revokedBelow, manifest.revoked_sequence_below ?? 0),
    });
    this.#accept(manifest);
  }

  /** What is refused for good with a tag may be answered without it. */
  #forgetTag(): void {
    const { manifest } = this.#held;
    if (manifest !== undefined) this.#remember({ manifest: { ...manifest, etag: undefined } });
  }

  /** Reads at the first poll what a previous process remembered; its manifest must hold by today's rules. */
  #recall(): void {
    if (this.#memory !== undefined) return;
    const { folder, source, reading, onForgotten } = this.#options;
    const { memory, problem } = readMemory(folder, source.shownAs);
    if (problem !== undefined) onForgotten(problem);
    this.#memory = memory;
    const { manifest: held } = memory;
    if (held === undefined) return;
    try {
      requireSigned(held.text, held.signature, reading, source);
      this.#accept(readManifest(held.text, reading, source));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // The keys have changed: the store is asked as if nothing were remembered.
    }
  }

  #accept(manifest: Manifest): void {
    this.#manifest = manifest;
    this.#options.onManifest(manifest);
  }

  /** Throws Refusal. */
  #require(manifest: Manifest): void {
    const refusal = this.#refusalOf(manifest);
    if (refusal !== undefined) throw refusal;
  }

  #refusalOf(manifest: Manifest): Refusal | undefined {
    const { maxSnapshotBytes, version, nowMs } = this.#options;
    const { highestSequence, revokedBelow } = this.#held;
    return refusalOf(manifest, { highestSequence, revokedBelow, maxSnapshotBytes, version, nowMs: nowMs() });
  }

  /** Brings the snapshot of the accepted manifest into the folder, and says that it is wanted. */
  async #obtain(): Promise<void> {
    const manifest = this.#manifest;
    // It may have ended since it was accepted.
    if (manifest === undefined || this.#refusalOf(manifest) !== undefined) return;
    const { id } = manifest.snapshot;
    const { folder, onFetched, nowMs } = this.#options;
    const file = fileNameOf(id);
    const { wanted, previous, fetched } = this.#held;
    const activateAtMs = manifest.activate_at === undefined ? undefined : Date.parse(manifest.activate_at);
    const isThere = isFetched(folder, this.#held, manifest.snapshot) && (await this.#isIntact(manifest));
    if (isThere && wanted?.id === id && wanted.activateAtMs === activateAtMs) return;
    if (!isThere) await this.#fetch(manifest, join(folder, file + PART_SUFFIX));
    const wasLive = wanted !== undefined && wanted.id !== id && (wanted.activateAtMs ?? 0) <= nowMs();
    // Before the rename: a loader that found the file first would take it for the newest.
    this.#remember({
      wanted: { id, file, activateAtMs },
      previous: wasLive ? { id: wanted.id, file: wanted.file } : previous,
      part: undefined,
      fetched: [...fetched.filter((each) => each.id !== id), { id, file }],
    });
    if (!isThere) {
      renameSync(join(folder, file + PART_SUFFIX), join(folder, file));
      syncFolder(folder);
      this.#suspects.delete(file);
    }
    onFetched(manifest);
    this.#tidy();
  }

  /** What the loader refuses although it is what the manifest says would be the same again. */
  async #isIntact({ snapshot }: Manifest): Promise<boolean> {
    const file = fileNameOf(snapshot.id);
    if (!this.#suspects.has(file)) return true;
    const path = join(this.#options.folder, file);
    const isIntact = await this.#within(SNAPSHOT_MS, (signal) => hasContents(path, snapshot, signal));
    if (isIntact) this.#suspects.delete(file);
    return isIntact;
  }

  async #fetch({ snapshot }: Manifest, path: string): Promise<void> {
    const { source, readId, onBytes } = this.#options;
    const { sha256 } = snapshot;
    const { part } = this.#held;
    const bad = this.#bad?.sha256 === sha256 ? this.#bad : undefined;
    const badEtag = bad !== undefined && bad.times >= MOST_ATTEMPTS ? bad.etag : undefined;
    removeOtherParts(this.#options.folder, path);
    const partEtag = part?.sha256 === sha256 ? part.etag : undefined;
    const onBegin = (etag: string | undefined): void =>
      this.#remember({ part: etag === undefined ? undefined : { sha256, etag } });
    try {
      await this.#within(SNAPSHOT_MS, (signal) =>
        fetchSnapshot({ source, snapshot, path, partEtag, badEtag, readId, onBegin, onBytes, signal }),
      );
    } catch (error) {
      if (error instanceof WrongContents) {
        const times = bad !== undefined && bad.etag === error.etag ? bad.times + 1 : 1;
        this.#bad = { sha256, etag: error.etag, times };
      }
      throw error;
    }
  }

  #tidy(): void {
    const { folder, isOrdered } = this.#options;
    const fetched = removeOld(folder, this.#held, isOrdered);
    if (fetched.length < this.#held.fetched.length) this.#remember({ fetched });
  }

  get #held(): SourceMemory {
    if (this.#memory === undefined) throw new Error('the memory has not been read');
    return this.#memory;
  }

  #remember(change: Partial<SourceMemory>): void {
    const memory = { ...this.#held, ...change };
    writeMemory(this.#options.folder, memory);
    this.#memory = memory;
  }

  /** Throws ObjectError when the time is over. */
  async #within<Result>(ms: number, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { source, after } = this.#options;
    const limit = new AbortController();
    const end = (): void => limit.abort(this.#stopped.signal.reason);
    this.#stopped.signal.throwIfAborted();
    this.#stopped.signal.addEventListener('abort', end, { once: true });
    const cancel = after(ms, () => {
      const slow = `${source.shownAs}: not complete after ${ms / 1000} s; it is continued from there`;
      limit.abort(new ObjectError(slow, true));
    });
    try {
      return await ask(limit.signal);
    } finally {
      cancel();
      this.#stopped.signal.removeEventListener('abort', end);
    }
  }
}

function problemOf(error: unknown): FollowProblem {
  if (error instanceof Refusal) {
    const { code, message, sequence } = error;
    return { kind: 'refused', code, message, sequence };
  }
  const { message } = error as Error;
  if (error instanceof ObjectError) return { kind: 'store', message };
  return { kind: 'system', message };
}
