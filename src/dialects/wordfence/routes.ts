// The routes of the feed: its two variants, prepared once per generation.

import type { HandlerContext } from '../../http/context.ts';
import type { PathParts, Route } from '../../http/dialect.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { RequestView } from '../../http/request-view.ts';
import { fileOf } from './feed.ts';
import { VARIANTS } from './record.ts';

export const routes: readonly Route[] = VARIANTS.map((variant) => ({
  kind: 'read',
  pattern: `/v3/vulnerabilities/${variant}`,
  endpoint: 'wordfence',
  label: `wordfence-${variant}`,
  answer(request: RequestView, _: PathParts, { prepared }: HandlerContext): Answer {
    const file = prepared?.get(fileOf(variant));
    return file === undefined ? notYetPrepared() : answerPrepared(request, file);
  },
}));
