// Affected versions as a constraint that composer/semver reads with the meaning of the spans. A client
// compares again by this text, and takes one that it cannot parse for "never affected".
//
//     span                     constraint
//     from a, up to b          >=a-stable,<b-stable       a bare version after these two would mean its -dev
//     from a RC, up to b RC    >a,<=b,!=b|==a             composer/semver adds -dev to an RC there, whatever follows it
//     up to b, with it         <=b
//     without bounds           *
//     a text, branch dev-x     ==dev-x
//
// What cannot be said so is widened, never narrowed: a bound is left out, a text becomes every version.

import { holdsUpperBound, isUnboundedBelow, type Span } from '../../index/lookup/interval.ts';
import {
  compareKeys,
  schemeFacts,
  type VersionScheme,
  versionKey,
} from '../../index/versions/version-key.ts';

export interface Constraint {
  readonly text: string;
  /** Whether it holds versions that the spans do not. */
  readonly isWidened: boolean;
}

const SCHEME: VersionScheme = 'composer';
const EVERY_VERSION = '*';
/** A branch, in characters that mean nothing else in a constraint. */
const BRANCH = /^dev-[\w./-]+$/i;
/** Names of branches that composer/semver reads without their prefix. */
const MAIN_BRANCHES: readonly string[] = ['master', 'trunk', 'default'];

const METADATA = /\+[^\s+]+$/;
const NUMBERED =
  /^v?(\d{1,5}(?:\.\d+){0,3})[._-]?(?:(stable|beta|b|rc|alpha|a|patch|pl|p)((?:[.-]?\d+(?:[.-]\d+)*)?))?[.-]?(dev)?$/i;
/** With one part after the pairs, which older clients read too. */
const DATE = /^v?(\d{4}(?:[.:-]?\d{2}){1,6}(?:[.:-]?\d{1,3})?)$/i;
const NUMBERED_BRANCH = /^v?(\d+(?:\.(?:\d+|x)){1,3})[.-]?dev$/i;

/** A version as it stands in a constraint. */
interface Written {
  readonly text: string;
  readonly kind: 'bare' | 'rc' | 'other';
}

export function constraintOf(spans: readonly Span[], scheme: VersionScheme): Constraint {
  if (scheme !== SCHEME) return { text: EVERY_VERSION, isWidened: true };
  const branches = new Set<string>();
  let isWidened = false;
  for (const span of spans) {
    const { from, to } = span;
    if (from !== null && versionKey(SCHEME, from) === undefined) {
      const branch = branchOf(from);
      branches.add(branch === undefined ? EVERY_VERSION : `==${branch}`);
      isWidened ||= branch === undefined;
      continue;
    }
    const low = from === null || isUnboundedBelow(schemeFacts(SCHEME), from) ? null : from;
    const lower = low === null ? undefined : written(low);
    const upper = to === null ? undefined : written(to);
    isWidened ||= (low !== null && lower === undefined) || (to !== null && upper === undefined);
    const end = upper === undefined ? '' : upTo(upper, holdsUpperBound(span.toBound));
    const [begin, also] = lower === undefined ? [''] : startingAt(lower);
    branches.add([begin, end].filter((part) => part !== '').join(',') || EVERY_VERSION);
    if (also !== undefined) branches.add(also); // the lower bound itself: it is below the end
  }
  const text = branches.has(EVERY_VERSION) || branches.size === 0 ? EVERY_VERSION : [...branches].join('|');
  return { text, isWidened };
}

function startingAt({ text, kind }: Written): readonly [begin: string, also?: string] {
  if (kind === 'rc') return [`>${text}`, `==${text}`];
  return [kind === 'bare' ? `>=${text}-stable` : `>=${text}`];
}

function upTo({ text, kind }: Written, isInside: boolean): string {
  if (isInside) return `<=${text}`;
  if (kind === 'rc') return `<=${text},!=${text}`;
  return kind === 'bare' ? `<${text}-stable` : `<${text}`;
}

function branchOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (MAIN_BRANCHES.includes(trimmed)) return `dev-${trimmed}`;
  return BRANCH.test(trimmed) ? trimmed : undefined;
}

/** In the one form that all releases of composer/semver read alike; undefined if there is none. */
function written(version: string): Written | undefined {
  const read = rewritten(version.trim().replace(METADATA, ''));
  if (read === undefined) return undefined;
  const [own, other] = [version, read.text].map((text) => versionKey(SCHEME, text));
  return own !== undefined && other !== undefined && compareKeys(own, other) === 0 ? read : undefined;
}

function rewritten(text: string): Written | undefined {
  const numbered = NUMBERED.exec(text);
  if (numbered !== null) {
    const [, numbers, word = '', count = '', dev] = numbered;
    // In lower case it means nothing, with all that follows it; otherwise clients disagree.
    if (word.toLowerCase() === 'stable')
      return word === 'stable' ? { text: numbers, kind: 'bare' } : undefined;
    const start = word === '' ? numbers : `${numbers}-${word}${count}`;
    if (dev !== undefined) return { text: `${start}-dev`, kind: 'other' };
    return { text: start, kind: word === '' ? 'bare' : word.toLowerCase() === 'rc' ? 'rc' : 'other' };
  }
  const date = DATE.exec(text);
  if (date !== null) return { text: date[1], kind: 'bare' };
  const branch = NUMBERED_BRANCH.exec(text);
  return branch === null ? undefined : { text: `${branch[1]}-dev`, kind: 'other' };
}
