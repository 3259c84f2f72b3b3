// From where a request may come. Neither port may take an order from a page of another site that an operator
// has open: the operations port asks for no key, and on the service port a browser may send Basic
// credentials by itself. Nor may such a page read from the operations port, under a name that its owner made
// to point there (DNS rebinding).

import { isIP } from 'node:net';
import type { Problem, ProblemKind } from './replies/problems.ts';
import type { RequestView } from './transport/request-view.ts';

/**
 * A browser sends it to another site only after that site allowed it, which a server that is
 * not asked for CORS never does.
 */
const CONSOLE_HEADER = 'X-Vulndex-Console';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
export const ORIGIN_PROBLEMS = {
  wrong_content_type: { status: 415, title: 'Content type not supported' },
  console_header_missing: { status: 403, title: 'Header missing' },
  foreign_host: { status: 403, title: 'Host is not this listener' },
  foreign_origin: { status: 403, title: 'Sent by a page of another site' },
} as const satisfies Record<string, ProblemKind>;

type Headers = Pick<RequestView, 'header'>;

function originProblem(code: keyof typeof ORIGIN_PROBLEMS, detail: string): Problem {
  return { code, ...ORIGIN_PROBLEMS[code], detail };
}

/** Whether it has the content type that a page cannot send to another site without asking. */
function isJson(request: Headers): boolean {
  const [mediaType] = request.header('content-type').split(';', 1);
  return mediaType.trim().toLowerCase() === 'application/json';
}

function isFromConsole(request: Headers): boolean {
  return request.header(CONSOLE_HEADER.toLowerCase()) === '1';
}

/** Why its Origin is refused; undefined if there is none, or it is that of this port by the name in Host. */
function foreignOrigin(request: Headers): Problem | undefined {
  const host = request.header('host').toLowerCase();
  const origin = request.header('origin').toLowerCase();
  if (origin === '' || origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return originProblem('foreign_origin', 'The Origin header must name the same host and port as Host.');
}

/**
 * Why an order on the service port is not followed; undefined if it may be. `mayRead` says
 * which other origins have CORS.
 */
export function orderProblem(request: Headers, mayRead: (origin: string) => boolean): Problem | undefined {
  if (!isJson(request) && !isFromConsole(request)) {
    const detail = `Send an order with Content-Type: application/json, or with the header ${CONSOLE_HEADER}: 1.`;
    return originProblem('wrong_content_type', detail);
  }
  return mayRead(request.header('origin')) ? undefined : foreignOrigin(request);
}

/**
 * Why an order on the operations port is not followed; undefined if it may be. Requires: its Host is ours.
 */
export function opsOrderProblem(request: Headers): Problem | undefined {
  if (!isJson(request))
    return originProblem('wrong_content_type', 'Send an order with Content-Type: application/json.');
  if (!isFromConsole(request))
    return originProblem('console_header_missing', `Send an order with the header ${CONSOLE_HEADER}: 1.`);
  return foreignOrigin(request);
}

/**
 * Why a request to the operations port is not answered because of its Host; undefined if it may be. `opsHost`
 * is the address that the operator chose. A browser sends the name in the page's address, which for a rebound
 * page is its owner's: never an address, `localhost`, or a name of ours.
 */
export function hostProblem(request: Headers, opsHost: string): Problem | undefined {
  if (isOwnName(nameOf(request.header('host').toLowerCase()), opsHost)) return undefined;
  const detail = 'The Host header must be an IP address, localhost, or the name given as --ops-host.';
  return originProblem('foreign_host', detail);
}

/** Without the port, and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host);
  return match?.[1] ?? match?.[2] ?? '';
}

function isOwnName(name: string, opsHost: string): boolean {
  return name !== '' && (isIP(name) !== 0 || name === 'localhost' || name === opsHost.toLowerCase());
}
