// The copyright notices of a record, which its licences require wherever the record is shown.

import { type FeedSource, quoted } from '../record/feed-schema.ts';
import { isObject } from '../record/json.ts';

/** Holders by the name of their member; another holder goes by that name itself. */
const HOLDERS: ReadonlyMap<string, string> = new Map([
  ['defiant', 'Defiant'],
  ['mitre', 'MITRE'],
]);
/** Under which the record's own message is kept. */
const PUBLISHER = 'Wordfence Intelligence';

const FACTS = ['notice', 'license', 'license_url'] as const;

/** The record's message and each holder, in order. `warn` gets a whole sentence for everything that is left out. */
export function readCopyrights(copyrights: unknown, warn: (warning: string) => void): FeedSource[] {
  if (copyrights === undefined || copyrights === null) return [];
  if (!isObject(copyrights)) {
    warn(`copyrights must be an object (got ${quoted(copyrights)}); it was left out.`);
    return [];
  }
  const sources: FeedSource[] = [];
  for (const [name, value] of Object.entries(copyrights)) {
    if (name === 'message' && typeof value === 'string') {
      sources.push({ name: PUBLISHER, notice: value });
    } else if (!isObject(value)) {
      warn(`copyrights.${name} must be an object (got ${quoted(value)}); it was left out.`);
    } else {
      const facts: { notice?: string; license?: string; license_url?: string } = {};
      for (const fact of FACTS) {
        const text = value[fact];
        if (typeof text === 'string') facts[fact] = text;
        else if (text !== undefined && text !== null) {
          warn(`copyrights.${name}.${fact} must be a string (got ${quoted(text)}); it was left out.`);
        }
      }
      sources.push({ name: HOLDERS.get(name) ?? name, ...facts });
    }
  }
  return sources;
}
