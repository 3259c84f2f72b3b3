// The errors of this dialect. npm reads `error` and shows it as it is; the other clients print the whole
// body. So `error` is the sentence for the person, and `code` is for programs.

import { type ProblemKind, type RenderError, renderProblemDetails } from '../../http/replies/problems.ts';
import { type Answer, refuse } from '../../http/replies/responses.ts';
import { renderErrorObject } from '../error-object.ts';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
const OWN_PROBLEMS = {
  invalid_body: { status: 400, title: 'Request body is not an audit' },
  too_many_packages: { status: 413, title: 'Too many packages' },
  answer_too_large: { status: 413, title: 'Answer too large' },
} as const satisfies Record<string, ProblemKind>;

export const NO_REGISTRY =
  'This server answers audits only, and no registry is configured for other requests: set the registry of the audit ' +
  'alone to this server, or start it with --npm-upstream.';

export function problem(code: keyof typeof OWN_PROBLEMS, detail: string): Answer {
  return refuse({ code, ...OWN_PROBLEMS[code], detail });
}

/**
 * Only a path that this dialect does not have is told in the server's own format, with npm's member added.
 */
export const renderError: RenderError = (problem, requestId) =>
  problem.code === 'not_found'
    ? renderProblemDetails({ ...problem, detail: NO_REGISTRY, members: { error: NO_REGISTRY } }, requestId)
    : renderErrorObject(problem, requestId);
