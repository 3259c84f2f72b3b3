// From the text of `--source` to a store that can be read, and from that of `--source-key` to keys. Every
// mistake in them is found before the server starts.

import { readFileSync } from 'node:fs';
import { shownLocation } from '../download/http-error.ts';
import { isValidUrl } from '../download/valid-url.ts';
import { MANIFEST_NAME } from './manifest.ts';
import { MinisignError, parsePublicKey } from './minisign.ts';
import { FolderSource } from './objects/folder.ts';
import { HttpsSource } from './objects/https.ts';
import { ObjectError, type ObjectSource } from './objects/objects.ts';
import { openOci } from './objects/oci.ts';
import { requireEncrypted } from './objects/plain-http.ts';
import { openS3 } from './objects/s3.ts';

export interface SourcePlan {
  /** `https://…/latest.json`, `s3://bucket/prefix`, `oci://registry/repo:tag`, or a folder. */
  readonly location: string;
  /** Whether a store that is not this machine may be asked without encryption. */
  readonly mayBeHttp: boolean;
  /** Certificates in PEM to trust besides the usual ones. */
  readonly caFile: string | undefined;
}

const KINDS = 'https://HOST/…/latest.json, s3://BUCKET/PREFIX, oci://REGISTRY/REPOSITORY:TAG or a folder';

/** Throws ObjectError, SourceError. */
export function openSource({ location, mayBeHttp, caFile }: SourcePlan): ObjectSource {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(location) ?? [];
  const options = caFile === undefined ? {} : { caFile };
  switch (scheme?.toLowerCase()) {
    case undefined:
      return new FolderSource(location);
    case 'http':
    case 'https':
      return new HttpsSource(manifestUrl(location, mayBeHttp), options);
    case 's3':
      return openS3(location, { ...options, mayBeHttp });
    case 'oci':
      return openOci(location, { ...options, mayBeHttp });
    default:
      throw new ObjectError(`${shownLocation(location)}: this is not a source; expected ${KINDS}`, false);
  }
}

/** A URL that ends in a slash is that of the folder with the manifest. */
function manifestUrl(location: string, mayBeHttp: boolean): URL {
  if (!isValidUrl(location)) {
    throw new ObjectError(`${shownLocation(location)}: this is not a URL; expected ${KINDS}`, false);
  }
  const url = new URL(location);
  requireEncrypted(url, mayBeHttp, '--source');
  if (url.pathname.endsWith('/')) url.pathname += MANIFEST_NAME;
  return url;
}

/** The text of a key: given itself, or by the path of its file. Throws ObjectError. */
export function keyText(keyOrFile: string): string {
  if (isKey(keyOrFile)) return keyOrFile;
  let text: string;
  try {
    text = readFileSync(keyOrFile, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const expected = 'expected a public key of minisign, or the path of its file';
    throw new ObjectError(
      `--source-key ${keyOrFile}: it cannot be read (${code ?? message}); ${expected}`,
      false,
    );
  }
  try {
    parsePublicKey(text);
    return text;
  } catch (error) {
    throw new ObjectError(`--source-key ${keyOrFile}: ${(error as Error).message}`, false);
  }
}

function isKey(text: string): boolean {
  try {
    parsePublicKey(text);
    return true;
  } catch (error) {
    if (error instanceof MinisignError) return false;
    throw error;
  }
}
