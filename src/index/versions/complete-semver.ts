// Semantic versions as parsers of ranges read them. Inside a range a short or loose version would mean
// another thing, or nothing.

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
