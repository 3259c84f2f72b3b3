// What the supervisor remembers for /status and /metrics: what is in force and what came of the last file.

import { basename } from 'node:path';
import { openApiDocument } from '../http/openapi.ts';
import type { PostedGeneration } from './messages.ts';
import type { Reload, SnapshotState, SupervisorState, WorkerState } from './status.ts';

export class SupervisorRecord {
  readonly #startedAtMs = Date.now();
  #generation: PostedGeneration | undefined;
  #lastReload: Reload | undefined;

  get generation(): PostedGeneration | undefined {
    return this.#generation;
  }

  get builtAtMs(): number | undefined {
    return this.#generation?.parts.builtAtMs;
  }

  loaded(generation: PostedGeneration): void {
    const { file, parts, loadedAtMs } = generation;
    this.#generation = generation;
    this.#lastReload = { kind: 'loaded', atMs: loadedAtMs, file: basename(file), id: parts.id };
  }

  refused(file: string, code: string, message: string): void {
    this.#lastReload = { kind: 'refused', atMs: Date.now(), file: basename(file), code, message };
  }

  state(workers: readonly WorkerState[], isDraining: boolean): SupervisorState {
    return {
      version: openApiDocument.info.version,
      startedAtMs: this.#startedAtMs,
      isDraining,
      snapshot: this.#generation === undefined ? undefined : snapshotState(this.#generation),
      workers,
      lastReload: this.#lastReload,
    };
  }
}

function snapshotState({ parts, format, loadedAtMs, file, fileBytes }: PostedGeneration): SnapshotState {
  const { id, builtAtMs, typeCounts } = parts;
  return { id, format, builtAtMs, loadedAtMs, file: basename(file), fileBytes, typeCounts };
}
