// `refresh --check-config`: what a configuration would do, read and checked without a request and without a
// change on disk.

import { readFileSync, statSync } from 'node:fs';
import { shownLocation } from '../../download/http-error.ts';
import { printable } from '../../index/memory/text-limits.ts';
import { UsageError } from '../command-error.ts';
import { formatTable } from '../snapshot-report.ts';
import { nameSources } from '../sources/sources.ts';
import type { RefreshConfig, RefreshSource } from './refresh-config.ts';
import { preferenceOf } from './refresh-run.ts';
import { readKey } from './refresh-sources.ts';

/** The members of the JSON form, in order. Keys are named by their place and never shown. */
interface CheckedConfig {
  readonly sources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly location: string;
    /** Where the key is; null if there is none. */
    readonly key_from: string | null;
    /** What is wrong with a file or folder; null for a URL, which is not asked. */
    readonly problem: string | null;
  }[];
  readonly snapshots: string;
  readonly ids: string;
  readonly cache: string;
  readonly guards: Readonly<Record<'max_withdrawn' | 'max_shrink' | 'max_reject', number>>;
  readonly keep: number;
}

/** Throws UsageError for a preference that does not fit, and for keys or certificates that cannot be read. */
export function checkConfig(config: RefreshConfig, environment: NodeJS.ProcessEnv): CheckedConfig {
  preferenceOf(config);
  if (config.caFile !== undefined) requireReadable('ca_file', config.caFile);
  const names = nameSources(config.sources);
  const sources = config.sources.map((source, i) => {
    const { kind, location, key } = source;
    if (key !== undefined) readKey(key, environment);
    return {
      ...{ name: names[i], kind: kind.name, location: shownLocation(location), key_from: keyFrom(source) },
      problem: problemOf(location),
    };
  });
  const { snapshots, ids, cache, maxWithdrawn, maxShrink, maxReject, keep } = config;
  const guards = { max_withdrawn: maxWithdrawn, max_shrink: maxShrink, max_reject: maxReject };
  return { sources, snapshots, ids, cache, guards, keep };
}

export function formatChecked({ sources, snapshots, ids, cache, guards, keep }: CheckedConfig): string {
  const rows = sources.map(({ name, location, key_from: key, problem }) => [
    ...[name, printable(location), key === null ? '' : `key from ${key}`, problem ?? ''],
  ]);
  const limits = Object.entries(guards).map(([name, percent]) => `${name} ${percent}`);
  return [
    'sources, in order of preference\n',
    formatTable(rows, { indent: '  ' }),
    formatTable([
      ['snapshots', `${snapshots}, of which ${keep} stay`],
      ['ids', ids],
      ['cache', cache],
      ['guards', limits.join(', ')],
    ]),
  ].join('');
}

function keyFrom({ key }: RefreshSource): string | null {
  if (key === undefined) return null;
  return key.kind === 'file' ? `the file ${key.path}` : `the variable ${key.name}`;
}

function problemOf(location: string): string | null {
  if (/^https?:/i.test(location)) return null;
  try {
    statSync(location);
    return null;
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
}

function requireReadable(field: string, path: string): void {
  try {
    readFileSync(path);
  } catch (error) {
    throw new UsageError(`${field} ${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
