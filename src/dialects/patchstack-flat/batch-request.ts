// The body of a batch: an array of products. It is read as a whole or refused as a whole.

import type { ParameterError } from '../../http/replies/problems.ts';
import type { ProductType } from '../../index/product-type.ts';
import { isProductType, nameComplaint, TYPE_COMPLAINT } from '../path-part.ts';

/** As sent; it may have other members too. */
export interface BatchItem {
  /** Absent: whichever WordPress products have this name. */
  readonly type?: ProductType;
  readonly name: string;
  readonly version: string;
  readonly exists?: boolean;
}

export interface ReadBatch {
  readonly items: readonly BatchItem[];
  /** One entry for each bad member; then the items are not to be used. */
  readonly errors: readonly ParameterError[];
}

export function readBatch(body: unknown, maxItems: number): ReadBatch {
  const refused = (message: string): ReadBatch => ({ items: [], errors: [{ parameter: 'items', message }] });
  if (!Array.isArray(body)) return refused('the body must be an array, not wrapped in anything');
  if (body.length > maxItems) return refused(`must be at most ${maxItems}, got ${body.length}`);
  const items: BatchItem[] = [];
  const errors: ParameterError[] = [];
  body.forEach((item: unknown, i) => {
    const complaints = complaintsAbout(item, `items[${i}]`);
    // What has no complaint is an item.
    if (complaints.length === 0) items.push(item as BatchItem);
    errors.push(...complaints);
  });
  return { items, errors };
}

function complaintsAbout(item: unknown, place: string): ParameterError[] {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return [{ parameter: place, message: 'must be an object with name, version and type' }];
  }
  const { type, name, version, exists } = item as Readonly<Record<string, unknown>>; // any JSON object is one
  const messages = {
    type: type === undefined || isProductType(type) ? undefined : TYPE_COMPLAINT,
    name: typeof name === 'string' ? nameComplaint(name) : 'must be a string',
    version: typeof version === 'string' ? undefined : 'must be a string',
    exists: exists === undefined || typeof exists === 'boolean' ? undefined : 'must be true or false',
  };
  return Object.entries(messages).flatMap(([member, message]) =>
    message === undefined ? [] : [{ parameter: `${place}.${member}`, message }],
  );
}
