// Answers that need no key, for the open routes of a dialect: health, readiness, and the OpenAPI document.

import { namedSnapshot } from '../pinning.ts';
import { renderReady, unready } from '../readiness.ts';
import type { OpenAnswer, ServiceView } from '../routing/dialect.ts';
import type { Refusal } from './responses.ts';

export function answerHealth(): OpenAnswer {
  return json('{"status":"ok"}');
}

export function answerReadiness(service: ServiceView): OpenAnswer {
  const readiness = service.readiness();
  if (readiness.kind === 'unready') return unready(readiness);
  return (service.query === '' ? undefined : otherSnapshot(service)) ?? json(renderReady(readiness));
}

/** The refusal if the query names a snapshot that is not live: a roll-out waits until it is. */
function otherSnapshot({ query, liveId }: ServiceView): Refusal | undefined {
  const id = namedSnapshot(query);
  if (typeof id === 'object') return id;
  const live = liveId();
  if (id === undefined || id === live) return undefined;
  return unready({
    kind: 'unready',
    code: 'other_snapshot',
    detail: `Snapshot ${live} is live here, not ${id}.`,
  });
}

export function answerDocument(service: ServiceView): OpenAnswer {
  return { kind: 'static', file: service.document() };
}

function json(body: string): OpenAnswer {
  return { kind: 'text', contentType: 'application/json', body };
}
