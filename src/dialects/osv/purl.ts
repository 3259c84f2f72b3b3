// The package URLs of records. WordPress has no registered type, and so none.

import { ecosystemFacts, type HeldEcosystem } from './ecosystems.ts';

/** The purl of a package without a version; undefined in an ecosystem without a registered type. */
export function purlOf(ecosystem: HeldEcosystem, name: string): string | undefined {
  const { purlType, purlName } = ecosystemFacts(ecosystem);
  return purlName === null ? undefined : `pkg:${purlType}/${escapedName(purlName(name))}`;
}

export function escapedName(name: string): string {
  return name.split('/').map(escaped).join('/');
}

/** Everything but unreserved characters and colons is escaped; half a character becomes U+FFFD. */
function escaped(part: string): string {
  const encoded = encodeURIComponent(Buffer.from(part).toString());
  return encoded
    .replaceAll('%3A', ':')
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
