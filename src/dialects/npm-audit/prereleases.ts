// Pre-releases in ranges. Most clients compare as npm does: a range holds the pre-releases between its
// bounds. deno compares by node-semver's default, under which it holds them only beside a bound of the same
// release, so deno would report nothing. Every client finds a version that is named, so the affected
// pre-releases of a request are named in its answer.

import { completeSemver } from '../../index/versions/complete.ts';
import type { Verdicts } from './verdicts.ts';

/** For each name. A tree has two or three; more are found by the range alone. */
const MAX_NAMED = 20;

/** A letter or a dash before the build. Also a `v` in front, which does no harm. */
const MAYBE_PRERELEASE = /^[^+]*[a-z-]/i;

/**
 * The affected pre-releases among the versions of a package, in node-semver's strict form, by the advisory's
 * ordinal.
 */
export function affectedPrereleases(
  verdicts: Verdicts,
  name: string,
  versions: readonly unknown[],
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  const asked = new Set(versions.filter(isMaybePrerelease).slice(0, MAX_NAMED));
  for (const version of asked) {
    for (const ordinal of verdicts.of(name, version)) {
      const [text] = completeSemver(version).split('+');
      if (!text.includes('-')) break;
      const before = found.get(ordinal);
      if (before === undefined) found.set(ordinal, [text]);
      else if (!before.includes(text)) before.push(text);
    }
  }
  return found;
}

function isMaybePrerelease(version: unknown): version is string {
  return typeof version === 'string' && MAYBE_PRERELEASE.test(version);
}
