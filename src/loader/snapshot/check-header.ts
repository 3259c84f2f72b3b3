// Checks a snapshot's header from the outside in: magic, format, length, layout, and the revisions of version
// keys. Reads no file: reader.ts does.

import { SCHEME_TABLE } from '../../index/versions/version-key.ts';
import { SnapshotError, type SnapshotFault } from '../errors.ts';
import {
  alignSection,
  FORMAT,
  HEADER_BYTES,
  type Header,
  MAGIC,
  MAX_SECTION_BYTES,
  parseHeader,
  REVISION_BYTES,
  REVISIONS_OFFSET,
  SECTION_ENTRY_BYTES,
  SECTION_TABLE_OFFSET,
  SECTIONS,
} from '../format.ts';

const MAX_BUILT_AT_MS = 253_402_300_799_999; // the end of the year 9999, the last that RFC 3339 can express

/** The header of a file of that size that begins with these bytes. Throws SnapshotError: the first fault. */
export function checkHeader(bytes: Uint8Array, size: number): Header {
  const reject = (fault: SnapshotFault): never => {
    throw new SnapshotError(fault);
  };
  const magic = bytes.subarray(0, MAGIC.length);
  const isPrefix = magic.every((byte, i) => byte === MAGIC[i]);
  if (!isPrefix) {
    reject({ code: 'foreign-file', section: 'header', offset: 0, expected: hex(MAGIC), got: hex(magic) });
  }
  if (size < HEADER_BYTES) {
    reject({
      code: 'truncated',
      section: 'header',
      offset: size,
      expected: `${HEADER_BYTES} bytes`,
      got: `${size}`,
    });
  }
  const header = parseHeader(bytes);
  if (header.format !== FORMAT) {
    reject({
      code: 'unsupported-format',
      section: 'header',
      offset: 8,
      expected: `format ${FORMAT}`,
      got: `format ${header.format}`,
    });
  }
  if (size !== header.totalBytes) {
    reject({
      code: size < header.totalBytes ? 'truncated' : 'length-mismatch',
      section: 'file',
      offset: Math.min(size, header.totalBytes),
      expected: `${header.totalBytes} bytes`,
      got: `${size}`,
    });
  }
  const layoutFault = findLayoutFault(header);
  if (layoutFault !== undefined) reject(layoutFault);
  return header;
}

/** Sections must follow one another, aligned, and end with the file. */
function findLayoutFault(header: Header): SnapshotFault | undefined {
  const fault = (offset: number, expected: number | string, got: number): SnapshotFault => ({
    code: 'bad-layout',
    section: 'header',
    offset,
    expected: String(expected),
    got: String(got),
  });
  if (header.headerBytes !== HEADER_BYTES) return fault(12, HEADER_BYTES, header.headerBytes);
  if (header.builtAtMs > MAX_BUILT_AT_MS) return fault(24, `at most ${MAX_BUILT_AT_MS}`, header.builtAtMs);
  let end = HEADER_BYTES;
  for (const name of SECTIONS) {
    const { offset, length } = header.sections[name];
    const at = SECTION_TABLE_OFFSET + SECTIONS.indexOf(name) * SECTION_ENTRY_BYTES;
    if (offset !== alignSection(end)) return fault(at, alignSection(end), offset);
    const most = MAX_SECTION_BYTES[name];
    if (length > most) return fault(at + 8, `at most ${most}`, length);
    end = offset + length;
  }
  return end === header.totalBytes ? undefined : fault(16, end, header.totalBytes);
}

/** Throws SnapshotError if versions were turned into keys by other rules than ours. */
export function requireSchemeRevisions(header: Header): void {
  for (const { name, code, revision } of SCHEME_TABLE) {
    const got = header.schemeRevisions[code];
    if (got === revision) continue;
    throw new SnapshotError({
      code: 'scheme-revision',
      section: 'header',
      offset: REVISIONS_OFFSET + REVISION_BYTES * code,
      expected: `${name} keys of revision ${revision}`,
      got: `revision ${got}`,
    });
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
