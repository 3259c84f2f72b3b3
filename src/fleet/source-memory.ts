// What a replica remembers of its source, in `source.json` beside the snapshots: a restart asks with the ETag
// and downloads nothing, and accepts nothing older. The loader reads `wanted` and `previous` of the same file
// (loader/live/wanted.ts), so that what is wanted and what was accepted can never disagree.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../files/replace-file.ts';
import { usableTag } from './objects/objects.ts';

const SOURCE_FILE = 'source.json';
const FORMAT = 1;

/** A file in the folder that the follower has put there. */
export interface FetchedFile {
  /** Of the snapshot in it. */
  readonly id: string;
  readonly file: string;
}

interface WantedFile extends FetchedFile {
  /** When it goes live; undefined for at once. */
  readonly activateAtMs: number | undefined;
}

export interface HeldManifest {
  readonly etag: string | undefined;
  /** Exactly as received: its signature holds for these characters only. */
  readonly text: string;
  readonly signature: string | undefined;
}

export interface SourceMemory {
  /** Where all this is from, without credentials: of another source it says nothing. */
  readonly source: string;
  readonly highestSequence: number;
  readonly revokedBelow: number;
  /** The last that was accepted. */
  readonly manifest: HeldManifest | undefined;
  readonly wanted: WantedFile | undefined;
  /** What was wanted before, for a restart while `wanted` waits for its time. */
  readonly previous: FetchedFile | undefined;
  /** The object that a file `*.part` is the beginning of. */
  readonly part: { readonly sha256: string; readonly etag: string } | undefined;
  /** The files that the follower may remove, the oldest first. */
  readonly fetched: readonly FetchedFile[];
}

function nothingOf(source: string): SourceMemory {
  return {
    source,
    highestSequence: 0,
    revokedBelow: 0,
    manifest: undefined,
    wanted: undefined,
    previous: undefined,
    part: undefined,
    fetched: [],
  };
}

/** What is remembered of this source; `problem` says why a file cannot be used. Throws the system's error. */
export function readMemory(
  folder: string,
  source: string,
): { readonly memory: SourceMemory; readonly problem: string | undefined } {
  const path = join(folder, SOURCE_FILE);
  const anew = (problem: string | undefined) => ({ memory: nothingOf(source), problem });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return anew(undefined);
    throw error;
  }
  try {
    const memory = fromDocument(JSON.parse(text) as Document);
    if (memory.source === source) return { memory, problem: undefined };
    return anew(`it is about another source, ${memory.source}`);
  } catch {
    return anew('it is not what a server writes');
  }
}

/** Throws the system's error. */
export function writeMemory(folder: string, memory: SourceMemory): void {
  replaceFile(join(folder, SOURCE_FILE), `${JSON.stringify(toDocument(memory), null, 2)}\n`);
}

interface Document {
  readonly format: number;
  readonly source: string;
  readonly highest_sequence: number;
  readonly revoked_sequence_below: number;
  readonly wanted: { readonly id: string; readonly file: string; readonly activate_at?: string } | null;
  readonly previous: FetchedFile | null;
  readonly manifest: { readonly etag?: string; readonly text: string; readonly signature?: string } | null;
  readonly part: { readonly sha256: string; readonly etag: string } | null;
  readonly fetched: readonly FetchedFile[];
}

function toDocument(memory: SourceMemory): Document {
  const { wanted, previous, manifest, part, fetched } = memory;
  const activate = wanted?.activateAtMs;
  return {
    format: FORMAT,
    source: memory.source,
    highest_sequence: memory.highestSequence,
    revoked_sequence_below: memory.revokedBelow,
    wanted:
      wanted === undefined
        ? null
        : {
            id: wanted.id,
            file: wanted.file,
            ...(activate === undefined ? {} : { activate_at: new Date(activate).toISOString() }),
          },
    previous: previous === undefined ? null : { id: previous.id, file: previous.file },
    // Undefined members are left out.
    manifest: manifest ?? null,
    part: part ?? null,
    fetched,
  } as Document;
}

/** Throws for anything that `toDocument` does not make. */
function fromDocument(document: Document): SourceMemory {
  const { format, source, wanted, previous, manifest, part, fetched } = document;
  if (format !== FORMAT || typeof source !== 'string') throw new TypeError('format');
  return {
    source,
    highestSequence: countOf(document.highest_sequence),
    revokedBelow: countOf(document.revoked_sequence_below),
    manifest:
      manifest === null
        ? undefined
        : { etag: usableTag(manifest.etag), text: String(manifest.text), signature: manifest.signature },
    wanted:
      wanted === null ? undefined : { ...fetchedOf(wanted), activateAtMs: instantOf(wanted.activate_at) },
    previous: previous === null ? undefined : fetchedOf(previous),
    part: partOf(part),
    fetched: fetched.map(fetchedOf),
  };
}

/** Without a tag that can be sent it is the beginning of nothing known. */
function partOf(part: Document['part']): SourceMemory['part'] {
  const etag = usableTag(part?.etag);
  return part === null || etag === undefined ? undefined : { sha256: String(part.sha256), etag };
}

function fetchedOf({ id, file }: FetchedFile): FetchedFile {
  if (file !== fileNameOf(id)) throw new TypeError('file'); // never a file of somebody else
  return { id, file };
}

/** The name of a fetched snapshot, which nobody else gives to a file. */
export function fileNameOf(id: string): string {
  if (!/^[0-9a-f]{16}$/.test(id)) throw new TypeError('id');
  return `fleet-${id}.vdx`;
}

function countOf(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('number');
  return value as number;
}

function instantOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new TypeError('instant');
  return ms;
}
