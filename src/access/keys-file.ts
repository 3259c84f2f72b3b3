// The keys file: its shape, reading it whole or not at all, and replacing it atomically. check-keys-file.ts
// validates it; watch-keys.ts follows its changes. The types mirror the JSON, names included, so that a
// rewrite keeps fields that users added.

import { createHash, randomBytes } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keysFileProblems } from './check-keys-file.ts';
import { parseInstant } from './instant.ts';
import { findKeysFileBytes, KeysFileError } from './read-keys.ts';

export type RateRecord = {
  readonly limit: number;
  readonly window_seconds: number;
  /** Requests admitted at once after a quiet period; defaults to the limit. */
  readonly burst?: number;
};

export type Tier = {
  readonly endpoints: readonly string[];
  /** null means no limit. */
  readonly rate: RateRecord | null;
  /** What a batch costs: one request, which is the default, or one per item. */
  readonly batch_cost?: 'request' | 'item';
};

export type KeyRecord = {
  readonly id: string;
  readonly name: string;
  /** Hash of the key's UTF-8 bytes; 64 lower-case hex digits once parsed. */
  readonly sha256: string;
  readonly tier: string;
  readonly expires_at?: string;
  readonly disabled?: boolean;
};

export type KeysFile = {
  readonly tiers: Readonly<Record<string, Tier>>;
  readonly keys: readonly KeyRecord[];
};

type KeyState = 'active' | 'disabled' | 'expired';

const DAY_SECONDS = 86_400;

/** Endpoints about the process, not its data: for those who run it. */
const OPERATOR_ENDPOINTS: ReadonlySet<string> = new Set(['operations', 'operate']);

/** The tiers of a new keys file. `endpoints` are all those that a tier can list. */
export function shippedTiers(
  endpoints: readonly string[],
): Readonly<Record<'standard' | 'extended' | 'partner' | 'operator', Tier>> {
  return {
    standard: { endpoints: ['product', 'exists'], rate: { limit: 5000, window_seconds: DAY_SECONDS } },
    extended: {
      endpoints: ['product', 'exists', 'latest', 'batch', 'vulnerability'],
      rate: { limit: 5000, window_seconds: DAY_SECONDS },
    },
    partner: { endpoints: endpoints.filter((each) => !OPERATOR_ENDPOINTS.has(each)), rate: null },
    operator: { endpoints, rate: null },
  };
}

export function emptyKeysFile(endpoints: readonly string[]): KeysFile {
  return { tiers: shippedTiers(endpoints), keys: [] };
}

/**
 * The checked file, with hashes in lower case. Throws KeysFileError with every problem; `fileName` is for its
 * message, `endpoints` are all those that a tier can list.
 */
export function parseKeysFile(text: string, fileName: string, endpoints: readonly string[]): KeysFile {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    throw new KeysFileError(fileName, [`is not JSON: ${syntaxProblem(error as SyntaxError)}`]);
  }
  const problems = keysFileProblems(value, endpoints);
  if (problems.length > 0) throw new KeysFileError(fileName, problems);
  const file = value as KeysFile; // keysFileProblems has checked every field of the type
  return { ...file, keys: file.keys.map((key) => ({ ...key, sha256: key.sha256.toLowerCase() })) };
}

/** The keys file, or undefined if there is none at the path. Throws KeysFileError. */
export async function findKeysFile(
  path: string,
  endpoints: readonly string[],
): Promise<KeysFile | undefined> {
  const found = await findKeysFileBytes(path);
  return found === undefined ? undefined : parseKeysFile(decodeKeysFile(found.bytes), path, endpoints);
}

/** The text of a file's bytes. */
export function decodeKeysFile({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** Throws KeysFileError when the file is missing, unreadable or bad. */
export async function readKeysFile(path: string, endpoints: readonly string[]): Promise<KeysFile> {
  const file = await findKeysFile(path, endpoints);
  if (file === undefined) throw new KeysFileError(path, ['does not exist']);
  return file;
}

/**
 * Replaces the file by a rename, so a reader sees either the old or the new one. Keeps the mode and owner of
 * an existing file (a service that runs as another user must still be able to read it), and keeps a symbolic
 * link.
 */
export async function writeKeysFile(
  path: string,
  file: KeysFile,
  endpoints: readonly string[],
): Promise<void> {
  const text = `${JSON.stringify(file, null, 2)}\n`;
  parseKeysFile(text, path, endpoints); // never writes what a server would refuse
  const target = await realpath(path).catch(() => path);
  const old = await stat(target).catch(() => undefined);
  const temporary = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(text);
      if (old !== undefined) {
        const own = await handle.stat();
        // Only root may change the owner; otherwise the file belongs to the user who ran the command.
        if (own.uid !== old.uid || own.gid !== old.gid) await handle.chown(old.uid, old.gid).catch(() => {});
        await handle.chmod(old.mode & 0o777);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(target));
}

/** The form in which a key is stored and looked up. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** A new key: `vdx_` and 32 characters that need no escaping in a header, a URL or a shell. */
export function makeKey(): string {
  return `vdx_${randomBytes(24).toString('base64url')}`;
}

export function keyState(key: KeyRecord, nowMs: number): KeyState {
  if (key.disabled === true) return 'disabled';
  return expiresAtMs(key) <= nowMs ? 'expired' : 'active';
}

/** The first millisecond at which the key no longer works; Infinity for a key that does not expire. */
export function expiresAtMs(key: KeyRecord): number {
  if (key.expires_at === undefined) return Number.POSITIVE_INFINITY;
  // A record that bypassed the parser fails closed: an unreadable expiry counts as past.
  return parseInstant(key.expires_at) ?? Number.NEGATIVE_INFINITY;
}

// Without this a power cut may undo the rename. Some file systems cannot sync a folder; that is harmless.
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

// V8 quotes the text around the error, which may be a key that somebody pasted; this cuts the quote off.
function syntaxProblem(error: SyntaxError): string {
  return error.message.replace(/, (?:"|\.\.\.).*$/s, '').replace(/\s+/g, ' ');
}
