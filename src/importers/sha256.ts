// SHA-256 of small inputs, of which an import has millions.

import { hash } from 'node:crypto';

/** In hex: as bytes it would take twice as long. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
