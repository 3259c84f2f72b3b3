// Versions as parsers of ranges read them: inside a range a short or loose one would mean another thing, or
// nothing, and readers of SemVer 2 know nothing of the tags of Go.

// Groups: major, minor, patch, pre-release, build. It backtracks like node-semver's loose expression.
const LOOSE =
  /^[v=\s]*(\d+)(?:\.(\d+)(?:\.(\d+)(?:-?([\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*))?(?:\+([\da-zA-Z.-]+))?)?)?$/;

/**
 * A semver bound as node-semver's strict ranges accept it. A short `1.2` is completed, because inside a range
 * it means "any 1.2". A loose version loses its prefix and leading zeros, and its pre-release gains a dash. A
 * text that is not a version under the semver scheme is returned unchanged.
 */
export function completeSemver(version: string): string {
  const parts = LOOSE.exec(version.trim());
  if (parts === null) return version;
  const [, major, minor = '0', patch = '0', prerelease, build] = parts;
  const core = [major, minor, patch].map(withoutLeadingZeros).join('.');
  const identifiers = prerelease?.split('.').map(withoutLeadingZeros).join('.');
  return `${core}${identifiers === undefined ? '' : `-${identifiers}`}${build === undefined ? '' : `+${build}`}`;
}

function withoutLeadingZeros(identifier: string): string {
  return /^0+\d+$/.test(identifier) ? identifier.replace(/^0+(?=\d)/, '') : identifier;
}

const GOLANG = /^(?:v|go)?(\d+(?:\.\d+){0,2})((?:[-+].*)?)$/;
const TAG = /^(?:go)?(\d+(?:\.\d+){0,2})(rc|beta)0*(\d+)$/;

/**
 * Without prefix, with three numbers: `1.22.0-rc.1` of `go1.22rc1`. A text that is not a version under the
 * golang scheme is returned unchanged.
 */
export function completeGolang(version: string): string {
  const tag = TAG.exec(version);
  if (tag !== null) return `${completeCore(tag[1])}-${tag[2]}.${tag[3]}`;
  const parts = GOLANG.exec(version);
  return parts === null ? version : `${completeCore(parts[1])}${parts[2]}`;
}

function completeCore(numbers: string): string {
  return numbers + '.0'.repeat(3 - numbers.split('.').length);
}
