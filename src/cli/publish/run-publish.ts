// `publish`, from its options to a publication.

import { basename } from 'node:path';
import { SourceError } from '../../download/source-error.ts';
import { FolderTarget } from '../../fleet/objects/folder-target.ts';
import { ObjectError, type ObjectTarget } from '../../fleet/objects/objects.ts';
import { openS3 } from '../../fleet/objects/s3.ts';
import {
  type Publication,
  PublishError,
  type PublishedFile,
  type PublishPlan,
} from '../../fleet/publication.ts';
import { publish } from '../../fleet/publish.ts';
import { CommandError, EXIT_BUSY, UsageError } from '../command-error.ts';
import { type Progress, showProgress } from '../progress.ts';
import { snapshotNamed } from '../snapshots-in.ts';
import type { Verbosity } from '../verbosity.ts';
import type { ObjectOption } from './object-option.ts';
import { readObjects, readSigningKey, readSnapshotFile } from './read-inputs.ts';

export type PublishOptions = Verbosity &
  TargetOptions & {
    readonly key?: string;
    readonly keyPasswordFile?: string;
    readonly expires: number;
    readonly activateAt?: number;
    readonly activateIn?: number;
    readonly minServerVersion: string;
    readonly revokeBelow?: number;
    readonly object: readonly ObjectOption[];
    readonly keep?: number;
    readonly grace: number;
    readonly dryRun: boolean;
    readonly json: boolean;
  };

class OvertakenError extends CommandError {
  override readonly exitStatus = EXIT_BUSY;
}

/** Throws CommandError. */
export async function runPublish(
  name: string,
  options: PublishOptions,
  report: (line: string) => void,
): Promise<Publication> {
  const { key, keyPasswordFile, object, keep } = options;
  if (keyPasswordFile !== undefined && key === undefined) {
    throw new UsageError('--key-password-file: there is no --key; name it, or leave this out');
  }
  if (name === '-') throw new UsageError('-: a snapshot is published from a file, since it is read twice');
  try {
    const target = openTarget(options);
    try {
      const secretKey = key === undefined ? undefined : await readSigningKey(key, keyPasswordFile);
      const objects = await readObjects(object);
      const snapshot = await readSnapshotFile(snapshotNamed(name, report));
      return await publish(
        target,
        {
          ...{ snapshot, objects, keep },
          activate: activationOf(options),
          key: secretKey,
          expiresMs: options.expires,
          minServerVersion: options.minServerVersion,
          revokeBelow: options.revokeBelow,
          graceMs: options.grace,
          isDryRun: options.dryRun,
        },
        { nowMs: Date.now, report, onUpload: showUpload, signal: new AbortController().signal },
      );
    } finally {
      await target.close();
    }
  } catch (error) {
    if (error instanceof PublishError && error.code === 'overtaken') throw new OvertakenError(error.message);
    const isUserError =
      error instanceof PublishError || error instanceof ObjectError || error instanceof SourceError;
    throw isUserError ? new CommandError(error.message, { cause: error }) : error;
  }
}

function activationOf({ activateAt, activateIn }: PublishOptions): PublishPlan['activate'] {
  if (activateAt !== undefined) return { kind: 'at', atMs: activateAt };
  return activateIn === undefined ? { kind: 'now' } : { kind: 'in', ms: activateIn };
}

function showUpload({ path, bytes }: PublishedFile): Progress {
  return showProgress({ label: `uploading ${basename(path)}`, unit: 'bytes', total: bytes });
}

interface TargetOptions {
  readonly to: string;
  readonly ca?: string;
  readonly plainHttp: boolean;
}

/** Throws UsageError, ObjectError, SourceError. */
function openTarget({ to, ca: caFile, plainHttp: mayBeHttp }: TargetOptions): ObjectTarget {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(to) ?? [];
  if (scheme === undefined) {
    if (caFile !== undefined) throw new UsageError('--ca: --to is a folder; leave it out');
    return new FolderTarget(to);
  }
  if (/^s3$/i.test(scheme)) return openS3(to, { caFile, mayBeHttp });
  throw new UsageError(
    `--to ${scheme}://…: this cannot be published to; expected a folder or s3://BUCKET/PREFIX`,
  );
}
