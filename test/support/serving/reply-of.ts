// The reply to a request without a transport: its body is there at once, and its work is done without a
// pause.

import type { Handled } from '../../../src/http/handled.ts';
import type { Reply } from '../../../src/http/replies/responses.ts';
import { finish } from '../../../src/http/work/steps.ts';

export function replyOf(handled: Handled, body: Uint8Array): Reply {
  if (!('kind' in handled)) return handled;
  return finish((handled.kind === 'work' ? handled : handled.work(body)).steps());
}
