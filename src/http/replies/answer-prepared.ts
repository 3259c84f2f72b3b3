// Makes the prepared files of all dialects, and answers with one of them.

import type { Generation } from '../../index/generation.ts';
import type { Dialect } from '../dialect.ts';
import type { RequestView } from '../request-view.ts';
import { isCurrent } from './etag.ts';
import type { PreparedFile, PreparedFiles } from './prepared-files.ts';
import { serviceProblem } from './problems.ts';
import { type Answer, refuse } from './responses.ts';

/** Makes the files of all dialects. Takes a time that grows with the data. */
export function prepareFiles(dialects: readonly Dialect[], generation: Generation): PreparedFiles {
  return new Map(dialects.flatMap(({ prepare }) => [...(prepare?.(generation) ?? [])]));
}

/** How long a client waits before it asks again for files that are not ready. */
const RETRY_SECONDS = 5;

/** The file, or 304 if the client has it. */
export function answerPrepared(request: Pick<RequestView, 'header'>, file: PreparedFile): Answer {
  return {
    kind: 'prepared',
    file,
    isCurrent: isCurrent(request.header('if-none-match'), file.etag),
    acceptsGzip: acceptsGzip(request.header('accept-encoding')),
  };
}

/** For a file that will exist, while `context.prepared` is undefined. */
export function notYetPrepared(): Answer {
  const problem = serviceProblem('preparing', 'This file is being made from the data; ask again soon.');
  return refuse(problem, [['Retry-After', String(RETRY_SECONDS)]]);
}

/** Whether Accept-Encoding names gzip, or any coding, without refusing it (RFC 9110 12.5.3). */
function acceptsGzip(acceptEncoding: string): boolean {
  let any = false;
  for (const each of acceptEncoding.toLowerCase().split(',')) {
    const [coding, ...parameters] = each.split(';').map((part) => part.trim());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return !isRefused;
    if (coding === '*') any = !isRefused;
  }
  return any;
}
