// An order as sent: the body of a POST, for this dialect and for the operations listener.

import { isObject, readJson } from '../../http/bodies/json-body.ts';
import { type Order, type OrderKind, refuseParameter } from '../../http/operations-view.ts';
import type { Refusal } from '../../http/replies/responses.ts';
import { refuse } from '../../http/replies/responses.ts';
import type { Steps } from '../../http/work/steps.ts';
import { requestProblem } from '../request-problems.ts';

/** A file name has at most 255 bytes; escaped, six times as many. */
export const MAX_ORDER_BYTES = 2_048;
const MAX_FILE_CHARS = 255;
const NOTHING = { kind: 'json', value: {} } as const;

type ReadOrder = { readonly kind: 'order'; readonly order: Order } | Refusal;

/** Only a roll-back has a body that matters: the others are read like it, and their members are ignored. */
export function* readOrder(kind: OrderKind, body: Uint8Array): Steps<ReadOrder> {
  const read = body.length === 0 ? NOTHING : yield* readJson(body);
  if (read.kind !== 'json') {
    return refuse(requestProblem('invalid_body', 'The body must be a JSON object in UTF-8.'));
  }
  const { value } = read;
  if (!isObject(value)) return refuseParameter({ parameter: 'body', message: 'must be an object' });
  if (kind !== 'roll-back') return { kind: 'order', order: { kind } };
  const { file } = value;
  const message = fileComplaint(file);
  if (message !== undefined) return refuseParameter({ parameter: 'file', message });
  return { kind: 'order', order: { kind, file: file as string } }; // a string: it has no complaint
}

function fileComplaint(file: unknown): string | undefined {
  if (file === undefined) return 'is missing: name a file from `snapshots` of GET /operations';
  if (typeof file !== 'string' || file === '') return 'must be the name of a file, as a text';
  if (file.length > MAX_FILE_CHARS) return `must have at most ${MAX_FILE_CHARS} characters`;
  if (/[/\\\0]/.test(file)) return 'must be a name without a folder';
  return undefined;
}
