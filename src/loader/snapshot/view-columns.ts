// The index section as columns: typed arrays over its bytes, in place. Checks that the section really
// contains its vectors; verify.ts checks their values.

import { ByteBuffer } from 'flatbuffers';
import {
  COLUMN_NAMES,
  COLUMNS,
  type ColumnName,
  type ElementArrays,
  type IndexColumns,
} from '../../index/columns.ts';
import { SnapshotError } from '../errors.ts';
import { SnapshotIndex } from '../generated/snapshot-index.ts';

type Elements = ElementArrays[keyof ElementArrays];

/**
 * The index's vectors as typed arrays over its bytes. Throws SnapshotError if one is missing or not inside
 * the section.
 */
export function viewColumns(section: Uint8Array): IndexColumns {
  const index =
    section.length < 8 ? undefined : SnapshotIndex.getRootAsSnapshotIndex(new ByteBuffer(section));
  const views = COLUMN_NAMES.map((name) => [name, viewColumn(section, index, name)] as const);
  requireDisjoint(views);
  // Built in one step: V8 turns an object that grows name by name into a hash table, which is slow to read.
  // Has every name, each with its field's array type.
  return Object.fromEntries(views) as unknown as IndexColumns;
}

/** Columns that share bytes could claim many times the size of the file. */
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
    got: view === null ? 'none' : 'one that is not inside',
  });
}

function readVector(index: SnapshotIndex, name: ColumnName): Elements | null {
  type Reader = () => Elements | null;
  // flatc generates one for every vector.
  const read = (index as unknown as Record<string, Reader>)[`${name}Array`];
  try {
    return read.call(index);
  } catch {
    return null; // a typed array refuses an offset or length outside its buffer, or not aligned
  }
}
