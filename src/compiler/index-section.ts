// The columns as one FlatBuffers table.

import { Builder, type Offset } from 'flatbuffers';
import { COLUMN_NAMES, type ColumnName, type ElementArrays, type IndexColumns } from '../index/columns.ts';
import { SnapshotIndex } from '../loader/generated/snapshot-index.ts';

type Elements = ElementArrays[keyof ElementArrays];
type FieldAdder = (builder: Builder, vector: Offset) => void;

/** The section's bytes. Its vectors are aligned if it is placed at a multiple of 8. */
export function packIndex(columns: IndexColumns): Uint8Array {
  const dataBytes = COLUMN_NAMES.reduce((sum, name) => sum + columns[name].byteLength + 16, 1024);
  const builder = new Builder(dataBytes);
  const vectors = COLUMN_NAMES.map((name) => createVector(builder, columns[name]));
  SnapshotIndex.startSnapshotIndex(builder);
  COLUMN_NAMES.forEach((name, i) => {
    adderOf(name)(builder, vectors[i]);
  });
  builder.finish(SnapshotIndex.endSnapshotIndex(builder));
  return builder.asUint8Array();
}

/** As the generated `create…Vector`, which adds each element. In memory they are little-endian too. */
function createVector(builder: Builder, elements: Elements): Offset {
  const { buffer, byteOffset, byteLength, length, BYTES_PER_ELEMENT } = elements;
  builder.startVector(BYTES_PER_ELEMENT, length, BYTES_PER_ELEMENT);
  builder.pad(byteLength);
  const written = builder.dataBuffer();
  written.bytes().set(new Uint8Array(buffer, byteOffset, byteLength), written.capacity() - builder.offset());
  return builder.endVector();
}

/** The generated static method of a column; columns and fields have the same names. */
function adderOf(name: ColumnName): FieldAdder {
  const method = `add${name[0].toUpperCase()}${name.slice(1)}`;
  return (SnapshotIndex as unknown as Record<string, FieldAdder>)[method]; // flatc generates one for every field
}
