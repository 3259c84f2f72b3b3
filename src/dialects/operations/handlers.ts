// The answers: what the process does now, its figures over the last hour, and the receipt of an order.

import {
  type OperationsView,
  type OrderKind,
  refuseOrder,
  refuseParameter,
  renderOrdered,
} from '../../http/operations-view.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import { readParameters } from '../../http/routing/query.ts';
import { type Steps, settled } from '../../http/work/steps.ts';
import { readOrder } from './order.ts';

const MAX_SINCE = 99_999_999_999; // the year 5138

const NOT_YET = refuseOrder({
  code: 'preparing',
  detail:
    'The first figures are being collected, or the supervisor of this process does not answer; try again soon.',
});

export function* handleOrder(
  kind: OrderKind,
  body: Uint8Array,
  operations: Pick<OperationsView, 'order'> | undefined,
): Steps<Answer> {
  const read = yield* readOrder(kind, body);
  if (read.kind === 'problem') return read;
  if (operations === undefined) return NOT_YET;
  const refusal = yield* settled(operations.order(read.order));
  return refusal === undefined ? { kind: 'accepted', body: renderOrdered(read.order) } : refuseOrder(refusal);
}

export function* answerNow(operations: Pick<OperationsView, 'now'> | undefined): Steps<Answer> {
  if (operations === undefined) return NOT_YET;
  const document = yield* settled(operations.now());
  return document === undefined ? NOT_YET : json(document, null);
}

/** Without `since`, all of it. */
export function* answerHistory(
  query: string,
  operations: Pick<OperationsView, 'history'> | undefined,
): Steps<Answer> {
  const errors: ParameterError[] = [];
  const [text] = readParameters(query, ['since'], errors);
  if (errors.length > 0) return refuseParameter(errors[0]);
  if (text !== undefined && !(/^\d{1,11}$/.test(text) && Number(text) <= MAX_SINCE)) {
    const message = 'must be a time in whole seconds since 1970, such as 1767225600';
    return refuseParameter({ parameter: 'since', message });
  }
  if (operations === undefined) return NOT_YET;
  const document = yield* settled(operations.history(text === undefined ? 0 : Number(text)));
  return document === undefined ? NOT_YET : json(document, null);
}
