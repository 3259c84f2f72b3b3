// The types whose every name has a form: a name without it names nothing, so a question about it is refused
// instead of answered with nothing. Apart from the table of product-type.ts, whose rows the console's first
// view loads: only what reads names needs these.

import type { ProductType } from './product-type.ts';

interface NameForm {
  readonly pattern: RegExp;
  readonly phrase: string;
  /** Whether a record of OSV with another name is rejected, not stored. */
  readonly holdsForRecords?: true;
}

export const NAME_FORMS: { readonly [type in ProductType]?: NameForm } = {
  composer: { pattern: /^[^/]+\/[^/]+$/, phrase: 'vendor/package' },
  maven: {
    pattern: /^[^:/]+[:/][^:]+$/,
    phrase: 'group:artifact or group/artifact',
    holdsForRecords: true,
  },
};

/** What a name that may be asked about must be and this one is not, or undefined. */
export function formComplaint(type: ProductType, name: string): string | undefined {
  const form = NAME_FORMS[type];
  return form === undefined || form.pattern.test(name) ? undefined : `must be ${form.phrase}`;
}
