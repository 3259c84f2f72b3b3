// The options of `serve` about the source of its snapshots: where it is, how often it is asked, and whose
// signature counts.

import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from './command-error.ts';
import { setting, text, trueOrFalse, wholeNumber } from './options.ts';

export interface FollowOptions {
  /** Undefined: snapshots come into the folder from elsewhere. */
  readonly source: string | undefined;
  readonly sourceInterval: number;
  /** Public keys, or paths of their files. */
  readonly sourceKey: readonly string[];
  readonly sourcePlainHttp: boolean;
  readonly sourceCa: string | undefined;
}

/** One that signs, and one that is to follow or to go. */
const MOST_KEYS = 2;

export function addFollowOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--source <location>',
        'fetch snapshots from https://HOST/…/latest.json, s3://BUCKET/PREFIX, oci://REGISTRY/REPOSITORY:TAG or a folder',
        { parse: text('where a manifest is published; leave the option out to serve the folder alone') },
      ),
    )
    .addOption(
      setting('--source-interval <seconds>', 'time between two looks at the source', {
        parse: wholeNumber({ min: 1, max: 86_400 }),
        default: 60,
      }),
    )
    .addOption(
      setting(
        '--source-key <key...>',
        'public key of minisign, or its file, that must have signed the manifest; a second one for a change of keys',
        { parse: keys, default: [], shown: 'none: no signature is asked for' },
      ),
    )
    .addOption(
      setting('--source-plain-http [switch]', 'ask a source on another machine without encryption', {
        parse: trueOrFalse,
        preset: 'true',
        default: false,
      }),
    )
    .addOption(
      setting('--source-ca <file>', 'certificates in PEM to trust for the source, besides the usual ones', {
        parse: text('a file'),
      }),
    );
}

/** Throws UsageError for what says nothing without a source. */
export function checkFollowOptions({ source, sourceKey, sourceCa }: FollowOptions): void {
  if (source !== undefined) return;
  for (const [option, isSet] of [
    ['--source-key', sourceKey.length > 0],
    ['--source-ca', sourceCa !== undefined],
  ] as const) {
    if (isSet) throw new UsageError(`${option} has no effect without --source: set both`);
  }
}

/**
 * The source that is asked for, for the process that serves; undefined if there is none. Makes the folder of
 * the snapshots. Throws UsageError for a location or key that cannot be one.
 */
export async function followedSource({
  source: location,
  sourceInterval,
  sourceKey,
  sourcePlainHttp: mayBeHttp,
  sourceCa: caFile,
  snapshots: folder,
  maxSnapshotBytes,
}: FollowOptions & { readonly snapshots: string; readonly maxSnapshotBytes: number }) {
  if (location === undefined) return undefined;
  if (resolve(location) === resolve(folder)) {
    throw new UsageError(
      `--source and --snapshots are both ${folder}: a source is another folder, with a manifest`,
    );
  }
  // Not before it is needed: a client of HTTP takes long to import.
  const { keyText, openSource } = await import('../fleet/open-source.ts');
  const plan = { location, mayBeHttp, caFile };
  try {
    const opened = openSource(plan);
    await opened.close();
    mkdirSync(folder, { recursive: true }); // it may be the first start here
    const data = { ...plan, folder, keys: sourceKey.map(keyText), intervalMs: sourceInterval * 1000 };
    return { shownAs: opened.shownAs, data: { ...data, maxSnapshotBytes } };
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Adds the comma-separated keys of one value to those before. */
function keys(value: string, before: readonly string[] = []): readonly string[] {
  const parts = value.split(',').map((part) => part.trim());
  const all = [...before, ...parts];
  if (parts.every((part) => part !== '') && all.length <= MOST_KEYS) return all;
  throw new InvalidArgumentError(`Got ${JSON.stringify(value)}, expected one or two public keys or files.`);
}
