// Answers that need no key, for the open routes of a dialect: health, readiness, and the OpenAPI document.

import type { OpenAnswer, ServiceView } from '../dialect.ts';
import { renderReady, unready } from '../readiness.ts';

export function answerHealth(): OpenAnswer {
  return json('{"status":"ok"}');
}

export function answerReadiness(service: ServiceView): OpenAnswer {
  const readiness = service.readiness();
  return readiness.kind === 'unready' ? unready(readiness) : json(renderReady(readiness));
}

export function answerDocument(service: ServiceView): OpenAnswer {
  return { kind: 'static', file: service.document() };
}

function json(body: string): OpenAnswer {
  return { kind: 'text', contentType: 'application/json', body };
}
