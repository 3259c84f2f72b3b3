// The layout of a prepared item: its fields in order, and the text before each. The writer
// (item-writer.ts) and the view of an item's fields (item-view.ts) share this table, and nothing else
// knows it.
//
//     {"id":1,"title":"…","disclosed_at":"…+00:00", … ,"version_info":{"affected":"…","patched_ranges":[…],"fixed":"1.2"}},
//     ^ start  ^ value of title                                                                            |tail bytes   |

type FieldKind =
  /** A string with its quotes, or null. */
  | 'text'
  /** A number, true, false or null. */
  | 'scalar'
  /** INSTANT_BYTES characters, without quotes. */
  | 'instant'
  /** The content between the brackets of a list of strings. */
  | 'texts'
  /** The content between the brackets of any other list. */
  | 'list';

interface FieldShape {
  readonly before: string;
  readonly kind: FieldKind;
  /**
   * Where its value begins is kept for each item, so that a reader need not step over all that precedes it.
   */
  readonly isMarked?: true;
}

/** In the order of the item. */
const FIELD_ROWS = {
  id: { before: '{"id":', kind: 'scalar' },
  title: { before: ',"title":', kind: 'text' },
  disclosedAt: { before: ',"disclosed_at":"', kind: 'instant', isMarked: true },
  createdAt: { before: '+00:00","created_at":"', kind: 'instant' },
  url: { before: '+00:00","url":', kind: 'text' },
  vulnType: { before: ',"vuln_type":', kind: 'text', isMarked: true },
  cve: { before: ',"cve":', kind: 'text' },
  isExploited: { before: ',"is_exploited":', kind: 'scalar' },
  patchPriority: { before: ',"patch_priority":', kind: 'scalar' },
  productId: { before: ',"product":{"id":', kind: 'scalar' },
  productName: { before: ',"name":', kind: 'text' },
  productSlug: { before: ',"slug":', kind: 'text' },
  cvssScore: { before: '},"cvss":{"score":', kind: 'scalar', isMarked: true },
  cvssVector: { before: ',"vector":', kind: 'text' },
  cweId: { before: '},"cwe":{"id":', kind: 'scalar' },
  cweName: { before: ',"name":', kind: 'text' },
  capecId: { before: '},"capec":{"id":', kind: 'scalar' },
  capecName: { before: ',"name":', kind: 'text' },
  ghsa: { before: '},"ghsa":', kind: 'text' },
  references: { before: ',"references":[', kind: 'texts', isMarked: true },
  affected: { before: '],"version_info":{"affected":', kind: 'text', isMarked: true },
  patchedRanges: { before: ',"patched_ranges":[', kind: 'list' },
  /** Begins the tail: see `tailBytes` in list-item.ts. */
  fixed: { before: '],"fixed":', kind: 'text' },
} as const satisfies Readonly<Record<string, FieldShape>>;

export type ItemField = keyof typeof FIELD_ROWS;
export const ITEM_FIELDS: Readonly<Record<ItemField, FieldShape>> = FIELD_ROWS;
export const FIELD_NAMES = Object.keys(FIELD_ROWS) as readonly ItemField[]; // exactly the literal's keys

/** The text before the value of a field. */
export function before(field: ItemField): string {
  return ITEM_FIELDS[field].before;
}

/** After the value of the last field: two braces, and the comma before the next item. */
export const END_ITEM = '}},';
/** `2026-04-21T08:38:34` */
export const INSTANT_BYTES = 19;
/** What is cut from the end of an item to which members are added: the last brace and the comma. */
export const OPEN_END_BYTES = 2;

export const MARKED_FIELDS: readonly ItemField[] = FIELD_NAMES.filter((name) => ITEM_FIELDS[name].isMarked);
/** In place of a mark that 16 bits cannot hold: the value is then found from an earlier mark. */
export const BEYOND_MARKS = 0xffff;
