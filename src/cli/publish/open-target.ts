// The place that `--to` names: a bucket or a folder.

import { FolderTarget } from '../../fleet/objects/folder-target.ts';
import type { ObjectTarget } from '../../fleet/objects/objects.ts';
import { openS3 } from '../../fleet/objects/s3.ts';
import { UsageError } from '../command-error.ts';

export interface TargetOptions {
  readonly to: string;
  readonly ca?: string;
  readonly plainHttp: boolean;
}

/** Throws UsageError, ObjectError, SourceError. */
export function openTarget({ to, ca: caFile, plainHttp: mayBeHttp }: TargetOptions): ObjectTarget {
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
