// The two files of the feed: one JSON object with a record under each uuid. Only what is published is in it:
// a withdrawn record is withdrawn by not being there.

import type { PreparedFile } from '../../http/replies/prepared-files.ts';
import type { Generation } from '../../index/generation.ts';
import { OpenRecords } from '../../index/items/detail-record.ts';
import { etags } from '../etags.ts';
import { prepareJson } from '../prepared-json.ts';
import { RecordReader, VARIANTS, type Variant } from './record.ts';

/** Of one record, somewhat above the mean of real data. */
const RECORD_BYTES = 3000;

export function fileOf(variant: Variant): string {
  return `wordfence/${variant}`;
}

export function* prepareFeed(generation: Generation): Generator<readonly [string, PreparedFile]> {
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
