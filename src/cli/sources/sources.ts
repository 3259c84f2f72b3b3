// The kinds of sources, and what opens each: the one place to add a kind. What a source is called in options and in
// the summary is here too.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { shownLocation } from '../../importers/download/http-error.ts';
import type { TransferLimits } from '../../importers/download/limits.ts';
import type { SourceKind, SourceReader } from '../../importers/source.ts';
import { UsageError } from '../command-error.ts';

/** Names the environment variable with the key of the only mirror. */
export const KEY_VARIABLE = 'VULNDEX_MIRROR_KEY';

/** Of the registry of ids, in the folder of what is written. */
export const REGISTRY_NAME = 'vulndex-ids.tsv';

/** One source as named on the command line or in a configuration. */
export interface SourcePlan {
  readonly kind: SourceKind;
  /** A path, or the URL of a mirror; `-` is standard input for a feed. */
  readonly location: string;
  /** A mirror's key. It is not shown in any message. */
  readonly key?: string;
  /** Of a mirror: certificates to trust besides the usual ones. */
  readonly caFile?: string;
  /** Of a mirror: what a copy of it may take. */
  readonly limits?: Partial<TransferLimits>;
  /** Of a mirror: a folder that keeps the server's answers between runs. */
  readonly cache?: string;
}

export interface OpenOptions {
  /** Of feeds: a member that the format does not have makes the line bad. */
  readonly strict: boolean;
  /** Gets a line for each wait for a server. */
  readonly report: (line: string) => void;
}

export type OpenSource = (plan: SourcePlan, options: OpenOptions) => Promise<SourceReader>;

/** Each imported when it is used: a parser of archives is not needed to compile a feed. */
const OPENERS: { readonly [Kind in SourceKind]: OpenSource } = {
  feed: async ({ location }, { strict }) => {
    const { openFeed } = await import('../../importers/feed/open-feed.ts');
    return openFeed(location, { strict });
  },
  osv: async ({ location }) => {
    const { openOsv } = await import('../../importers/osv/osv.ts');
    return openOsv(location);
  },
  wordfence: async ({ location }) => {
    const { openWordfence } = await import('../../importers/wordfence/wordfence.ts');
    return openWordfence(location);
  },
  mirror: async ({ location, key, caFile, cache, limits = {} }, { report }) => {
    if (key === undefined) {
      throw new UsageError(
        `--mirror ${shownLocation(location)}: it has no key; give one with --key-file, or in ${KEY_VARIABLE}`,
      );
    }
    const { openMirror } = await import('../../importers/mirror/mirror.ts');
    const folder = cache === undefined ? undefined : mirrorFolder(cache, location);
    return openMirror({ url: location, key, caFile, folder, limits, onNotice: report });
  },
};

/** Throws SourceError or UsageError for what can be known without reading the source. */
export const openSource: OpenSource = (plan, options) => OPENERS[plan.kind](plan, options);

/** The folder for one server in a folder that several may share. */
export function mirrorFolder(cache: string, url: string): string {
  return join(cache, `mirror-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`);
}

/** A name for each source, in order: its kind, and from the second of a kind on with a number, such as `osv-2`. */
export function nameSources(plans: readonly { readonly kind: SourceKind }[]): string[] {
  const counts = new Map<SourceKind, number>();
  return plans.map(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count === 1 ? kind : `${kind}-${count}`;
  });
}
