// The figures of the worked example in docs/snapshot-format.md, section 14, derived from its bytes: the
// header as a dump and every column. scripts/pin.ts writes them to the page, test/loader/format.test.ts
// checks the page against them.

import { Unpackr } from 'msgpackr/unpack';
import {
  ADVISORY_KINDS,
  COLUMN_NAMES,
  type ColumnName,
  kindCode,
  NONE,
  patchPriority,
} from '../../../src/index/columns.ts';
import { HEADER_BYTES, parseHeader, snapshotIdOf } from '../../../src/loader/format.ts';
import { copyColumns } from '../snapshots/snapshots.ts';

/** The columns whose bytes are divided by a start column, and that start column. */
const PIECES: Partial<Record<ColumnName, ColumnName>> = {
  spelledId: 'spelledIdStart',
  versionText: 'versionTextStart',
  versionKey: 'versionKeyStart',
  productSlug: 'productSlugStart',
  aliasText: 'aliasStart',
};
const NULLABLE: readonly ColumnName[] = ['spanFrom', 'spanTo', 'spanFixedIn', 'advisorySourceId'];
const NAME_WIDTH = 24;
const NOTE_AT = 50;

/** A column's name as written on the page and in the schema. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** The dump of the header, with a note after each line. */
export function headerLines(bytes: Uint8Array): string[] {
  const { format, headerBytes, totalBytes, builtAtMs, hash, schemeRevisions, sections } = parseHeader(bytes);
  const { texts, details, bodies, index, origins } = sections;
  const notes = [
    `magic, format ${format}, header size ${headerBytes}`,
    `total ${totalBytes}, built at ${builtAtMs}`,
    'content hash; the snapshot id is',
    `  ${snapshotIdOf(hash)}`,
    `key revisions ${schemeRevisions.join(' ')}, the rest 0`,
    '',
    '',
    `texts at ${texts.offset}, ${texts.length} bytes`,
    `details at ${details.offset}, ${details.length} bytes`,
    `bodies at ${bodies.offset}, ${bodies.length} bytes`,
    `index at ${index.offset}, ${index.length} bytes`,
    `origins at ${origins.offset}, ${origins.length} bytes`,
  ];
  return notes.map((note, i) => {
    const row = bytes.subarray(16 * i, Math.min(16 * (i + 1), HEADER_BYTES));
    const offset = (16 * i).toString(16).padStart(8, '0');
    return `${offset}  ${hex(row.subarray(0, 8))}  ${hex(row.subarray(8))}   ${note}`.trimEnd();
  });
}

/** One line per column, several for the terms. */
export function columnLines(bytes: Uint8Array): string[] {
  const columns = copyColumns(bytes);
  const piecesOf = (name: ColumnName, startName: ColumnName): Uint8Array[] => {
    const starts = columns[startName];
    return Array.from({ length: starts.length - 1 }, (_, i) =>
      Uint8Array.from(columns[name].subarray(starts[i], starts[i + 1])),
    );
  };
  return COLUMN_NAMES.flatMap((name) => {
    const label = snakeCase(name).padEnd(NAME_WIDTH);
    const values = columns[name];
    if (name === 'termBytes') {
      return piecesOf(name, 'termStart').map((term, i) => {
        const line = `${i === 0 ? label : ' '.repeat(NAME_WIDTH)}${hex(term)}`;
        const value = new Unpackr({ useRecords: false }).unpack(term);
        const text = JSON.stringify(value).replaceAll('null', 'nil').replaceAll(',', ', ');
        return `${line.padEnd(NAME_WIDTH + 37)}${i}  ${text}`;
      });
    }
    const starts = PIECES[name];
    const noted = (text: string, note: string): string => `${(label + text).padEnd(NOTE_AT)}${note}`;
    if (values.length === 0)
      return noted('', name.endsWith('Dictionary') ? 'empty: too few rows for one' : 'empty');
    if (name === 'versionKey') return label + piecesOf(name, 'versionKeyStart').map(hex).join(', ');
    if (starts !== undefined) {
      const texts = piecesOf(name, starts).map((piece) => Buffer.from(piece).toString());
      return texts.length > 1 ? noted(texts.join(' '), 'without the blanks') : label + texts.join('');
    }
    if (values instanceof Uint8Array) {
      if (name !== 'advisoryFlags') return label + hex(values);
      return noted(
        hex(values),
        `priority ${patchPriority(values[0])}, kind ${ADVISORY_KINDS[kindCode(values[0])]}`,
      );
    }
    const numbers = Array.from(values, (value) =>
      value === NONE && NULLABLE.includes(name) ? 'NONE' : String(value),
    );
    return label + numbers.join(' ');
  });
}

/** The fenced block of the page that starts with the same word as `lines`, without the fences. */
export function blockOn(page: string, lines: readonly string[]): string[] {
  const [first] = lines[0].split(' ');
  const block = page.split('```\n').find((each) => each.startsWith(`${first} `));
  if (block === undefined) throw new Error(`no block begins with ${first}`);
  return block.trimEnd().split('\n');
}

/** The page with that block replaced. */
export function replaceBlock(page: string, lines: readonly string[]): string {
  return page.replace(blockOn(page, lines).join('\n'), () => lines.join('\n'));
}
