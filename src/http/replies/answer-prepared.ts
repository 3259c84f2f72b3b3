// Makes the prepared files of all dialects, and answers with one of them.

import type { Generation } from '../../index/generation.ts';
import { RETRY_SOON } from '../readiness.ts';
import type { Dialect } from '../routing/dialect.ts';
import type { RequestView } from '../transport/request-view.ts';
import { chooseCoding } from './accept-encoding.ts';
import { isCurrent } from './etag.ts';
import { type PreparedFile, type PreparedFiles, sentOf } from './prepared-files.ts';
import { serviceProblem } from './problems.ts';
import { type Answer, refuse } from './responses.ts';

/** Makes the files of all dialects. Takes a time that grows with the data. */
export function prepareFiles(dialects: readonly Dialect[], generation: Generation): PreparedFiles {
  return new Map(dialects.flatMap(({ prepare }) => [...(prepare?.(generation) ?? [])]));
}

/** The coding gzip first: where a client likes both equally, the smaller one is sent. */
const OFFERED = ['gzip', 'identity'] as const;

/** The file, or 304 if the client has it. */
export function answerPrepared(request: Pick<RequestView, 'header'>, file: PreparedFile): Answer {
  const acceptsGzip = chooseCoding(request.header('accept-encoding'), OFFERED) === 'gzip';
  const { etag } = sentOf(file, acceptsGzip);
  return {
    kind: 'prepared',
    file,
    isCurrent: isCurrent(request.header('if-none-match'), etag),
    acceptsGzip,
  };
}

/** For a file that will exist, while `context.prepared` is undefined. */
export function notYetPrepared(): Answer {
  const problem = serviceProblem('preparing', 'This file is still being prepared; try again soon.');
  return refuse(problem, [RETRY_SOON]);
}
