// Affected versions as ranges that NuGet's VersionRange reads with the meaning of the spans. A client parses
// a whole page at once, so one range that it cannot read costs it every other:
//
//     span                     range
//     without bounds           (, )          both parts empty, as in (,), are refused
//     from a, up to b          [a, b)
//     up to b, with it         (, b]
//     one version a            [a]
//
// A bound in a form that the client refuses is left out: the range then holds more, never less. A text that
// is no version has no range, because no installed package has it.

import { holdsUpperBound, isUnboundedBelow, type Span } from '../../index/lookup/interval.ts';
import {
  compareKeys,
  schemeFacts,
  type VersionScheme,
  versionKey,
} from '../../index/versions/version-key.ts';

const SCHEME: VersionScheme = 'nuget';
const EVERY_VERSION = '(, )';
/** Of each number of a version, as the client's runtime has them. */
const MAX_NUMBER = 2 ** 31 - 1;
const VERSION = /^(\d+(?:\.\d+){0,3})(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+.*)?$/i;

/** Each once. Empty where no version is affected that a client could have. */
export function versionRangesOf(spans: readonly Span[], scheme: VersionScheme): readonly string[] {
  if (scheme !== SCHEME) return [EVERY_VERSION];
  const ranges = new Set(spans.flatMap((span) => rangeOf(span) ?? []));
  return ranges.has(EVERY_VERSION) ? [EVERY_VERSION] : [...ranges];
}

function rangeOf({ from, to, toBound }: Span): string | undefined {
  if (from !== null && versionKey(SCHEME, from) === undefined) return undefined;
  const isLast = holdsUpperBound(toBound);
  const low = from === null || isUnboundedBelow(schemeFacts(SCHEME), from) ? undefined : written(from);
  const high = to === null ? undefined : written(to);
  if (low !== undefined && high !== undefined) {
    const order = compareKeys(low.key, high.key);
    if (order > 0 || (order === 0 && !isLast)) return undefined; // empty, which the client refuses
    if (order === 0) return `[${low.text}]`;
  }
  const start = low === undefined ? '(' : `[${low.text}`;
  return high === undefined ? `${start}, )` : `${start}, ${high.text}${isLast ? ']' : ')'}`;
}

/** As the client reads it; undefined if it would not, or not as the same version. */
function written(version: string): { readonly text: string; readonly key: Uint8Array } | undefined {
  const parts = VERSION.exec(version.trim());
  if (parts === null) return undefined;
  const [, numbers, labels] = parts;
  if (numbers.split('.').some((number) => Number(number) > MAX_NUMBER)) return undefined;
  // It refuses numeric labels with leading zeros.
  const plain = labels?.split('.').map((label) => label.replace(/^0+(?=\d+$)/, ''));
  const text = plain === undefined ? numbers : `${numbers}-${plain.join('.')}`;
  const [key, own] = [versionKey(SCHEME, text), versionKey(SCHEME, version)];
  return key !== undefined && own !== undefined && compareKeys(key, own) === 0 ? { text, key } : undefined;
}
