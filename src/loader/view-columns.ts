// The index section as columns: typed arrays over its bytes, in place. That the section really holds the vectors it names
// is judged here; what the values mean is verify.ts's.

import { ByteBuffer } from 'flatbuffers';
import {
  COLUMN_NAMES,
  COLUMNS,
  type ColumnName,
  type ElementArrays,
  type IndexColumns,
} from '../index/columns.ts';
import { SnapshotError } from './errors.ts';
import { SnapshotIndex } from './generated/snapshot-index.ts';

type Elements = ElementArrays[keyof ElementArrays];

/** The index's vectors as typed arrays over its bytes. A vector that is absent or leaves the section is refused. */
export function viewColumns(section: Uint8Array): IndexColumns {
  const index =
    section.length < 8 ? undefined : SnapshotIndex.getRootAsSnapshotIndex(new ByteBuffer(section));
  const views = COLUMN_NAMES.map((name) => [name, viewColumn(section, index, name)] as const);
  requireDisjoint(views);
  // Made at once: V8 turns an object that grows name by name into a hash table, which is slow to read from.
  return Object.fromEntries(views) as unknown as IndexColumns; // every name is there, with the array its field is generated for
}

/** Columns that share bytes could hold many times what the file has, and no size would bound another. */
function requireDisjoint(views: readonly (readonly [ColumnName, Elements])[]): void {
  const inOrder = views
    .filter(([, { byteLength }]) => byteLength > 0)
    .sort(([, a], [, b]) => a.byteOffset - b.byteOffset);
  inOrder.forEach(([name, { byteOffset }], i) => {
    if (i === 0) return;
    const [before, view] = inOrder[i - 1];
    if (view.byteOffset + view.byteLength <= byteOffset) return;
    throw new SnapshotError({
      code: 'bad-index',
      section: `index.${name}`,
      offset: 0,
      expected: 'a vector of its own',
      got: `one that shares bytes with ${before}`,
    });
  });
}

function viewColumn(section: Uint8Array, index: SnapshotIndex | undefined, name: ColumnName): Elements {
  const view = index === undefined ? null : readVector(index, name);
  const isInside =
    view !== null &&
    view.byteOffset >= section.byteOffset &&
    view.byteOffset + view.byteLength <= section.byteOffset + section.byteLength;
  if (isInside) return view;
  throw new SnapshotError({
    code: 'bad-index',
    section: `index.${name}`,
    offset: 0,
    expected: `a vector of ${COLUMNS[name].element} inside the section`,
    got: view === null ? 'none' : 'one that leaves it',
  });
}

function readVector(index: SnapshotIndex, name: ColumnName): Elements | null {
  type Reader = () => Elements | null;
  const read = (index as unknown as Record<string, Reader>)[`${name}Array`]; // flatc makes one for every vector
  try {
    return read.call(index);
  } catch {
    return null; // a typed array refuses an offset or length outside its buffer, or not aligned
  }
}
