// Which manifests a replica follows. A manifest that is refused changes nothing: what is live stays live.

import semver from 'semver';
import type { Manifest } from './manifest.ts';

export type RefusalCode =
  | 'not-a-manifest'
  | 'unsigned'
  | 'bad-signature'
  | 'older-sequence'
  | 'sequence-jump'
  | 'revoked'
  | 'expired'
  | 'server-too-old'
  | 'too-large'
  | 'missing'
  | 'wrong-size'
  | 'wrong-hash'
  | 'wrong-id';

/** A manifest, or the snapshot that it names, is not followed. The message says what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly sequence: number | undefined;

  constructor(code: RefusalCode, message: string, sequence?: number) {
    super(message);
    this.code = code;
    this.sequence = sequence;
  }
}

/** A clock may be off by ten minutes without refusing what is sound; five are for the time a poll takes. */
const CLOCK_TOLERANCE_MS = 15 * 60_000;

/**
 * A sequence may rise by so much at once: far more than is published between two polls. A thief of the key
 * who could take the last number would leave none for the publisher.
 */
const MAX_SEQUENCE_STEP = 1_000_000;

interface Rules {
  /** 0 if no manifest was followed yet. */
  readonly highestSequence: number;
  readonly revokedBelow: number;
  readonly maxSnapshotBytes: number;
  /** Of this server. */
  readonly version: string;
  readonly nowMs: number;
}

/** Why the manifest is not followed, or undefined. */
export function refusalOf(manifest: Manifest, rules: Rules): Refusal | undefined {
  const { sequence, expires, min_server_version, snapshot } = manifest;
  const refuse = (code: RefusalCode, problem: string): Refusal =>
    new Refusal(code, `manifest ${sequence} is refused: ${problem}`, sequence);
  const revokedBelow = Math.max(rules.revokedBelow, manifest.revoked_sequence_below ?? 0);
  if (sequence < revokedBelow) {
    return refuse('revoked', `its publisher has revoked all below ${revokedBelow}; publish again`);
  }
  if (sequence < rules.highestSequence) {
    const problem = `manifest ${rules.highestSequence} was seen before, and the sequence never falls`;
    return refuse('older-sequence', `${problem}; publish with a higher one`);
  }
  if (rules.highestSequence > 0 && sequence - rules.highestSequence > MAX_SEQUENCE_STEP) {
    const problem = `it is more than ${MAX_SEQUENCE_STEP} above the highest seen, ${rules.highestSequence}`;
    const remedy =
      'if its publisher did that, remove source.json and start again; if not, its key has leaked';
    return refuse('sequence-jump', `${problem}; ${remedy}`);
  }
  if (rules.nowMs > Date.parse(expires) + CLOCK_TOLERANCE_MS) {
    const now = new Date(rules.nowMs).toISOString();
    return refuse(
      'expired',
      `it ended at ${expires}, and it is ${now} here; publish again, or set the clock`,
    );
  }
  if (semver.lt(rules.version, min_server_version)) {
    const problem = `it requires version ${min_server_version}, and this is ${rules.version}`;
    return refuse('server-too-old', `${problem}; install a newer server`);
  }
  if (snapshot.size > rules.maxSnapshotBytes) {
    const problem = `its snapshot has ${snapshot.size} bytes, more than ${rules.maxSnapshotBytes}`;
    return refuse('too-large', `${problem}; raise --max-snapshot-bytes if that is right`);
  }
  return undefined;
}
