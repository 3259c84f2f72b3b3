// Gets the manifest and, if keys are set, the signature that lies under its hash.

import { createHash } from 'node:crypto';
import { MANIFEST_NAME, MAX_MANIFEST_BYTES, type Manifest, signatureName } from './manifest.ts';
import { Refusal } from './manifest-rules.ts';
import { wholeOf } from './objects/body.ts';
import { ObjectError, type ObjectReply, type ObjectSource } from './objects/objects.ts';
import type { HeldManifest } from './source-memory.ts';

const MAX_SIGNATURE_BYTES = 4096;
/** Both times are cut off to seconds. */
const SETTLED_MS = 2_000;

/** How a manifest is read and its signature verified. */
export interface ManifestReading {
  /** Throws an Error whose message says what is wrong. */
  readonly parse: (text: string) => Manifest;
  /** Throws an Error whose message says what is wrong. Undefined if no key is set. */
  readonly verify: ((text: string, signature: string) => void) | undefined;
}

type FetchedManifest =
  | { readonly kind: 'unchanged'; readonly storeTimeMs: number | undefined }
  | {
      readonly kind: 'found';
      readonly held: HeldManifest;
      readonly manifest: Manifest;
      readonly storeTimeMs: number | undefined;
    };

/**
 * The manifest, unless it is the one with this ETag. If its signature does not fit, both are asked for once
 * more: a publisher may have been at work. Throws Refusal, ObjectError.
 */
export async function fetchManifest(
  source: ObjectSource,
  reading: ManifestReading,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  try {
    return await fetchOnce(source, reading, etag, signal);
  } catch (error) {
    const isMismatch =
      error instanceof Refusal && (error.code === 'unsigned' || error.code === 'bad-signature');
    if (!isMismatch) throw error;
    return fetchOnce(source, reading, undefined, signal);
  }
}

async function fetchOnce(
  source: ObjectSource,
  reading: ManifestReading,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<FetchedManifest> {
  const reply = await source.get(MANIFEST_NAME, { ...(etag === undefined ? {} : { etag }), signal });
  if (reply.kind === 'unchanged') return { kind: 'unchanged', storeTimeMs: reply.storeTimeMs };
  if (reply.kind === 'absent') {
    throw new ObjectError(`${source.shownAs}: there is no manifest; check --source, or publish one`, false);
  }
  const bytes = await wholeOf(reply.body, MAX_MANIFEST_BYTES, `${source.shownAs}: the manifest`);
  const text = bytes.toString();
  const signature = await signatureOf(source, reading, bytes, signal);
  const manifest = readManifest(text, reading, source);
  return {
    kind: 'found',
    held: { etag: isSettled(reply) ? reply.etag : undefined, text, signature },
    manifest,
    storeTimeMs: reply.storeTimeMs,
  };
}

/**
 * Whether its ETag will not be that of the next manifest too: some servers make tags of the length and the
 * second of the last change, and manifests have the same length (RFC 9110, 8.8.2.2).
 */
function isSettled({ changedAtMs, storeTimeMs }: Extract<ObjectReply, { readonly kind: 'found' }>): boolean {
  return changedAtMs === undefined || storeTimeMs === undefined || storeTimeMs - changedAtMs >= SETTLED_MS;
}

/** Throws Refusal. */
export function readManifest(
  text: string,
  { parse }: ManifestReading,
  { shownAs }: Pick<ObjectSource, 'shownAs'>,
): Manifest {
  try {
    return parse(text);
  } catch (error) {
    const what = /^\s*</.test(text) ? 'a web page and not a manifest' : (error as Error).message;
    throw new Refusal('not-a-manifest', `${shownAs}: this is ${what}; check --source`);
  }
}

/** The signature, or undefined if none is asked for. Throws Refusal. */
async function signatureOf(
  source: ObjectSource,
  reading: ManifestReading,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (reading.verify === undefined) return undefined;
  const name = signatureName(createHash('sha256').update(bytes).digest('hex'));
  const reply = await source.get(name, { signal });
  if (reply.kind !== 'found') {
    const remedy = 'publish it with its key, or leave --source-key out';
    throw new Refusal('unsigned', `${source.shownAs}: the manifest has no signature ${name}; ${remedy}`);
  }
  const signature = (await wholeOf(reply.body, MAX_SIGNATURE_BYTES, `${source.shownAs}: ${name}`)).toString();
  requireSigned(bytes.toString(), signature, reading, source);
  return signature;
}

/** Throws Refusal if keys are set and none of them has signed the text. */
export function requireSigned(
  text: string,
  signature: string | undefined,
  { verify }: ManifestReading,
  { shownAs }: Pick<ObjectSource, 'shownAs'>,
): void {
  if (verify === undefined) return;
  try {
    verify(text, signature ?? '');
  } catch (error) {
    const problem = `${shownAs}: the signature of the manifest does not hold (${(error as Error).message})`;
    throw new Refusal('bad-signature', problem);
  }
}
