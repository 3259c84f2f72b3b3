// The JSON schema of OSV: the copy in test/fixtures/osv-schema, or the one that VULNDEX_OSV_SCHEMA names.
//
// The schema lists the ecosystems and the prefixes of ids that osv.dev knows. Two things here are beyond it:
// the ecosystem WordPress, and the ids of sources that it does not list. Records without them are held
// against the schema as it is.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const FILE =
  process.env.VULNDEX_OSV_SCHEMA ?? join(import.meta.dirname, '../../fixtures/osv-schema/schema.json');

interface SchemaJson {
  readonly $defs: Readonly<Record<'ecosystemWithSuffix' | 'prefix', { pattern: string }>>;
}

let asPublished: ValidateFunction | undefined;
let extended: ValidateFunction | undefined;

function compiled(change: (schema: SchemaJson) => void): ValidateFunction {
  // The members used here are checked by the changes.
  const schema = JSON.parse(readFileSync(FILE, 'utf8')) as SchemaJson;
  change(schema);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return ajv.compile(schema);
}

/** What is wrong with a record, one line each. */
export function osvSchemaProblems(record: {
  readonly id: string;
  readonly affected: readonly { readonly package: { readonly ecosystem: string } }[];
}): string[] {
  asPublished ??= compiled(() => {});
  extended ??= compiled(({ $defs }) => {
    $defs.ecosystemWithSuffix.pattern = $defs.ecosystemWithSuffix.pattern.replace('|npm|', '|npm|WordPress|');
    $defs.prefix.pattern = '^[A-Za-z0-9]';
  });
  const isKnown =
    /^(?:GHSA|MAL|CVE)-/.test(record.id) &&
    record.affected.every((entry) => entry.package.ecosystem === 'npm');
  const validate = isKnown ? asPublished : extended;
  if (validate(record)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
