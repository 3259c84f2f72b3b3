// The service index, the index of pages and the pages. The first two name this server's own address.

import type { HandlerContext } from '../../http/context.ts';
import { RETRY_SOON } from '../../http/readiness.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import { type Answer, json, type Refusal, refuse } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Generation } from '../../index/generation.ts';
import { refuseWithoutData, withoutData } from '../lookup-headers.ts';
import { PAGES, type PageIndex, preparedName } from './pages.ts';

export const SERVICE_INDEX = '/v3/index.json';
const VULNERABILITIES = '/v3/vulnerabilities';
export const PAGE_INDEX = `${VULNERABILITIES}/index.json`;
/** `built`: of the snapshot whose index named the page. */
export const PAGE = `${VULNERABILITIES}/{built}/{page}`;

const RESOURCE = 'VulnerabilityInfo/6.7.0';
const BUILT = /^\d{1,16}$/;

/** Without a tag, as the next: it depends on how the client reached the server. */
export function handleServiceIndex(
  request: RequestView,
  _: PathParts,
  { own, generation }: HandlerContext,
): Answer {
  const mount = own.ofMount(request, SERVICE_INDEX);
  if (typeof mount !== 'string') return mount;
  const resources = [{ '@id': mount + PAGE_INDEX, '@type': RESOURCE }];
  return json(JSON.stringify({ version: '3.0.0', resources }), null, withoutData(generation, ['nuget']));
}

export function handlePageIndex(request: RequestView, _: PathParts, context: HandlerContext): Answer {
  const index = indexIn(context);
  if ('kind' in index) return index;
  const mount = context.own.ofMount(request, PAGE_INDEX);
  if (typeof mount !== 'string') return mount;
  const entries = index.pages.map(({ page, name, updated, comment }) => ({
    '@name': name,
    '@id': `${mount}${VULNERABILITIES}/${index.builtAtMs}/${page}.json`,
    '@updated': updated,
    comment,
  }));
  return json(JSON.stringify(entries), null);
}

/**
 * A replica with an older snapshot than the one whose index named the page refuses: the client would keep
 * that page under the name of the new one.
 */
export function handlePage(request: RequestView, [built, part]: PathParts, context: HandlerContext): Answer {
  const page = PAGES.find((each) => part === `${each}.json`);
  if (page === undefined || !BUILT.test(built)) return unknownPage();
  const index = indexIn(context);
  if ('kind' in index) return index;
  if (Number(built) > index.builtAtMs) return earlierSnapshot();
  const file = context.prepared?.get(preparedName(page));
  return file === undefined ? notYetPrepared() : answerPrepared(request, file);
}

/** What is prepared, also of the previous generation, or why there is nothing. */
function indexIn({ prepared, generation }: HandlerContext): PageIndex | Answer {
  const file = prepared?.get(preparedName('index'));
  if (file !== undefined) return JSON.parse(Buffer.from(file.plain).toString()); // as `preparePages` writes it
  return refusalWithoutData(generation) ?? notYetPrepared();
}

// The client shows each refusal as NU1900, with the status, and never as "not affected".

function unknownPage(): Refusal {
  return refuse({
    code: 'unknown_page',
    status: 404,
    title: 'No such page',
    detail: 'The index of pages names those that there are.',
  });
}

/** For an index that would say that every package is clean; undefined where there is data. */
function refusalWithoutData(generation: Generation): Refusal | undefined {
  return refuseWithoutData(generation, 'nuget', {
    code: 'no_nuget_data',
    title: 'No data about NuGet packages',
    detail: 'The snapshot has no advisory about a NuGet package.',
  });
}

function earlierSnapshot(): Refusal {
  const problem = {
    code: 'earlier_snapshot',
    status: 503,
    title: 'Not loaded yet',
    detail: 'The index came from a replica with a newer snapshot than this one has: ask again soon.',
  } as const;
  return refuse(problem, [RETRY_SOON]);
}
