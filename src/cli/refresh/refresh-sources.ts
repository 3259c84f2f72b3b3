// The sources of a configuration, ready to be compiled: downloads are in the cache, keys are read, and each
// source has a fingerprint that changes when what it says may have changed.

import { HttpClient } from '../../download/client.ts';
import type { ServerCopy, SourceReader } from '../../importers/source-kind.ts';
import { UsageError } from '../command-error.ts';
import { readKeyFile } from '../key-file.ts';
import { showProgress } from '../progress.ts';
import { answersFolder, type OpenSource, type SourcePlan } from '../sources/sources.ts';
import { DownloadCache } from './download-cache.ts';
import { openKept, removeOthers } from './kept-sources.ts';
import type { KeyPlace, RefreshConfig, RefreshSource } from './refresh-config.ts';
import { fingerprintOf } from './refresh-state.ts';
import type { SourceStatuses } from './source-status.ts';

export interface ReadySources {
  readonly plans: readonly SourcePlan[];
  /** One for each. */
  readonly fingerprints: readonly string[];
  /** Of a plan above; a server was copied already. */
  readonly open: OpenSource;
  /**
   * To be called when every source has been read to its end: what was fetched for it need not be fetched
   * again.
   */
  confirm(): void;
}

interface Surroundings {
  readonly config: RefreshConfig;
  /** Of this program. */
  readonly version: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Fetches what is on the web. Throws SourceError, or UsageError for a key that cannot be read. */
export async function readySources(
  { config, version, environment }: Surroundings,
  report: (line: string) => void,
  statuses: SourceStatuses,
): Promise<ReadySources> {
  const keys = config.sources.map(({ key }) => (key === undefined ? undefined : readKey(key, environment)));
  const fetching: Fetching = {
    config,
    environment,
    secrets: keys.filter((key) => key !== undefined),
    report,
    downloads: new DownloadCache(config.cache, config.limits.maxBytes),
  };
  const ready: ReadySource[] = [];
  for (const [i, source] of config.sources.entries()) {
    try {
      ready.push(await readyOne(source, keys[i], fetching));
    } catch (error) {
      statuses.fail();
      throw error;
    }
    statuses.add(ready[i].fingerprint);
  }
  const plans = ready.map(({ plan }) => plan);
  removeOthers(config.cache, plans);
  return {
    plans,
    fingerprints: ready.map(({ fingerprint }) => fingerprint),
    open: async (plan, options) =>
      ready.find((each) => each.plan === plan)?.reader ??
      openKept(plan, options, { folder: config.cache, version }),
    confirm: () => fetching.downloads.confirm(),
  };
}

interface Fetching {
  readonly config: RefreshConfig;
  readonly environment: NodeJS.ProcessEnv;
  readonly secrets: readonly string[];
  readonly report: (line: string) => void;
  readonly downloads: DownloadCache;
}

interface ReadySource {
  readonly plan: SourcePlan;
  readonly fingerprint: string;
  readonly reader?: SourceReader;
}

async function readyOne(
  { kind, location }: RefreshSource,
  key: string | undefined,
  { config, environment, secrets, report, downloads }: Fetching,
): Promise<ReadySource> {
  const { osvInformational: informational } = config;
  if (!/^https?:/i.test(location)) {
    return { plan: { kind, location, informational }, fingerprint: await fingerprintOf(location) };
  }
  const { cache, caFile, limits } = config;
  const connection = { caFile, environment };
  if (kind.form === 'server') {
    const folder = answersFolder(cache, kind, location);
    const options = { ...connection, url: location, key: key ?? '', folder, limits, onNotice: report };
    const copying = (onProgress: OnProgress): Promise<ServerCopy> => kind.copy(options, onProgress);
    const { fingerprint, source } = await withProgress(location, 'records', copying);
    return { plan: { kind, location }, fingerprint, reader: source };
  }
  const client = new HttpClient({ ...connection, maxMs: limits.maxMs, secrets, onWait: report });
  const url = new URL(location);
  try {
    const { path, sha256 } = await withProgress(location, 'bytes', (onProgress) =>
      downloads.get(url, key, client, onProgress),
    );
    return { plan: { kind, location: path, informational }, fingerprint: sha256 };
  } finally {
    await client.close();
  }
}

type OnProgress = (amount: number) => void;

async function withProgress<Result>(
  location: string,
  unit: 'bytes' | 'records',
  action: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> {
  const { host, pathname } = new URL(location);
  const progress = showProgress({ label: `fetching ${host}${pathname}`, unit });
  try {
    return await action((amount) => progress.advance(amount));
  } finally {
    progress.end();
  }
}

/** The first line of the file, or the value of the variable. No message shows either. Throws UsageError. */
export function readKey(place: KeyPlace, environment: NodeJS.ProcessEnv): string {
  if (place.kind === 'variable') {
    const value = environment[place.name]?.trim() ?? '';
    if (value === '')
      throw new UsageError(`key_env: the variable ${place.name} is not set; it must be the key`);
    return value;
  }
  return readKeyFile(place.path, 'key_file');
}
