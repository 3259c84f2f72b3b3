// The console's files on the operations port, from the same table as on the service port.

import { isCurrent } from '../../http/replies/etag.ts';
import { serviceProblem } from '../../http/replies/problems.ts';
import type { ReplyHeader } from '../../http/replies/reply-headers.ts';
import { headersOf, type StaticFile, variantFor } from '../../http/replies/static-files.ts';
import type { OpsPath } from '../ops/ops-paths.ts';
import { type OpsReply, type OpsRequest, refused } from '../ops/ops-reply.ts';
import type { OpenPages } from './open-pages.ts';

const FOLDER = '/console';
/** Relative, as on the service port. */
const TO_FOLDER: readonly ReplyHeader[] = [
  ['Location', 'console/'],
  ['Cache-Control', 'no-cache'],
];

/** What answers a path of the console; undefined for any other path, and if the console is off. */
export function opsFile(pages: OpenPages | undefined, path: string): OpsPath | undefined {
  if (pages === undefined || (path !== FOLDER && !path.startsWith(`${FOLDER}/`))) return undefined;
  const { absence } = pages.service;
  if (absence !== undefined) return reading(() => refused(serviceProblem('not_found', absence)));
  if (path === FOLDER) return reading(() => replyWith(307, TO_FOLDER));
  const file = pages.operations.get(path.slice(FOLDER.length));
  return file === undefined ? undefined : reading((request) => replyTo(request, file));
}

function reading(answer: OpsPath['answer']): OpsPath {
  return { methods: 'GET, HEAD', answer };
}

function replyTo(request: OpsRequest, file: StaticFile): OpsReply {
  const variant = variantFor(file, request.header('accept-encoding'));
  const isFresh = isCurrent(request.header('if-none-match'), variant.etag);
  const headers = headersOf(file, variant, isFresh);
  return isFresh ? replyWith(304, headers) : replyWith(200, headers, variant.bytes);
}

function replyWith(
  status: number,
  headers: readonly ReplyHeader[],
  body: string | Uint8Array = '',
): OpsReply {
  return { status, headers: Object.fromEntries(headers), body };
}
