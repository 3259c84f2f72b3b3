// The place that `--to` names: a bucket, a web server or a folder.

import { isValidUrl } from '../../download/valid-url.ts';
import { FolderTarget } from '../../fleet/objects/folder-target.ts';
import { HttpsTarget } from '../../fleet/objects/https-target.ts';
import type { ObjectTarget } from '../../fleet/objects/objects.ts';
import { openS3 } from '../../fleet/objects/s3.ts';
import { UsageError } from '../command-error.ts';
import { readKeyFile } from '../key-file.ts';

export interface TargetOptions {
  readonly to: string;
  readonly authorizationFile?: string;
  readonly ca?: string;
  readonly plainHttp: boolean;
}

/** Throws UsageError, ObjectError, SourceError. */
export function openTarget({
  to,
  authorizationFile,
  ca: caFile,
  plainHttp: mayBeHttp,
}: TargetOptions): ObjectTarget {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(to) ?? [];
  const isWeb = /^https?$/i.test(scheme ?? '');
  if (authorizationFile !== undefined && !isWeb) {
    throw new UsageError('--authorization-file: it is for an https:// URL in --to; leave it out');
  }
  if (scheme === undefined) {
    if (caFile !== undefined) throw new UsageError('--ca: --to is a folder; leave it out');
    return new FolderTarget(to);
  }
  if (/^s3$/i.test(scheme)) return openS3(to, { caFile, mayBeHttp });
  if (!isWeb || !isValidUrl(to)) {
    const expected = 'a folder, s3://BUCKET/PREFIX or https://HOST/PATH/';
    throw new UsageError(`--to ${scheme}://…: this cannot be published to; expected ${expected}`);
  }
  const authorization =
    authorizationFile === undefined ? undefined : readKeyFile(authorizationFile, '--authorization-file');
  return new HttpsTarget(new URL(to), { authorization, caFile, mayBeHttp });
}
