// The version of Go itself, whose standard library has advisories of its own.

export const GO_VERSION_UNKNOWN =
  'The file does not say which version of Go builds the module, so its standard library was not looked up.';

/** Of `go1.21.3` or `1.21.3`; undefined for a language version such as 1.21, which is not a release. */
export function goVersion(text: string): string | undefined {
  return /^(?:go)?(1\.\d+(?:\.\d+|rc\d+|beta\d+))/.exec(text)?.[1];
}
