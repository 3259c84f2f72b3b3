// Whether a request to the operations listener may be answered. It asks for no key, so a page that an operator has open in a
// browser must be able to neither read from it, under a name that its owner made to point here (DNS rebinding), nor send it an
// order from another site.

import { isIP } from 'node:net';
import type { Problem } from '../../http/replies/problems.ts';
import type { OpsRequest } from './ops-reply.ts';

/** A browser sends it to another site only after that site allowed it, which this one never does. */
export const CONSOLE_HEADER = 'X-Vulndex-Console';

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
export const ORIGIN_PROBLEMS = {
  wrong_content_type: { status: 415, title: 'Content type not supported' },
  console_header_missing: { status: 403, title: 'Header missing' },
  foreign_host: { status: 403, title: 'Host is not this listener' },
  foreign_origin: { status: 403, title: 'Sent by a page of another site' },
} as const;

/**
 * Why a request is not answered because of its Host; undefined if it may be. `opsHost` is the address that the operator chose.
 * A browser sends the name in the page's address, which for a rebound page is its owner's: never an address, `localhost`, or a
 * name of ours.
 */
export function hostProblem(request: Pick<OpsRequest, 'header'>, opsHost: string): Problem | undefined {
  if (isOwnName(nameOf(request.header('host').toLowerCase()), opsHost)) return undefined;
  const detail = 'The Host header must be an IP address, localhost, or the name given as --ops-host.';
  return problem('foreign_host', detail);
}

/** Why an order is not followed; undefined if it may be. Requires: its Host is ours. */
export function originProblem(request: Pick<OpsRequest, 'header'>): Problem | undefined {
  const [mediaType] = request.header('content-type').split(';', 1);
  if (mediaType.trim().toLowerCase() !== 'application/json')
    return problem('wrong_content_type', 'Send an order with Content-Type: application/json.');
  if (request.header(CONSOLE_HEADER.toLowerCase()) !== '1')
    return problem('console_header_missing', `Send an order with the header ${CONSOLE_HEADER}: 1.`);
  const host = request.header('host').toLowerCase();
  const origin = request.header('origin').toLowerCase();
  if (origin !== '' && origin !== `http://${host}` && origin !== `https://${host}`)
    return problem('foreign_origin', 'The Origin header must name the same host and port as Host.');
  return undefined;
}

function problem(code: keyof typeof ORIGIN_PROBLEMS, detail: string): Problem {
  return { code, ...ORIGIN_PROBLEMS[code], detail };
}

/** Without the port, and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host);
  return match?.[1] ?? match?.[2] ?? '';
}

function isOwnName(name: string, opsHost: string): boolean {
  return name !== '' && (isIP(name) !== 0 || name === 'localhost' || name === opsHost.toLowerCase());
}
