// The columns as one FlatBuffers table.

import { Builder, type Offset } from 'flatbuffers';
import { COLUMN_NAMES, type ColumnName, type ElementArrays, type IndexColumns } from '../index/columns.ts';
import { SnapshotIndex } from '../loader/generated/snapshot-index.ts';

type Elements = ElementArrays[keyof ElementArrays];
type VectorMaker = (builder: Builder, elements: Elements) => Offset;
type FieldAdder = (builder: Builder, vector: Offset) => void;

/** The section's bytes. Its vectors are aligned if it is placed at a multiple of 8. */
export function packIndex(columns: IndexColumns): Uint8Array {
  const dataBytes = COLUMN_NAMES.reduce((sum, name) => sum + columns[name].byteLength + 16, 1024);
  const builder = new Builder(dataBytes);
  const vectors = COLUMN_NAMES.map((name) =>
    generated<VectorMaker>('create', name, 'Vector')(builder, columns[name]),
  );
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
