// The sources of a configuration, ready to be compiled: downloads are in the cache, keys are read, and each source has a
// fingerprint that changes when what it says may have changed.

import { randomUUID } from 'node:crypto';
import { HttpClient } from '../../importers/download/client.ts';
import { UsageError } from '../command-error.ts';
import { readKeyFile } from '../key-file.ts';
import { showProgress } from '../progress.ts';
import type { SourcePlan } from '../sources/sources.ts';
import { DownloadCache } from './download-cache.ts';
import type { KeyPlace, RefreshConfig, RefreshSource } from './refresh-config.ts';
import { fingerprintOf } from './refresh-state.ts';

export interface ReadySources {
  readonly plans: readonly SourcePlan[];
  /** One for each. */
  readonly fingerprints: readonly string[];
}

/** Fetches what is on the web. Throws SourceError, or UsageError for a key that cannot be read. */
export async function readySources(
  config: RefreshConfig,
  environment: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<ReadySources> {
  const { cache, caFile, maxDownloadBytes, sources } = config;
  const keys = sources.map(({ key }) => (key === undefined ? undefined : readKey(key, environment)));
  const client = new HttpClient({
    caFile,
    environment,
    secrets: keys.filter((key) => key !== undefined),
    onWait: report,
  });
  try {
    const downloads = new DownloadCache(cache, client, maxDownloadBytes);
    const plans: SourcePlan[] = [];
    const fingerprints: string[] = [];
    for (const [i, source] of sources.entries()) {
      const { location, fingerprint } = await readyOne(source, keys[i], downloads, client);
      const ofMirror = { cache, ...(caFile === undefined ? {} : { caFile }), ...keyOf(keys[i]) };
      plans.push({ kind: source.kind, location, ...(source.kind === 'mirror' ? ofMirror : {}) });
      fingerprints.push(fingerprint);
    }
    return { plans, fingerprints };
  } finally {
    await client.close();
  }
}

async function readyOne(
  { kind, location }: RefreshSource,
  key: string | undefined,
  downloads: DownloadCache,
  client: HttpClient,
): Promise<{ readonly location: string; readonly fingerprint: string }> {
  if (!/^https?:/i.test(location)) return { location, fingerprint: await fingerprintOf(location) };
  if (kind === 'mirror') return { location, fingerprint: await mirrorTag(location, key, client) };
  const url = new URL(location);
  const progress = showProgress({ label: `fetching ${url.host}${url.pathname}`, unit: 'bytes' });
  try {
    const { path, sha256 } = await downloads.get(url, key, progress);
    return { location: path, fingerprint: sha256 };
  } finally {
    progress.end();
  }
}

/** A server's entity tag stands for its whole snapshot. One that sends none is always new. */
async function mirrorTag(location: string, key: string | undefined, client: HttpClient): Promise<string> {
  const url = new URL(`${location.replace(/\/+$/, '')}/all`);
  const asked = { headers: { pskey: key ?? '' } };
  const tag = await client.stream(url, asked, async (head) => head.header('etag'));
  return tag ?? randomUUID();
}

function keyOf(key: string | undefined): { readonly key?: string } {
  return key === undefined ? {} : { key };
}

/** The first line of the file, or the value of the variable. No message shows either. */
function readKey(place: KeyPlace, environment: NodeJS.ProcessEnv): string {
  if (place.kind === 'variable') {
    const value = environment[place.name]?.trim() ?? '';
    if (value === '')
      throw new UsageError(`key_env: the variable ${place.name} is not set; it must be the key`);
    return value;
  }
  return readKeyFile(place.path, 'key_file');
}
