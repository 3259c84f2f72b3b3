// The columns as one FlatBuffers table.

import { Builder, type Offset } from 'flatbuffers';
import { COLUMN_NAMES, type ColumnName, type ElementArrays, type IndexColumns } from '../index/columns.ts';
import { SnapshotIndex } from '../loader/generated/snapshot-index.ts';

type Elements = ElementArrays[keyof ElementArrays];
type VectorMaker = (builder: Builder, elements: Elements) => Offset;
type FieldAdder = (builder: Builder, vector: Offset) => void;

/** Between two calls of `onPacked`. */
const PART_BYTES = 8 << 20;

/**
 * The section's bytes. Its vectors are aligned if it is placed at a multiple of 8. With `onPacked`, columns are removed
 * from the object once they are packed, and it is called now and then: it can free them, as otherwise the index is in
 * memory twice.
 */
export function packIndex(
  columns: { -readonly [Name in keyof IndexColumns]: IndexColumns[Name] },
  onPacked?: () => void,
): Uint8Array {
  const dataBytes = COLUMN_NAMES.reduce((sum, name) => sum + columns[name].byteLength + 16, 1024);
  const builder = new Builder(dataBytes);
  const left: Partial<Record<ColumnName, Elements>> = columns;
  let packedBytes = 0;
  const vectors = COLUMN_NAMES.map((name) => {
    const vector = generated<VectorMaker>('create', name, 'Vector')(builder, columns[name]);
    if (onPacked === undefined) return vector;
    packedBytes += columns[name].byteLength;
    delete left[name];
    if (packedBytes >= PART_BYTES) {
      packedBytes = 0;
      onPacked();
    }
    return vector;
  });
  SnapshotIndex.startSnapshotIndex(builder);
  COLUMN_NAMES.forEach((name, i) => {
    generated<FieldAdder>('add', name, '')(builder, vectors[i]);
  });
  builder.finish(SnapshotIndex.endSnapshotIndex(builder));
  return builder.asUint8Array();
}

/** The generated static method of a column; columns and fields have the same names. */
function generated<Method>(verb: string, name: ColumnName, noun: string): Method {
  const method = `${verb}${name[0].toUpperCase()}${name.slice(1)}${noun}`;
  return (SnapshotIndex as unknown as Record<string, Method>)[method]; // flatc generates one for every field
}
