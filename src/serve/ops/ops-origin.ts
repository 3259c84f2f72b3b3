// Whether a request to the operations listener may be answered. It asks for no key, so a page that an operator has open in a
// browser must be able to neither read from it, under a name that its owner made to point here (DNS rebinding), nor send it an
// order from another site.

import { isIP } from 'node:net';
import {
  CONSOLE_HEADER,
  foreignOrigin,
  isFromConsole,
  isJson,
  originProblem,
} from '../../http/order-origin.ts';
import type { Problem } from '../../http/replies/problems.ts';
import type { OpsRequest } from './ops-reply.ts';

/**
 * Why a request is not answered because of its Host; undefined if it may be. `opsHost` is the address that the operator chose.
 * A browser sends the name in the page's address, which for a rebound page is its owner's: never an address, `localhost`, or a
 * name of ours.
 */
export function hostProblem(request: Pick<OpsRequest, 'header'>, opsHost: string): Problem | undefined {
  if (isOwnName(nameOf(request.header('host').toLowerCase()), opsHost)) return undefined;
  const detail = 'The Host header must be an IP address, localhost, or the name given as --ops-host.';
  return originProblem('foreign_host', detail);
}

/** Why an order is not followed; undefined if it may be. Requires: its Host is ours. */
export function opsOrderProblem(request: Pick<OpsRequest, 'header'>): Problem | undefined {
  if (!isJson(request))
    return originProblem('wrong_content_type', 'Send an order with Content-Type: application/json.');
  if (!isFromConsole(request))
    return originProblem('console_header_missing', `Send an order with the header ${CONSOLE_HEADER}: 1.`);
  return foreignOrigin(request);
}

/** Without the port, and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host);
  return match?.[1] ?? match?.[2] ?? '';
}

function isOwnName(name: string, opsHost: string): boolean {
  return name !== '' && (isIP(name) !== 0 || name === 'localhost' || name === opsHost.toLowerCase());
}
