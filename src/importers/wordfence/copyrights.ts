// The copyright notices of a record, which its licences require wherever the record is shown.

import type { FeedSource } from '../record/feed-schema.ts';
import { isObject, type MemberReader } from '../record/json.ts';

/** Holders by the name of their member; another holder goes by that name itself. */
const HOLDERS: ReadonlyMap<string, string> = new Map([
  ['defiant', 'Defiant'],
  ['mitre', 'MITRE'],
]);
/** Under which the record's own message is kept. */
const PUBLISHER = 'Wordfence Intelligence';

const FACTS = ['notice', 'license', 'license_url'] as const;

/** The record's message and each holder, in order. */
export function readCopyrights(copyrights: unknown, reader: MemberReader): FeedSource[] {
  const sources: FeedSource[] = [];
  for (const [name, value] of Object.entries(reader.object(copyrights, 'copyrights') ?? {})) {
    if (name === 'message' && typeof value === 'string') {
      sources.push({ name: PUBLISHER, notice: value });
    } else if (!isObject(value)) {
      reader.mustBe('an object', value, `copyrights.${name}`);
    } else {
      const facts: { notice?: string; license?: string; license_url?: string } = {};
      for (const fact of FACTS) {
        const text = reader.text(value[fact], `copyrights.${name}.${fact}`);
        if (text !== undefined) facts[fact] = text;
      }
      sources.push({ name: HOLDERS.get(name) ?? name, ...facts });
    }
  }
  return sources;
}
