// Cuts a packed block into its rows without decoding them: the rows of an earlier snapshot are copied as they are.

/** The rows of a MessagePack array, as views. Throws RangeError for bytes that are not one array of plain values. */
export function rowsOf(block: Uint8Array): Uint8Array[] {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  let at = 0;
  const skip = (bytes: number): void => {
    at += bytes;
    if (at > block.length) throw new RangeError(`a value ends at byte ${at} of a block of ${block.length}`);
  };
  /** Steps over the header of an array; returns its length, or undefined for another value. */
  const enterArray = (): number | undefined => {
    const type = view.getUint8(at);
    if (type >= 0x90 && type <= 0x9f) {
      skip(1);
      return type & 0x0f;
    }
    if (type !== 0xdc && type !== 0xdd) return undefined;
    const count = type === 0xdc ? view.getUint16(at + 1) : view.getUint32(at + 1);
    skip(type === 0xdc ? 3 : 5);
    return count;
  };
  const skipValue = (): void => {
    const count = enterArray();
    if (count === undefined) skip(sizeOf(view, at));
    else for (let i = 0; i < count; i++) skipValue();
  };
  const count = enterArray();
  if (count === undefined) throw new RangeError('a block is not an array');
  const rows: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    const start = at;
    skipValue();
    rows.push(block.subarray(start, at));
  }
  if (at !== block.length) throw new RangeError(`${block.length - at} bytes after the rows of a block`);
  return rows;
}

/** Bytes of the number, text, boolean or nil there. */
function sizeOf(view: DataView, at: number): number {
  const type = view.getUint8(at);
  if (type <= 0x7f || type >= 0xe0) return 1; // fixint
  if (type >= 0xa0 && type <= 0xbf) return 1 + (type & 0x1f); // fixstr
  switch (type) {
    case 0xc0: // nil
    case 0xc2: // false
    case 0xc3: // true
      return 1;
    case 0xcc: // 8 bits
    case 0xd0:
      return 2;
    case 0xcd: // 16 bits
    case 0xd1:
      return 3;
    case 0xca: // 32 bits
    case 0xce:
    case 0xd2:
      return 5;
    case 0xcb: // 64 bits
    case 0xcf:
    case 0xd3:
      return 9;
    case 0xd9:
      return 2 + view.getUint8(at + 1);
    case 0xda:
      return 3 + view.getUint16(at + 1);
    case 0xdb:
      return 5 + view.getUint32(at + 1);
    default:
      throw new RangeError(`type byte 0x${type.toString(16)} in a block`);
  }
}
