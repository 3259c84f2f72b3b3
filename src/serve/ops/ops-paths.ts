// The table of paths of the operations listener: what each answers, from what the supervisor passes in.

import { answerHistory, answerNow } from '../../dialects/operations/handlers.ts';
import { readOrder } from '../../dialects/operations/order.ts';
import {
  type OperationsView,
  ORDERS,
  type Order,
  type OrderKind,
  type OrderRefusal,
  refuseOrder,
  renderOrdered,
} from '../../http/operations-view.ts';
import { type Readiness, renderReady } from '../../http/readiness.ts';
import { serviceProblem } from '../../http/replies/problems.ts';
import type { Answer } from '../../http/replies/responses.ts';
import { finish } from '../../http/work/steps.ts';
import type { OpenPages } from '../pages/open-pages.ts';
import { METRICS_CONTENT_TYPE } from './exposition.ts';
import { opsOrderProblem } from './ops-origin.ts';
import { found, type OpsReply, type OpsRequest, refused, replyOf } from './ops-reply.ts';

export interface OpsContent {
  /** The address that the operator chose: requests may name it as their host. */
  readonly host: string;
  readonly readiness: () => Readiness;
  /** The text for Prometheus. */
  readonly metrics: () => string;
  /** The JSON text of /status. */
  readonly status: () => string;
  readonly operations: Pick<OperationsView, 'now' | 'history'>;
  /** The console's files are served too; without it, they are off. */
  readonly pages?: OpenPages | undefined;
  /** Carries an order out, or says why not. */
  readonly order: (order: Order) => Promise<OrderRefusal | undefined>;
}

export interface OpsPath {
  /** As `Allow` lists them. */
  readonly methods: 'GET, HEAD' | 'POST';
  /** A probe tells nothing worth reading, and its prober may call the host anything. */
  readonly isProbe?: boolean;
  answer(request: OpsRequest, content: OpsContent): OpsReply | Promise<OpsReply>;
}

const RETRY_SECONDS = '5'; // as on the service port

function read(answer: OpsPath['answer']): OpsPath {
  return { methods: 'GET, HEAD', answer };
}

function probe(answer: OpsPath['answer']): OpsPath {
  return { methods: 'GET, HEAD', isProbe: true, answer };
}

function order(kind: OrderKind): OpsPath {
  return { methods: 'POST', answer: (request, content) => takeOrder(kind, request, content) };
}

export const OPS_PATHS: Readonly<Record<string, OpsPath>> = {
  '/healthz': probe(() => found('{"status":"ok"}')),
  '/readyz': probe((_, { readiness }) => replyToReadyz(readiness())),
  '/metrics': read((_, { metrics }) => found(metrics(), METRICS_CONTENT_TYPE)),
  '/status': read((_, { status }) => found(status())),
  '/operations': read((_, { operations }) => reply(answerNow(operations))),
  '/operations/history': read(({ query }, { operations }) => reply(answerHistory(query, operations))),
  ...Object.fromEntries(ORDERS.map((kind) => [`/operations/${kind}`, order(kind)])),
};

async function takeOrder(kind: OrderKind, request: OpsRequest, content: OpsContent): Promise<OpsReply> {
  const problem = opsOrderProblem(request);
  if (problem !== undefined) return refused(problem);
  const body = await request.body();
  if (body === undefined) return refused(serviceProblem('body_too_large', 'An order has only a few bytes.'));
  const sent = finish(readOrder(kind, body));
  if (sent.kind === 'problem') return replyOf(sent);
  const refusal = await content.order(sent.order);
  if (refusal !== undefined) return replyOf(refuseOrder(refusal));
  return replyOf({ kind: 'accepted', body: renderOrdered(sent.order) });
}

function replyToReadyz(readiness: Readiness): OpsReply {
  return readiness.kind === 'unready'
    ? refused(serviceProblem(readiness.code, readiness.detail), [['Retry-After', RETRY_SECONDS]])
    : found(renderReady(readiness));
}

/** Of a route that answers with JSON or a problem. */
function reply(answer: Answer): OpsReply {
  if (answer.kind === 'json' || answer.kind === 'problem') return replyOf(answer);
  throw new Error(`an answer of the kind ${answer.kind} on the operations listener`);
}
