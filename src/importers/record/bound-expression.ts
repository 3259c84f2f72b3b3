// Detects bounds that are expressions. A feed's bound is one version; a range, wildcard or comparison there
// would never match anything, so it is reported with what was probably meant.

import { schemeFacts, type VersionScheme, versionKey } from '../../index/versions/version-key.ts';

/** What to write instead of the expression, or undefined for a text that may be a version. */
export function findExpression(text: string, scheme: VersionScheme): string | undefined {
  const bare = text.trim();
  if (/^[*xX]$/.test(bare)) return 'write null for no bound';
  if (bare.includes('||') || bare.includes(',')) return 'write one span for each alternative';
  const operator = /^(?:[<>~^!]=?|=+)/.exec(bare)?.[0];
  if (operator !== undefined && !(schemeFacts(scheme).takesEquals && /^=/.test(bare))) {
    const version = JSON.stringify(bare.slice(operator.length).trim());
    return `write the version alone (${version}); ${MEANINGS[operator] ?? 'use from_version, to_version and to_bound for the rest'}`;
  }
  if (/\S\s+-\s+\S/.test(bare)) return 'write its two ends as from_version and to_version';
  if (/(?:^|\.)[*xX](?:$|\.)/.test(bare) && !isOrdered(bare, scheme))
    return 'write the first and the last version it covers as two bounds';
  return undefined;
}

/** Gems and Maven have versions such as `1.x`. Other schemes read any text, and mean nothing by it. */
function isOrdered(text: string, scheme: VersionScheme): boolean {
  return schemeFacts(scheme).isStrict && versionKey(scheme, text) !== undefined;
}

/** How a span expresses each operator. */
const MEANINGS: Readonly<Record<string, string>> = {
  '<': 'as to_version with to_bound "exclusive"',
  '<=': 'as to_version with to_bound "inclusive"',
  '>=': 'as from_version, which is inclusive',
  '>': 'from_version is inclusive, so set it to the first affected version',
};
