// Appends members of a JSON object to an answer, one by one.

import type { ItemField } from '../index/items/item-layout.ts';
import type { ItemView } from '../index/items/item-view.ts';
import type { ByteWriter } from '../index/memory/byte-writer.ts';

/**
 * In both, `before` is the text up to the value: a comma, the name and a colon, and braces where objects
 * begin or end.
 */
interface MemberWriters {
  /** A field of the advisory that the view is set on, copied from its prepared item. */
  readonly listed: (before: string, field: ItemField) => void;
  /** Any other value. */
  readonly other: (before: string, value: unknown) => void;
}

export function memberWriters(out: ByteWriter, view: ItemView): MemberWriters {
  return {
    listed: (before, field) => {
      out.text(before);
      view.write(out, field);
    },
    other: (before, value) => {
      out.text(before);
      out.text(JSON.stringify(value));
    },
  };
}
