// Answers that need no key, for the open routes of a dialect: health, readiness, and the OpenAPI document.

import type { OpenAnswer, ServiceView } from './dialect.ts';
import { renderReady, unready } from './readiness.ts';

export function answerHealth(): OpenAnswer {
  return { kind: 'text', body: '{"status":"ok"}' };
}

export function answerReadiness(service: ServiceView): OpenAnswer {
  const readiness = service.readiness();
  return readiness.kind === 'unready' ? unready(readiness) : { kind: 'text', body: renderReady(readiness) };
}

export function answerDocument(service: ServiceView): OpenAnswer {
  return { kind: 'text', body: service.document() };
}
