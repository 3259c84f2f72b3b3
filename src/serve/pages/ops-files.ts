// The console's files on the operations port, from the same table as on the service port.

import { isCurrent } from '../../http/replies/etag.ts';
import { headersOf, variantFor } from '../../http/replies/static-files.ts';
import type { OpenPages } from './open-pages.ts';

const FOLDER = '/console';

export type OpsFile =
  | {
      readonly kind: 'reply';
      readonly status: 200 | 304 | 307;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly kind: 'absent'; readonly detail: string };

interface SentHeaders {
  readonly 'accept-encoding'?: string | string[] | undefined;
  readonly 'if-none-match'?: string | string[] | undefined;
}

const NOTHING = new Uint8Array(0);

/** The answer to GET and HEAD of a path of the console, or undefined for any other path. */
export function findOpsFile(
  { operations, service }: OpenPages,
  path: string,
  sent: SentHeaders,
): OpsFile | undefined {
  if (path !== FOLDER && !path.startsWith(`${FOLDER}/`)) return undefined;
  const { absence } = service;
  if (absence !== undefined) return { kind: 'absent', detail: absence };
  if (path === FOLDER) {
    // Relative, as on the service port.
    const headers = { Location: `${FOLDER.slice(1)}/`, 'Cache-Control': 'no-cache' };
    return { kind: 'reply', status: 307, headers, body: NOTHING };
  }
  const file = operations.get(path.slice(FOLDER.length));
  if (file === undefined) return undefined;
  const variant = variantFor(file, String(sent['accept-encoding'] ?? ''));
  const isFresh = isCurrent(String(sent['if-none-match'] ?? ''), variant.etag);
  const headers = Object.fromEntries(headersOf(file, variant, isFresh));
  if (isFresh) return { kind: 'reply', status: 304, headers, body: NOTHING };
  return { kind: 'reply', status: 200, headers, body: variant.bytes };
}
