// The kinds of sources, and what opens each: the one place to add a kind. What a source is called in options and in
// the summary is here too.

import type { SourceKind, SourceReader } from '../importers/source.ts';
import { UsageError } from './command-error.ts';

/** Of the registry of ids, in the folder of what is written. */
export const REGISTRY_NAME = 'vulndex-ids.tsv';

/** One source as named on the command line or in a configuration. */
export interface SourcePlan {
  readonly kind: SourceKind;
  /** A path, or the URL of a mirror; `-` is standard input for a feed. */
  readonly location: string;
  /** A mirror's key. It is not shown in any message. */
  readonly key?: string;
}

export interface OpenOptions {
  /** Of feeds: a member that the format does not have makes the line bad. */
  readonly strict: boolean;
}

export type OpenSource = (plan: SourcePlan, options: OpenOptions) => Promise<SourceReader>;

/** Each imported when it is used: a parser of archives is not needed to compile a feed. */
const OPENERS: { readonly [Kind in SourceKind]?: OpenSource } = {
  osv: async ({ location }) => {
    const { openOsv } = await import('../importers/osv/osv.ts');
    return openOsv(location);
  },
  feed: async ({ location }, { strict }) => {
    const { openFeed } = await import('../importers/feed/open-feed.ts');
    return openFeed(location, { strict });
  },
};

/** Throws SourceError or UsageError for what can be known without reading the source. */
export const openSource: OpenSource = (plan, options) => {
  const open = OPENERS[plan.kind];
  if (open === undefined) throw new UsageError(`--${plan.kind}: this kind of source is not available`);
  return open(plan, options);
};

/** A name for each source, in order: its kind, and from the second of a kind on with a number, such as `osv-2`. */
export function nameSources(plans: readonly { readonly kind: SourceKind }[]): string[] {
  const counts = new Map<SourceKind, number>();
  return plans.map(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count === 1 ? kind : `${kind}-${count}`;
  });
}
