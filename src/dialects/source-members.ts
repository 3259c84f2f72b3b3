// The sources of an advisory, as members of answers.

import type { SourcesTerm } from '../index/items/list-item.ts';

/** A source, without the fields that came from it. */
export function sourceMembers([name, notice, license, licenseUrl]: SourcesTerm[number]) {
  return { name, notice, license, license_url: licenseUrl };
}

/** Those whose licences require something to be shown with the advisory. */
export function withNotices(sources: SourcesTerm): SourcesTerm {
  return sources.filter(([, notice, license]) => notice !== '' || license !== '');
}
