// What operators see on the operations port, as one value: the probes, the texts that the supervisor
// passes in, the operations of the process and the console. It is not among DIALECTS: its service is
// another one, which asks for no key.

import { opsOrderProblem } from '../../http/order-origin.ts';
import { answerHealth, answerReadiness } from '../../http/replies/open-answers.ts';
import { type Problem, serviceProblem } from '../../http/replies/problems.ts';
import { refuse } from '../../http/replies/responses.ts';
import type { StaticFiles } from '../../http/replies/static-files.ts';
import type { Dialect, OpenRoute, Route } from '../../http/routing/dialect.ts';
import { settled } from '../../http/work/steps.ts';
import { operations } from '../operations/operations.ts';

/** A text that is made for each request. */
interface OpsText {
  readonly contentType: string;
  readonly make: () => Promise<string>;
}

interface OpsContent {
  /** By path. */
  readonly texts: Readonly<Record<string, OpsText>>;
  /** The console's files, or why there are none; undefined while the console is off. */
  readonly console: { readonly files: StaticFiles; readonly absence: string | undefined } | undefined;
}

export const OPS_LABEL = 'ops';
/** They tell nothing worth reading, and their prober may call the host anything. */
const PROBES: Readonly<Record<string, OpenRoute['answer']>> = {
  '/healthz': answerHealth,
  '/readyz': answerReadiness,
};

export function isProbe(path: string): boolean {
  return Object.hasOwn(PROBES, path);
}

export function opsDialect({ texts, console }: OpsContent): Dialect {
  const shown: readonly Route[] = [
    ...Object.entries(PROBES).map(([pattern, answer]) => open(pattern, answer)),
    ...Object.entries(texts).map(([pattern, { contentType, make }]) =>
      open(pattern, function* () {
        return { kind: 'text', contentType, body: yield* settled(make()) };
      }),
    ),
    ...operations.routes.map((route) =>
      route.kind === 'order'
        ? { ...route, tooLarge: 'An order has only a few bytes.', refusal: opsOrderProblem }
        : route,
    ),
  ];
  const pages: readonly Route[] =
    console === undefined
      ? []
      : [{ kind: 'files', pattern: '/console', label: OPS_LABEL, isFolder: true, ...console }];
  return {
    ...operations,
    name: 'ops',
    routes: [
      ...shown,
      ...pages,
      { kind: 'rest', label: OPS_LABEL, answer: () => refuse(noSuchPath({ routes: shown })) },
    ],
  };
}

/** The console is not listed: it may be off. */
export function noSuchPath({ routes }: Pick<Dialect, 'routes'>): Problem {
  const paths = routes.flatMap((route) =>
    route.kind === 'files' || route.kind === 'rest' ? [] : route.pattern,
  );
  return serviceProblem('not_found', `There is no such path here, only ${paths.join(', ')}.`);
}

function open(pattern: string, answer: OpenRoute['answer']): OpenRoute {
  return { kind: 'open', pattern, label: OPS_LABEL, answer };
}
