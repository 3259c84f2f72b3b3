// The Wordfence Intelligence feed, version 3, as one value: for wordfence-cli, and for scanners that download
// the feed.

import { isLicence, KEY_READING } from '../../http/callers/key-forms.ts';
import type { HandlerContext } from '../../http/context.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { Dialect, PathParts, Route } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { fileOf, prepareFeed } from './feed.ts';
import { VARIANTS } from './record.ts';

const routes: readonly Route[] = VARIANTS.map((variant) => ({
  kind: 'read',
  pattern: `/v3/vulnerabilities/${variant}`,
  endpoint: 'wordfence',
  label: `wordfence-${variant}`,
  answer(request: RequestView, _: PathParts, { prepared }: HandlerContext): Answer {
    const file = prepared?.get(fileOf(variant));
    return file === undefined ? notYetPrepared() : answerPrepared(request, file);
  },
}));

export const wordfence: Dialect = {
  name: 'wordfence',
  mounts: [{ path: '/wordfence', description: 'The feed that wordfence-cli downloads.' }],
  keys: { ...KEY_READING, isForeign: isLicence },
  routes,
  renderError: renderErrorObject,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: errorObject },
  prepare: prepareFeed,
};
