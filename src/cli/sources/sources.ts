// The sources of a run: how they are planned, named and opened, whatever their kind.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { shownLocation } from '../../download/http-error.ts';
import type { TransferLimits } from '../../download/limits.ts';
import type { InformationalRule } from '../../importers/osv/informational.ts';
import type { FileOptions, ServerKind, SourceKind, SourceReader } from '../../importers/source-kind.ts';
import { feed } from '../../importers/source-kinds.ts';
import { UsageError } from '../command-error.ts';

/** Of the registry of ids, in the folder of what is written. */
export const REGISTRY_NAME = 'vulndex-ids.tsv';

/** One source as named on the command line or in a configuration. */
export interface SourcePlan {
  readonly kind: SourceKind;
  /** A path, or the URL of a server; `-` is standard input for a feed. */
  readonly location: string;
  /** A server's key. It is not shown in any message. */
  readonly key?: string;
  /** Of a server: certificates to trust besides the usual ones. */
  readonly caFile?: string;
  /** Of a server: what a copy of it may take. */
  readonly limits?: Partial<TransferLimits>;
  /** Of OSV records: see FileOptions. */
  readonly informational?: InformationalRule;
  /** Of a server: a folder that keeps its answers between runs. */
  readonly cache?: string;
}

export interface OpenOptions extends FileOptions {
  /** Gets a line for each wait for a server. */
  readonly report: (line: string) => void;
}

export type OpenSource = (plan: SourcePlan, options: OpenOptions) => Promise<SourceReader>;

/** Throws SourceError or UsageError for what can be known without reading the source. */
export const openSource: OpenSource = async (plan, { strict, kept, report }) => {
  const { kind, location, key, caFile, cache, limits = {}, informational } = plan;
  if (kind.form === 'files') return kind.open(location, { strict, kept, informational });
  if (key === undefined) {
    throw new UsageError(
      `--${kind.name} ${shownLocation(location)}: it has no key; give one with --key-file, or in ${keyVariable(kind)}`,
    );
  }
  const folder = cache === undefined ? undefined : answersFolder(cache, kind, location);
  return kind.open({ url: location, key, caFile, folder, limits, onNotice: report });
};

/** The name of the environment variable with the key of the only server of this kind. */
export function keyVariable({ name }: ServerKind): string {
  return `VULNDEX_${name.toUpperCase()}_KEY`;
}

/** The folder for one server in a folder that several may share. */
export function answersFolder(cache: string, { name }: ServerKind, url: string): string {
  return join(cache, `${name}-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`);
}

type Planned = Pick<SourcePlan, 'kind'>;

/**
 * A name for each source, in order: its kind, and from the second of a kind on with a number, such as
 * `osv-2`.
 */
export function nameSources(plans: readonly Planned[]): string[] {
  const counts = new Map<SourceKind, number>();
  return plans.map(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count === 1 ? kind.name : `${kind.name}-${count}`;
  });
}

/** Whether there is nothing to assemble: the records of feeds are numbered already. */
export function areFeedsAlone(plans: readonly Planned[]): boolean {
  return plans.every(({ kind }) => kind === feed);
}
