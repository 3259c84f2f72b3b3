// CRC-32C, the checksum that storage services publish for their files: the polynomial of Castagnoli,
// reflected. Node has only the one of zip files.

const POLYNOMIAL = 0x82f63b78;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ ((value & 1) * POLYNOMIAL);
  return value;
});

/** From 0 to 2^32 - 1. */
export function crc32c(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ TABLE[(sum ^ bytes[i]) & 0xff];
  return (sum ^ 0xffff_ffff) >>> 0;
}
