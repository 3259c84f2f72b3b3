// GET all, a prepared file, and GET latest: the 20 newest by `created_at`.

import type { HandlerContext } from '../../http/context.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Generation } from '../../index/generation.ts';
import { OpenRecords } from '../../index/items/detail-record.ts';
import { partitionPoint } from '../../index/lookup/search.ts';
import { PLATFORMS, type Platform } from '../../index/product-type.ts';
import { etags } from '../etags.ts';
import { prepareJson } from '../prepared-json.ts';
import { ItemWriter } from './item.ts';

const ALL = 'patchstack-flat/all';
const LATEST_COUNT = 20;
/** Of one item, at the mean of real data. */
const ITEM_BYTES = 1500;

export function* prepareAll(generation: Generation): Generator<readonly [string, PreparedFile]> {
  const records = new OpenRecords();
  const expectedBytes = generation.publishedCount * ITEM_BYTES;
  const file = prepareJson(etags.patchstackFlat(generation), expectedBytes, (out) => {
    out.text('{"vulnerabilities":[');
    new ItemWriter(out, generation, records).writeAll(byDescendingId(generation));
    out.text(']}');
  });
  records.close();
  yield [ALL, file];
}

/** The published advisories of all platforms. */
function* byDescendingId(generation: Generation): Generator<number> {
  const runs = PLATFORMS.map((platform) => generation.published(platform));
  const next = runs.map(({ start }) => start);
  for (;;) {
    let newest = -1;
    runs.forEach(({ end }, run) => {
      if (next[run] === end) return;
      if (newest < 0 || generation.idAt(next[run]) > generation.idAt(next[newest])) newest = run;
    });
    if (newest < 0) return;
    yield next[newest]++;
  }
}

export function handleAll(request: RequestView, _: PathParts, { prepared }: HandlerContext): Answer {
  const file = prepared?.get(ALL);
  return file === undefined ? notYetPrepared() : answerPrepared(request, file);
}

export function handleLatest(
  request: RequestView,
  _: PathParts,
  { generation, memory }: HandlerContext,
): Answer {
  const etag = etags.patchstackFlat(generation);
  if (isCurrent(request.header('if-none-match'), etag)) return { kind: 'not-modified', etag };
  const { out } = memory;
  out.restart();
  out.text('{"vulnerabilities":[');
  ItemWriter.forAnswer({ generation, memory }).writeAll(newest(generation));
  out.text(']}');
  return json(out.view(), etag);
}

/** By descending `created_at`, then by descending id. */
function newest(generation: Generation): number[] {
  return PLATFORMS.flatMap((platform) => newestOf(generation, platform))
    .sort(
      (a, b) => generation.createdAt(b) - generation.createdAt(a) || generation.idAt(b) - generation.idAt(a),
    )
    .slice(0, LATEST_COUNT);
}

function newestOf(generation: Generation, platform: Platform): number[] {
  const { createdOrder } = generation.parts.columns;
  const taken: number[] = [];
  const { start, end: last } = generation.published(platform);
  let end = last;
  while (taken.length < LATEST_COUNT && end > start) {
    const created = generation.createdAt(createdOrder[end - 1]);
    const first = partitionPoint(start, end, (i) => generation.createdAt(createdOrder[i]) >= created);
    // Of advisories created together, the order has ascending ordinals, which are descending ids.
    taken.push(...createdOrder.subarray(first, Math.min(end, first + LATEST_COUNT - taken.length)));
    end = first;
  }
  return taken;
}
