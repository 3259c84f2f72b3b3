// Reads the YAML that lockfiles and SBOMs are written in. All scalars are text, so a version `1.10` is not a
// number. Aliases are refused: nine lines of them can stand for billions.

import { FAILSAFE_SCHEMA, loadAll, YAMLException } from 'js-yaml';
import { clip, Refusal } from './refusal.ts';

const MAX_DEPTH = 100;

/** All documents of the text. Throws a Refusal with the place of what is not read. */
export function parseYaml(text: string): readonly unknown[] {
  try {
    return loadAll(text, { schema: FAILSAFE_SCHEMA, maxAliases: 0, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const place = mark === undefined ? '' : ` at line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new Refusal(`This looks like YAML, but is not read: ${clip(reason)}${place}.`);
  }
}
