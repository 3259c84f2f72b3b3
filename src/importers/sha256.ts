// SHA-256 of small inputs, of which an import has millions.

import * as crypto from 'node:crypto';

/** In hex. The one-shot form takes half the time, but Node has it only from 20.12 on. */
export function sha256(data: string | Uint8Array): string {
  return crypto.hash === undefined
    ? crypto.createHash('sha256').update(data).digest('hex')
    : crypto.hash('sha256', data, 'hex'); // as bytes it would take twice as long
}
