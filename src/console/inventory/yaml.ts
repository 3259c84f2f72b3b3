// Reads the YAML of lockfiles: all scalars are text (a version `1.10` is not a number), and aliases are refused, because no
// lockfile has them and a few lines of them can stand for billions.

import { FAILSAFE_SCHEMA, loadAll, YAMLException } from 'js-yaml';
import { clip, Refusal } from './refusal.ts';

/** All documents of the text. */
export function parseYaml(text: string): readonly unknown[] {
  try {
    return loadAll(text, { schema: FAILSAFE_SCHEMA, maxAliases: 0, maxDepth: 100 });
  } catch (error) {
    const { reason, mark } = error instanceof YAMLException ? error : { reason: 'it cannot be read' };
    const where = mark === undefined ? '' : ` at line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new Refusal(
      `This looks like a YAML lockfile, but ${reason.includes('maxAliases') ? 'it has an alias (*), which no lockfile has,' : clip(reason)}${where}.`,
    );
  }
}
