// The preference of a run without rules.

import { type Preference, parsePreference } from '../../../src/importers/assemble/preference.ts';

/** The order in which the sources were given, for all fields. */
export function preferenceInOrder(sourceCount: number): Preference {
  return parsePreference(
    [],
    Array.from({ length: sourceCount }, (_, i) => `source-${i}`),
  );
}
