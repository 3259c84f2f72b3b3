// A reporter of node:test that passes the results of a lane to the runner.

import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import type { Ended, LaneReport } from './messages.ts';

type TestEnd = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

function endOf(event: TestEnd): Ended {
  const { type, data } = event;
  const { name, nesting, details, skip } = data;
  const isSkipped = skip !== undefined && skip !== false;
  const reason = typeof skip === 'string' ? skip : '';
  return {
    kind: 'ended',
    name,
    nesting,
    isSuite: details.type === 'suite',
    outcome: isSkipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed',
    durationMs: details.duration_ms,
    why: isSkipped ? reason : type === 'test:fail' ? textOf(event.data.details.error) : '',
  };
}

/** node:test wraps what a test has thrown. */
function textOf(error: Error & { readonly failureType?: string }): string {
  if (error.failureType === 'subtestsFailed') return '';
  return inspect(error.cause instanceof Error ? error.cause : error, { depth: 8 });
}

// biome-ignore lint/style/noDefaultExport: Node takes the default export of a reporter's module
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  // A runner that is gone is noticed by `disconnect`; without a callback, a message on its way then would end
  // this process first.
  const send = (message: LaneReport): unknown => process.connected && process.send?.(message, () => {});
  for await (const event of source) {
    if (event.type === 'test:pass' || event.type === 'test:fail') send(endOf(event));
    if (event.type === 'test:dequeue') send({ kind: 'started', name: event.data.name });
    if (event.type === 'test:diagnostic') send({ kind: 'diagnostic', text: event.data.message });
  }
  yield '';
}
