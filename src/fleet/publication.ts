// What a publication is to be, and the manifest that follows from it and from what was published before.

import { MANIFEST_FORMAT, type Manifest } from './manifest.ts';
import type { SecretKey } from './minisign.ts';
import type { ObjectContent } from './objects/objects.ts';
import { FOR_EVER, objectName, snapshotName } from './published.ts';

export interface PublishedFile {
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

export interface PublishPlan {
  /** Requires: checked as a server checks it. */
  readonly snapshot: PublishedFile & { readonly id: string; readonly builtAtMs: number };
  readonly objects: readonly (PublishedFile & { readonly kind: string })[];
  readonly expiresMs: number;
  /** An instant, or how long after the upload. */
  readonly activate:
    | { readonly kind: 'now' }
    | { readonly kind: 'at'; readonly atMs: number }
    | { readonly kind: 'in'; readonly ms: number };
  readonly minServerVersion: string;
  readonly revokeBelow: number | undefined;
  /** Undefined publishes without a signature. */
  readonly key: SecretKey | undefined;
  /** Snapshots to keep; undefined removes nothing. */
  readonly keep: number | undefined;
  readonly graceMs: number;
  readonly isDryRun: boolean;
}

export interface Publication {
  readonly manifest: Manifest;
  readonly uploaded: readonly string[];
  /** What was there already. */
  readonly present: readonly string[];
  readonly removed: readonly string[];
}

type PublishErrorCode =
  /** Another publisher was faster. */
  | 'overtaken'
  | 'unreadable-manifest'
  /** `revokeBelow` would revoke this manifest too. */
  | 'revokes-itself'
  | 'no-sequence'
  /** The manifest would end before replicas switch to it. */
  | 'ends-first';

export class PublishError extends Error {
  override readonly name = 'PublishError';
  readonly code: PublishErrorCode;

  constructor(code: PublishErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface PublishContext {
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  /** Gets one line for each warning. */
  readonly report: (line: string) => void;
  /** Told of each file before it is sent; returns what is told of its progress. */
  readonly onUpload?: (file: PublishedFile) => Upload;
}

interface Upload {
  advance(bytes: number): void;
  end(): void;
}

/** What a store has had. */
interface Published {
  readonly last: Manifest | undefined;
  /** Of its history. */
  readonly highest: number | undefined;
  readonly shownAs: string;
}

/**
 * The manifest that follows `last` and the highest sequence of the history. Throws PublishError; warns of
 * what is odd.
 */
export function nextManifest(
  plan: PublishPlan,
  { last, highest, shownAs }: Published,
  { nowMs, report }: { readonly nowMs: number; readonly report: (line: string) => void },
): Manifest {
  const { snapshot, objects, expiresMs, activate, minServerVersion, revokeBelow } = plan;
  const sequence = Math.max(last?.sequence ?? 0, highest ?? 0) + 1;
  if (!Number.isSafeInteger(sequence)) {
    throw new PublishError(
      'no-sequence',
      `${shownAs}: no sequence is above ${sequence - 1}; begin in another place`,
    );
  }
  const revoked = Math.max(last?.revoked_sequence_below ?? 0, revokeBelow ?? 0);
  if (revoked > sequence) {
    const remedy = `name at most ${sequence}, which revokes all before it`;
    throw new PublishError(
      'revokes-itself',
      `--revoke-below ${revoked}: this publication has sequence ${sequence}; ${remedy}`,
    );
  }
  const ends = nowMs + expiresMs;
  const activateAtMs = activationOf(activate, nowMs);
  if (activateAtMs !== undefined && activateAtMs >= ends) {
    const when = new Date(activateAtMs).toISOString();
    throw new PublishError(
      'ends-first',
      `the manifest would end before ${when}, when it is to be active; raise --expires`,
    );
  }
  if (last !== undefined && Date.parse(last.published_at) > nowMs) {
    report(
      `warning: manifest ${last.sequence} was published at ${last.published_at}, later than it is here; check the clock`,
    );
  }
  if (last !== undefined && Date.parse(last.snapshot.built_at) > snapshot.builtAtMs) {
    report(
      `warning: this snapshot is older than the published one, built at ${last.snapshot.built_at}; replicas go back to it`,
    );
  }
  return {
    format: MANIFEST_FORMAT,
    sequence,
    published_at: new Date(nowMs).toISOString(),
    expires: new Date(ends).toISOString(),
    ...(activateAtMs === undefined ? {} : { activate_at: new Date(activateAtMs).toISOString() }),
    min_server_version: minServerVersion,
    ...(revoked === 0 ? {} : { revoked_sequence_below: revoked }),
    snapshot: {
      url: snapshotName(snapshot.sha256),
      size: snapshot.bytes,
      sha256: snapshot.sha256,
      id: snapshot.id,
      built_at: new Date(snapshot.builtAtMs).toISOString(),
    },
    objects: objects.map(({ kind, bytes, sha256 }) => ({
      kind,
      url: objectName(sha256),
      size: bytes,
      sha256,
    })),
  };
}

export interface ToUpload {
  readonly name: string;
  readonly content: Extract<ObjectContent, { kind: 'file' }>;
}

/** What must be in the store before the manifest is. */
export function filesOf({ snapshot, objects }: PublishPlan): readonly ToUpload[] {
  const fileAs = (name: string, { path, bytes, sha256 }: PublishedFile): ToUpload => ({
    name,
    content: { kind: 'file', path, bytes, sha256, type: 'application/octet-stream', cacheControl: FOR_EVER },
  });
  return [
    fileAs(snapshotName(snapshot.sha256), snapshot),
    ...objects.map((object) => fileAs(objectName(object.sha256), object)),
  ];
}

function activationOf(activate: PublishPlan['activate'], nowMs: number): number | undefined {
  switch (activate.kind) {
    case 'now':
      return undefined;
    case 'at':
      return activate.atMs;
    case 'in':
      return nowMs + activate.ms;
  }
}
