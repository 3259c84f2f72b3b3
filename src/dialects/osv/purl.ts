// The package URLs of records. WordPress has no registered type, and so none.

import { escapedName } from '../package-url.ts';
import { ecosystemFacts, type HeldEcosystem } from './ecosystems.ts';

/** The purl of a package without a version; undefined in an ecosystem without a registered type. */
export function purlOf(ecosystem: HeldEcosystem, name: string): string | undefined {
  const { purlType, purlName } = ecosystemFacts(ecosystem);
  return purlName === null ? undefined : `pkg:${purlType}/${escapedName(purlName(name))}`;
}
