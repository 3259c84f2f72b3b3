// What routes can learn and order about the process they run in. Who samples it, where it is kept and how an
// order is carried out is up to whoever runs the process.

import { type ParameterError, type Problem, type ProblemKind, SERVICE_PROBLEMS } from './replies/problems.ts';
import { NO_HEADERS, type ReplyHeader } from './replies/reply-headers.ts';
import { type Refusal, refuse } from './replies/responses.ts';

/** What an operator can order. */
export const ORDERS = ['reload', 'roll-back', 'roll-forward'] as const;
export type OrderKind = (typeof ORDERS)[number];

export type Order =
  | { readonly kind: Exclude<OrderKind, 'roll-back'> }
  /** `file` is a name in the folder of snapshots. */
  | { readonly kind: 'roll-back'; readonly file: string };

/** Whoever is asked may be another thread, which may hang: then there is no document. */
export interface OperationsView {
  /** The document of GET /operations, as UTF-8; undefined before there is one. */
  now(): Promise<Uint8Array | undefined>;
  /** The document of GET /operations/history, without points before that second since the epoch. */
  history(sinceSeconds: number): Promise<string | undefined>;
  /**
   * Passes an order on, or says why not. That it was passed on does not mean that it will succeed, unless
   * whoever took it promises to tell.
   */
  order(order: Order): Promise<OrderRefusal | undefined>;
}

// A code is part of the interface: clients branch on it. Adding one is a change, renaming one is a break.
export const ORDER_PROBLEMS = {
  unknown_file: { status: 404, title: 'No such snapshot file' },
  already_live: { status: 409, title: 'Snapshot is already live' },
  not_rolled_back: { status: 409, title: 'No roll-back is in effect' },
  order_failed: { status: 409, title: 'Order could not be carried out' },
  too_many_orders: { status: 429, title: 'Too many orders' },
  loader_stuck: { status: 503, title: 'Loader does not answer' },
  preparing: SERVICE_PROBLEMS.preparing,
  overloaded: SERVICE_PROBLEMS.overloaded,
} as const satisfies Record<string, ProblemKind>;

type OrderProblemCode = keyof typeof ORDER_PROBLEMS;

export interface OrderRefusal {
  readonly code: OrderProblemCode;
  readonly detail: string;
}

/** Seconds: at most one order a second is taken, and the first document is written as soon. */
const RETRY: readonly ReplyHeader[] = [['Retry-After', '1']];
const RETRIED: ReadonlySet<OrderProblemCode> = new Set(['too_many_orders', 'preparing', 'overloaded']);

export function refuseOrder({ code, detail }: OrderRefusal): Refusal {
  const problem: Problem = { code, ...ORDER_PROBLEMS[code], detail };
  return refuse(problem, RETRIED.has(code) ? RETRY : NO_HEADERS);
}

/** For a parameter or a member of a body. */
export function refuseParameter({ parameter, message }: ParameterError): Refusal {
  const { invalid_parameter } = SERVICE_PROBLEMS;
  const detail = `${parameter}: ${message}`;
  const code = 'invalid_parameter';
  return refuse({ code, ...invalid_parameter, detail, errors: [{ parameter, message }] });
}

/** The body of a 202. */
export function renderOrdered({ kind }: Order): string {
  return JSON.stringify({ ordered: kind });
}
