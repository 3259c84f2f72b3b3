// What an error of the page's API client means for asking on.

import type { Failure } from './ask.ts';

/** As app/api.ts has it. */
export interface RequestError {
  readonly kind: 'unreachable' | 'key' | 'forbidden' | 'later' | 'refused';
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds: number;
}

export function failureOf({ kind, code, message, retryAfterSeconds }: RequestError): Failure {
  switch (kind) {
    case 'key':
    case 'forbidden':
      return { kind: 'stop', why: message };
    case 'later':
      return { kind: 'later', seconds: retryAfterSeconds, why: message };
    case 'unreachable':
      return { kind: 'later', seconds: undefined, why: message };
    case 'refused':
      return { kind: 'refused', code, why: message };
  }
}
