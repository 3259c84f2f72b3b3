// The manifest: a small JSON document that says which snapshot a fleet serves. It is the only object that is
// ever replaced; what it names lies under the hash of its contents. docs/fleet.md describes its members.
// Whether a replica follows it is decided elsewhere.

import assert from 'node:assert/strict';
import semver from 'semver';
import { MemberReader } from './members.ts';

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
  /** Relative to the manifest, and below its folder. */
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

interface ManifestObject extends ManifestFile {
  readonly kind: string;
}

/** Where a manifest's signature lies: under the manifest's hash, so that the two always belong together. */
export function signatureName(manifestSha256: string): string {
  return `signatures/${manifestSha256}.minisig`;
}

/** As it is published: the same manifest gives the same bytes. Requires: `parseManifest` would take it. */
export function writeManifest(manifest: Manifest): Buffer {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  assert.ok(bytes.length <= MAX_MANIFEST_BYTES);
  assert.deepEqual(parseManifest(bytes), manifest);
  return bytes;
}

/** Members that it does not know are left out. Throws ManifestError. */
export function parseManifest(bytes: Uint8Array | string): Manifest {
  const all = MemberReader.ofJson(bytes, MAX_MANIFEST_BYTES);
  all.requireFormat(MANIFEST_FORMAT);
  const published_at = all.instant('published_at');
  const expires = all.instant('expires');
  if (Date.parse(expires) <= Date.parse(published_at)) {
    throw all.refuse('invalid', 'expires', `a time after published_at, ${published_at}`, expires);
  }
  const activate_at = all.has('activate_at') ? all.instant('activate_at') : undefined;
  if (activate_at !== undefined && Date.parse(activate_at) >= Date.parse(expires)) {
    throw all.refuse('invalid', 'activate_at', `a time before expires, ${expires}`, activate_at);
  }
  const version = all.text('min_server_version', (text) => semver.valid(text) === text, 'a version as 1.2.3');
  const snapshot = all.inside('snapshot');
  return {
    format: MANIFEST_FORMAT,
    sequence: all.count('sequence', 1),
    published_at,
    expires,
    ...(activate_at === undefined ? {} : { activate_at }),
    min_server_version: version,
    ...(all.has('revoked_sequence_below')
      ? { revoked_sequence_below: all.count('revoked_sequence_below', 0) }
      : {}),
    snapshot: {
      ...fileOf(snapshot),
      id: snapshot.text('id', (text) => /^[0-9a-f]{16}$/.test(text), '16 hexadecimal digits'),
      built_at: snapshot.instant('built_at'),
    },
    objects: all.list('objects', MAX_OBJECTS).map((object) => ({
      kind: object.text('kind', isObjectKind, 'a word of a-z, 0-9 and -'),
      ...fileOf(object),
    })),
  };
}

const MAX_OBJECTS = 64;

export function isObjectKind(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,39}$/.test(text);
}

function fileOf(members: MemberReader): ManifestFile {
  return {
    url: members.text(
      'url',
      isNameBelow,
      'a relative URL of letters, digits and -_.~/ that stays below',
      'url',
    ),
    size: members.count('size', 1),
    sha256: members.text('sha256', (text) => /^[0-9a-f]{64}$/.test(text), '64 hexadecimal digits'),
  };
}

/**
 * Whether a name means the same everywhere (in a URL, a bucket, a folder) and stays below: no `..` in any
 * spelling, as escapes and backslashes are not allowed at all, and no part that begins with a dot.
 */
function isNameBelow(name: string): boolean {
  return name.length <= 512 && /^[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/.test(name);
}
