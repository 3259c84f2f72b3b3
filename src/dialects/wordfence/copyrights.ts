// The copyright notices of a record, from the sources of its advisory.

import type { SourcesTerm } from '../../index/items/list-item.ts';
import { withNotices } from '../source-members.ts';

interface Copyright {
  readonly notice: string;
  readonly license: string;
  readonly license_url: string;
}

type Copyrights = Readonly<Record<string, string | Copyright>>;

const MESSAGE = 'message';
/** The source whose notice is the message of the feed. */
const PUBLISHER = 'Wordfence Intelligence';
/** Holders whose member in the feed has another name. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['Defiant', 'defiant'],
  ['MITRE', 'mitre'],
]);
/** Clients require a message where there are notices. */
const DEFAULT_MESSAGE = 'This record contains material that is subject to copyright.';

/** Empty if no source asks for a notice. */
export function copyrightsOf(sources: SourcesTerm): Copyrights {
  const notices = withNotices(sources);
  if (notices.length === 0) return {};
  const members = new Map<string, string | Copyright>([[MESSAGE, DEFAULT_MESSAGE]]);
  for (const [name, notice, license, licenseUrl] of notices) {
    if (name === PUBLISHER && license === '' && licenseUrl === '') members.set(MESSAGE, notice);
    else members.set(memberFor(name), { notice, license, license_url: licenseUrl });
  }
  return Object.fromEntries(members);
}

function memberFor(name: string): string {
  return name === MESSAGE ? `${name} (source)` : (MEMBERS.get(name) ?? name);
}
