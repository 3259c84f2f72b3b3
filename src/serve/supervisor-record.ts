// What the supervisor remembers for /status and /metrics: the live snapshot and
// the outcome for the last file.

import { basename } from 'node:path';
import { VERSION } from '../http/openapi/document.ts';
import type { TransportKind } from '../http/transport/transport.ts';
import { publishedCount } from '../index/lookup/id-list.ts';
import type { ListedSnapshot } from '../loader/live/hot-swap.ts';
import type { RollBack } from '../loader/live/roll-back.ts';
import { compareAge, type SnapshotAge } from '../loader/live/snapshot-age.ts';
import type { ServedMount } from './clients.ts';
import type { ConditionState } from './conditions.ts';
import type { LoaderInheritance, PostedFiles, PostedGeneration } from './messages.ts';
import type { OrderableFolder } from './operations/orders/orders.ts';
import { Refusals } from './operations/refusals.ts';
import type {
  LimitsState,
  PreparedState,
  Reload,
  SnapshotState,
  SupervisorState,
  WorkerState,
} from './ops/status.ts';

export class SupervisorRecord {
  readonly #transport: TransportKind;
  readonly #mounts: readonly ServedMount[];
  readonly #startedAtMs = Date.now();
  #generation: PostedGeneration | undefined;
  #prepared: PreparedState | undefined;
  #lastReload: Reload | undefined;
  #rollBack: RollBack | undefined;
  #listed: readonly ListedSnapshot[] = [];
  readonly refusals = new Refusals();

  constructor(transport: TransportKind, mounts: readonly ServedMount[]) {
    this.#transport = transport;
    this.#mounts = mounts;
  }

  get generation(): PostedGeneration | undefined {
    return this.#generation;
  }

  get builtAtMs(): number | undefined {
    return this.#generation?.parts.builtAtMs;
  }

  get rollBack(): RollBack | undefined {
    return this.#rollBack;
  }

  /** What clients get, as far as the data is concerned. */
  get answered(): string {
    return this.#generation === undefined ? '503 no_snapshot' : 'from the live snapshot';
  }

  /** For a restarted loader. */
  inheritance(): LoaderInheritance {
    const rollBack = this.#rollBack;
    if (this.#generation === undefined) return { inForce: undefined, rollBack };
    const { id, builtAtMs, columns } = this.#generation.parts;
    return { inForce: { id, builtAtMs, publishedCount: publishedCount(columns) }, rollBack };
  }

  /** Whether a snapshot is new enough to go live. */
  isNewer(age: SnapshotAge): boolean {
    if (this.#generation === undefined) return true;
    const rollBack = this.#rollBack;
    const isRolledBack = rollBack !== undefined && rollBack.phase.kind !== 'over';
    return compareAge(age, isRolledBack ? rollBack.from : this.#generation.parts) > 0;
  }

  /** The snapshots in the folder that can be ordered, newest first. */
  get listed(): readonly ListedSnapshot[] {
    return this.#listed;
  }

  /** What orders to roll back are checked by. */
  get orderable(): Pick<OrderableFolder, 'listed' | 'liveId'> {
    return { listed: this.#listed, liveId: this.#generation?.parts.id };
  }

  setListed(snapshots: readonly ListedSnapshot[]): void {
    this.#listed = snapshots;
  }

  rolledBack(rollBack: RollBack | undefined): void {
    this.#rollBack = rollBack;
  }

  loaded(generation: PostedGeneration): void {
    const { file, parts, loadedAtMs } = generation;
    this.#generation = generation;
    this.#lastReload = { kind: 'loaded', atMs: loadedAtMs, file: basename(file), id: parts.id };
  }

  prepared({ snapshot, files, bytes }: PostedFiles): void {
    this.#prepared = { id: snapshot, fileCount: files.length, bytes, atMs: Date.now() };
  }

  refused(file: string, code: string, message: string): void {
    const atMs = Date.now();
    this.#lastReload = { kind: 'refused', atMs, file: basename(file), code, message };
    this.refusals.add(file, code, message, atMs);
  }

  state(
    workers: readonly WorkerState[],
    keptIds: readonly string[],
    isDraining: boolean,
    conditions: readonly ConditionState[],
    limits?: LimitsState,
  ): SupervisorState {
    return {
      version: VERSION,
      transport: this.#transport,
      mounts: this.#mounts,
      startedAtMs: this.#startedAtMs,
      isDraining,
      snapshot: this.#generation === undefined ? undefined : snapshotState(this.#generation),
      keptIds,
      prepared: this.#prepared,
      workers,
      lastReload: this.#lastReload,
      rollBack: this.#rollBack,
      conditions,
      limits,
    };
  }
}

function snapshotState({ parts, format, loadedAtMs, file, fileBytes }: PostedGeneration): SnapshotState {
  const { id, builtAtMs, typeCounts } = parts;
  return { id, format, builtAtMs, loadedAtMs, file: basename(file), fileBytes, typeCounts };
}
