// What can be asked: the names and versions that the server accepts in a batch. One bad name would make it
// refuse the 49 others, so such packages are left out beforehand.

import { formComplaint } from '../index/name-forms.ts';
import type { ProductType } from '../index/product-type.ts';

const MAX_BYTES = 256; // of a name, and of a version

export type PackageRefusal = 'no name' | 'no version' | 'a name or version that no server accepts';

/** Why it cannot be asked, or undefined. */
export function refusePackage(type: ProductType, name: string, version: string): PackageRefusal | undefined {
  if (name === '') return 'no name';
  if (version === '' || version === '*') return 'no version'; // `*` would ask for all versions
  const isText = [name, version].every((text) => !isTooLong(text) && !/\p{Cc}/u.test(text));
  return isText && !formComplaint(type, name) ? undefined : 'a name or version that no server accepts';
}

function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES;
}
