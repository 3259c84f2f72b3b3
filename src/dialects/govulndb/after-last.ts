// The end of a range after its last affected version, for a client that knows only `introduced` and `fixed`.
// SemVer has a next version, so nothing is lost:
//
//     last affected     the next version
//     1.2.3             1.2.4-0          the lowest pre-release of the next patch
//     1.2.3-rc.1        1.2.3-rc.1.0     the same, with the lowest identifier after it

import type { AfterLast } from '../osv/ranges.ts';

const PARTS = /^(\d+\.\d+)\.(\d+)(-[^+]+)?(?:\+.*)?$/; // builds do not count

/** Requires: a version with three numbers. */
export const fixedAfter: AfterLast = (version) => {
  const parts = PARTS.exec(version);
  // Without an end, the client takes all later versions for affected.
  if (parts === null) return { last_affected: version };
  const [, minor, patch, prerelease] = parts;
  return {
    fixed: prerelease === undefined ? `${minor}.${BigInt(patch) + 1n}-0` : `${minor}.${patch}${prerelease}.0`,
  };
};
