// The manifest: a small JSON document that says which snapshot a fleet serves. It is the only object that is
// ever replaced; what it names lies under the hash of its contents. docs/fleet.md describes its members.

export const MANIFEST_NAME = 'latest.json';
export const MANIFEST_FORMAT = 1;
export const MAX_MANIFEST_BYTES = 64 << 10;

export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  /** Of the fleet's manifests; never falls. */
  readonly sequence: number;
  readonly published_at: string;
  /** A replica refuses the manifest from then on, and keeps what it has. */
  readonly expires: string;
  /** When all replicas switch; at once without it. */
  readonly activate_at?: string;
  /** A server older than this refuses the manifest. */
  readonly min_server_version: string;
  /** Manifests below this are refused, even by a replica that has seen none above. */
  readonly revoked_sequence_below?: number;
  readonly snapshot: ManifestSnapshot;
  /** Others beside the snapshot; a server ignores those whose kind it does not know. */
  readonly objects: readonly ManifestObject[];
}

export interface ManifestFile {
  /** Relative to the manifest. */
  readonly url: string;
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

export interface ManifestSnapshot extends ManifestFile {
  /** The snapshot's own id, as its header has it. */
  readonly id: string;
  readonly built_at: string;
}

export interface ManifestObject extends ManifestFile {
  readonly kind: string;
}

/** Where a manifest's signature lies: under the manifest's hash, so that the two always belong together. */
export function signatureName(manifestSha256: string): string {
  return `signatures/${manifestSha256}.minisig`;
}
