// Versions that stand for "there is none": advisories about packages that were taken down name a fix above
// all versions, which nobody published.

/** Whether the text is such a version, for example `99.999.9999`. `9.9.9` may be a real one. */
export function isPlaceholder(version: string): boolean {
  return /^99+(?:\.99+)+$/.test(version);
}
