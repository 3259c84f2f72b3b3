// One part of a product's address, from a path or a batch item: which values are valid, and what is wrong
// with others.

import { hasControlCharacter, isLongerThan } from '../index/memory/text-limits.ts';
import { PRODUCT_TYPES } from '../index/product-type.ts';
import { MAX_VERSION_BYTES } from '../index/versions/version-key.ts';

export const MAX_NAME_BYTES = 256;

/** The part, percent-decoded once; undefined for a bad escape, or one that is not UTF-8. */
export function decodePart(part: string): string | undefined {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

export const TYPE_COMPLAINT = `must be one of ${PRODUCT_TYPES.join(', ')}`;

/** What is wrong with a product's name, or undefined. */
export function nameComplaint(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (isLongerThan(name, MAX_NAME_BYTES)) return `must have at most ${MAX_NAME_BYTES} bytes`;
  return hasControlCharacter(name) ? 'must not have control characters' : undefined;
}

/** What is wrong with the beginning of a product's name, or undefined. */
export function prefixComplaint(prefix: string): string | undefined {
  return prefix === '' ? undefined : nameComplaint(prefix);
}

/** What is wrong with a version under any scheme, or undefined. */
export function versionComplaint(version: string): string | undefined {
  if (version === '') return 'must not be empty';
  return isLongerThan(version, MAX_VERSION_BYTES)
    ? `must have at most ${MAX_VERSION_BYTES} bytes`
    : undefined;
}
