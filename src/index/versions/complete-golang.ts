// Versions of Go as SemVer 2 writes them, for readers of ranges that know nothing of tags.

const SEMVER = /^(?:v|go)?(\d+(?:\.\d+){0,2})((?:[-+].*)?)$/;
const TAG = /^(?:go)?(\d+(?:\.\d+){0,2})(rc|beta)0*(\d+)$/;

/**
 * Without prefix, with three numbers: `1.22.0-rc.1` of `go1.22rc1`. A text that is not a version under the
 * golang scheme is returned unchanged.
 */
export function completeGolang(version: string): string {
  const tag = TAG.exec(version);
  if (tag !== null) return `${completeCore(tag[1])}-${tag[2]}.${tag[3]}`;
  const parts = SEMVER.exec(version);
  return parts === null ? version : `${completeCore(parts[1])}${parts[2]}`;
}

function completeCore(numbers: string): string {
  return numbers + '.0'.repeat(3 - numbers.split('.').length);
}
