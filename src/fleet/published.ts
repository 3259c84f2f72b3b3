// What lies in a store beside the manifest, under which names, and what of it may go.
//
//     latest.json                      the manifest, the one object that is replaced
//     signatures/<sha256>.minisig      of the manifest with that hash
//     history/<sequence>.json          every manifest that was published
//     snapshots/<sha256>.vdx           by the hash of the file
//     objects/<sha256>                 what manifests name beside the snapshot

import { createHash } from 'node:crypto';
import { MAX_MANIFEST_BYTES, type Manifest, parseManifest, signatureName } from './manifest.ts';
import { wholeOf } from './objects/body.ts';
import type { ListedObject, ObjectSource, ObjectTarget } from './objects/objects.ts';

const FOLDERS = ['snapshots/', 'objects/', 'signatures/'] as const;
/** The Cache-Control of what never changes. */
export const FOR_EVER = 'public, max-age=31536000, immutable';
const SEQUENCE_DIGITS = 12;
/** The names that publishing gives: nothing else is ever removed. */
const OWN_NAME = /^(?:snapshots\/[0-9a-f]{64}\.vdx|objects\/[0-9a-f]{64}|signatures\/[0-9a-f]{64}\.minisig)$/;
const HISTORY_NAME = /^history\/(\d{12,16})\.json$/;
const READS_AT_ONCE = 16;

export function snapshotName(sha256: string): string {
  return `snapshots/${sha256}.vdx`;
}

export function objectName(sha256: string): string {
  return `objects/${sha256}`;
}

export function historyName(sequence: number): string {
  return `history/${String(sequence).padStart(SEQUENCE_DIGITS, '0')}.json`;
}

/** The sequences of the history, highest first. */
export async function historyOf(target: ObjectTarget, signal: AbortSignal): Promise<readonly number[]> {
  const listed = await target.list('history/', signal);
  return listed
    .flatMap(({ name }) => {
      const [, digits] = HISTORY_NAME.exec(name) ?? [];
      return digits === undefined ? [] : [Number(digits)];
    })
    .sort((a, b) => b - a);
}

/** The bytes of a small object, or undefined if there is none. Throws ObjectError. */
export async function bytesOf(
  source: ObjectSource,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly etag: string | undefined } | undefined> {
  const reply = await source.get(name, { signal });
  if (reply.kind !== 'found') return undefined;
  const bytes = await wholeOf(reply.body, MAX_MANIFEST_BYTES, `${source.shownAs}: ${name}`);
  return { bytes, etag: reply.etag };
}

interface Entry {
  readonly sequence: number;
  readonly manifest: Manifest;
  readonly sha256: string;
}

export interface Keeping {
  /** Snapshots, counted from the newest manifest. */
  readonly keep: number;
  /** Nothing goes that is younger, or that the latest manifest named more recently. */
  readonly graceMs: number;
  readonly nowMs: number;
  /** The latest until now: replicas may be fetching what it names. */
  readonly replaced: Manifest | undefined;
}

/**
 * Removes what no replica can still need, and returns the names. Throws ObjectError, and ManifestError for a
 * history that cannot be read: nothing is then removed.
 */
export async function removeOld(
  target: ObjectTarget,
  keeping: Keeping,
  signal: AbortSignal,
): Promise<string[]> {
  const listed: ListedObject[] = [];
  for (const folder of FOLDERS) listed.push(...(await target.list(folder, signal)));
  // The history after the objects: what was published meanwhile is in it, and keeps its objects.
  const entries = await readHistory(target, signal);
  const kept = keptOf(entries, keeping);
  const isKept = new Set(kept.flatMap(namesOf));
  for (const name of keeping.replaced === undefined ? [] : urlsOf(keeping.replaced)) isKept.add(name);
  const oldestMs = keeping.nowMs - keeping.graceMs;
  const objects = listed
    .filter(({ name, changedAtMs }) => OWN_NAME.test(name) && !isKept.has(name) && changedAtMs < oldestMs)
    .map(({ name }) => name);
  const history = entries
    .filter((entry) => !kept.includes(entry))
    .map(({ sequence }) => historyName(sequence));
  // The history last: if this is interrupted, the next time knows what was to go.
  const names = [...objects, ...history];
  for (const name of names) await target.remove(name, signal);
  return names;
}

/** Highest first. */
async function readHistory(target: ObjectTarget, signal: AbortSignal): Promise<readonly Entry[]> {
  const sequences = await historyOf(target, signal);
  const entries: Entry[] = [];
  for (let i = 0; i < sequences.length; i += READS_AT_ONCE) {
    const some = sequences.slice(i, i + READS_AT_ONCE).map(async (sequence) => {
      const found = await bytesOf(target, historyName(sequence), signal);
      if (found === undefined) return [];
      const sha256 = createHash('sha256').update(found.bytes).digest('hex');
      return [{ sequence, manifest: parseManifest(found.bytes), sha256 }];
    });
    entries.push(...(await Promise.all(some)).flat());
  }
  return entries;
}

/** The last manifest of each of the newest snapshots, and those that were the latest a short while ago. */
function keptOf(entries: readonly Entry[], { keep, graceMs, nowMs }: Keeping): readonly Entry[] {
  const snapshots = new Set<string>();
  return entries.filter(({ manifest }, i) => {
    const next = entries[i - 1]?.manifest; // entries are from the highest down
    const isRecent = next === undefined || Date.parse(next.published_at) > nowMs - graceMs;
    const { sha256 } = manifest.snapshot;
    const isCounted = !snapshots.has(sha256) && snapshots.size < keep;
    if (isCounted) snapshots.add(sha256);
    return isRecent || isCounted;
  });
}

function namesOf({ manifest, sha256 }: Entry): readonly string[] {
  return [...urlsOf(manifest), signatureName(sha256)];
}

function urlsOf({ snapshot, objects }: Manifest): readonly string[] {
  return [snapshot.url, ...objects.map(({ url }) => url)];
}
