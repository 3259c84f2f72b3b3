// How ids of advisories are written, and what their first letters say. Comparing ids is normaliseAlias's in
// the index.

/**
 * As its database writes it, where that is known: GHSA ids in lower case, ids such as CVE-2026-1 and
 * MAL-2026-1 in upper case.
 */
export function canonicalId(id: string): string {
  if (/^GHSA-/i.test(id)) return `GHSA-${id.slice(5).toLowerCase()}`;
  return /^[A-Z]+(?:-\d+)+$/i.test(id) ? id.toUpperCase() : id;
}

/** Of the GitHub Advisory Database, whose records are reviewed. Requires: a normalised id. */
export function isGhsa(id: string): boolean {
  return id.startsWith('GHSA-');
}

/** Of OpenSSF's malicious packages. Requires: a normalised id. */
export function isMalwareReport(id: string): boolean {
  return id.startsWith('MAL-');
}
