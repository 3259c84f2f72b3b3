// The Wordfence Intelligence feed, version 3, as one value: for wordfence-cli, and for scanners that download
// the feed. It has two files: one JSON object each, with a record under each uuid. Only what is published is
// in it: a withdrawn record is withdrawn by not being there.

import { isLicence, KEY_READING } from '../../http/callers/key-forms.ts';
import type { HandlerContext } from '../../http/context.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { answerPrepared, notYetPrepared } from '../../http/replies/answer-prepared.ts';
import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import type { Answer } from '../../http/replies/responses.ts';
import type { Dialect, PathParts, Route } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import type { Generation } from '../../index/generation.ts';
import { OpenRecords } from '../../index/items/detail-record.ts';
import { errorObject, renderErrorObject } from '../error-object.ts';
import { etags } from '../etags.ts';
import { prepareJson } from '../prepared-json.ts';
import { RecordReader, VARIANTS, type Variant } from './record.ts';

/** Of one record, somewhat above the mean of real data. */
const RECORD_BYTES = 3000;

function fileOf(variant: Variant): string {
  return `wordfence/${variant}`;
}

function* prepareFeed(generation: Generation): Generator<readonly [string, PreparedFile]> {
  for (const variant of VARIANTS) yield [fileOf(variant), prepareVariant(generation, variant)];
}

function prepareVariant(generation: Generation, variant: Variant): PreparedFile {
  const { start, end } = generation.published('wordpress');
  const records = new OpenRecords();
  const reader = new RecordReader(generation, records);
  const file = prepareJson(etags.wordfence(generation), (end - start) * RECORD_BYTES, (out) => {
    let before = '{';
    for (let ordinal = start; ordinal < end; ordinal++) {
      const group = groupOf(generation, ordinal);
      if (group[0] !== ordinal) continue; // it was written with its first
      const [id, record] = reader.read([...group].reverse(), variant);
      out.text(`${before}${JSON.stringify(id)}:${JSON.stringify(record)}`);
      before = ',';
    }
    out.text(before === '{' ? '{}' : '}');
  });
  records.close();
  return file;
}

/** The published advisories of the same source record about WordPress products, by descending id. */
function groupOf(generation: Generation, ordinal: number): readonly number[] {
  const { start, end } = generation.published('wordpress');
  return generation.siblingsOf(ordinal).filter((each) => each >= start && each < end);
}

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
