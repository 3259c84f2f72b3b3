// What one lookup asks, from the words of the command line: a type, a name and a version, or a package URL.

import { isAskable, type Lookup } from '../../index/lookup/lookup.ts';
import { isLongerThan } from '../../index/memory/text-limits.ts';
import { formComplaint } from '../../index/name-forms.ts';
import { isProductType, PRODUCT_TYPES, productTypeFacts } from '../../index/product-type.ts';
import { MAX_VERSION_BYTES } from '../../index/versions/version-key.ts';
import { readPurl } from '../../inventory/purl.ts';
import { UsageError } from '../command-error.ts';

/** Throws UsageError for what has no answer. */
export function readLookup(words: readonly string[]): Lookup {
  const [first = ''] = words;
  if (words.length === 1 && /^pkg:/i.test(first)) return readPackageUrl(first);
  if (words.length !== 3) {
    throw new UsageError(
      'give a type, a name and a version, or a package URL such as pkg:npm/lodash@4.17.20, or a file with --from',
    );
  }
  const [type, name, version] = words;
  return checked(type, name, version);
}

function readPackageUrl(text: string): Lookup {
  const purl = readPurl(text);
  if (purl.kind === 'left-out') {
    throw new UsageError(
      `${text}: cannot be looked up (${purl.reason}); ask about one of these types: ${PRODUCT_TYPES.join(', ')}`,
    );
  }
  const { type, name, version } = purl;
  if (version === '') {
    throw new UsageError(`${text} has no version: add one, such as ${text}@1.2.3, or @* for every advisory`);
  }
  return checked(type, name, version);
}

function checked(type: string, name: string, version: string): Lookup {
  if (!isProductType(type)) {
    throw new UsageError(`unknown type ${JSON.stringify(type)}: use one of ${PRODUCT_TYPES.join(', ')}`);
  }
  if (name === '') throw new UsageError('the name is empty: give a slug or package name');
  const misformed = formComplaint(type, name);
  if (misformed !== undefined) {
    throw new UsageError(`the name ${misformed}, got ${JSON.stringify(name)}: give the whole name`);
  }
  if (version === '') throw new UsageError("the version is empty: give a version, or '*' for every advisory");
  if (isLongerThan(version, MAX_VERSION_BYTES)) {
    throw new UsageError(`the version is longer than ${MAX_VERSION_BYTES} bytes: give a shorter one`);
  }
  const lookup = { type, name, version };
  if (!isAskable(lookup)) throw notAVersion(lookup);
  return lookup;
}

export function notAVersion({ type, version }: Lookup): UsageError {
  return new UsageError(
    `${JSON.stringify(version)} is not a version of ${productTypeFacts(type).phrase}: ` +
      "give a version such as 1.2.3, or '*' for every advisory",
  );
}
