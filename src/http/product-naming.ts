// The products that a request asks about, for an access log that names them. It stands in front of the
// service only where that was asked for: elsewhere no request is read for it. Each route reads its own
// requests; those that are not answered name nothing.

import { AskedProducts } from './asked-products.ts';
import { contentCoding, decodeBody } from './content-coding.ts';
import type { ApiRoute, BodyRoute, Dialect, PathParts } from './dialect.ts';
import { changeEach } from './each-reply.ts';
import type { BodyWanted, Handled } from './handled.ts';
import type { Reply } from './replies/responses.ts';
import type { RequestView } from './request-view.ts';
import { RouteTable } from './routes.ts';
import type { ServingSide } from './transport.ts';
import type { Steps } from './work/steps.ts';
import type { Work } from './work/work-queue.ts';

export interface ProductNamingOptions {
  readonly dialects: readonly Dialect[];
  /** For one request. */
  readonly most: number;
  /** Products could not be read: the request is answered all the same. */
  readonly onError: (error: unknown) => void;
}

/** The same answers; what is reported of them has the products. */
export class ProductNaming implements ServingSide {
  readonly #inner: ServingSide;
  readonly #routes: RouteTable;
  readonly #options: ProductNamingOptions;

  constructor(inner: ServingSide, options: ProductNamingOptions) {
    this.#inner = inner;
    this.#routes = new RouteTable(options.dialects);
    this.#options = options;
  }

  get bufferBytes(): number {
    return this.#inner.bufferBytes ?? 0;
  }

  remembers(path: string): boolean {
    return this.#inner.remembers?.(path) === true;
  }

  handle(request: RequestView): Handled {
    const { method, path } = request;
    // The view is gone then.
    const encoding = method === 'POST' ? request.header('content-encoding') : '';
    const { query } = request;
    const handled = this.#inner.handle(request);
    const found = this.#routes.find(method, path);
    if (found.kind !== 'route') return handled;
    const { route } = found.bound;
    if (route.kind === 'body') {
      if (route.asked === undefined || !('kind' in handled) || handled.kind !== 'body-wanted') return handled;
      return this.#named(handled, route, encoding);
    }
    return changeEach(handled, (reply) => this.#withParts(reply, route, found.parts, query));
  }

  #withParts(reply: Reply, route: ApiRoute, parts: PathParts, query: string): Reply {
    const hasParts = route.kind === 'read' || route.kind === 'long-read';
    if (!hasParts || route.asked === undefined || !isAnswered(reply)) return reply;
    const products = new AskedProducts(this.#options.most);
    try {
      route.asked(parts, products, query);
    } catch (error) {
      this.#options.onError(error);
    }
    return withProducts(reply, products);
  }

  #named(wanted: BodyWanted, route: BodyRoute, encoding: string): BodyWanted {
    return {
      ...wanted,
      work: (body) => {
        const work = wanted.work(body);
        return { ...work, steps: () => namedSteps(work, { route, encoding, body }, this.#options) };
      },
    };
  }
}

interface SentBody {
  readonly route: BodyRoute;
  readonly encoding: string;
  readonly body: Uint8Array;
}

/** Reads the body first: between the steps after an answer, others could use its buffer. */
function* namedSteps(work: Work, sent: SentBody, options: ProductNamingOptions): Steps<Reply> {
  const products = new AskedProducts(options.most);
  try {
    const decoded = decodeBody(sent.body, contentCoding(sent.encoding), sent.route);
    if (decoded.kind === 'body' && sent.route.asked !== undefined) {
      yield* sent.route.asked(decoded.body, products);
    }
  } catch (error) {
    options.onError(error);
  }
  const reply = yield* work.steps();
  return isAnswered(reply) ? withProducts(reply, products) : reply;
}

/** An unknown product is 404 in some dialects, and an answer. */
function isAnswered({ status, about }: Reply): boolean {
  return about.keyId !== undefined && (status < 400 || status === 404);
}

function withProducts(reply: Reply, products: AskedProducts): Reply {
  if (products.names.length + products.leftOut === 0) return reply;
  return { ...reply, about: { ...reply.about, products } };
}
