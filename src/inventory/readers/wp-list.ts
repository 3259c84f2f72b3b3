// `wp plugin list` and `wp theme list`: CSV, JSON, and the table that a terminal shows. Both lists have the
// same columns, so a list of themes is known by its file's name or by the status `parent`; else the person
// says so later. A column `type` decides by itself.

import { PLATFORMS } from '../../index/platforms.ts';
import type { ProductType } from '../../index/product-type.ts';
import { parseCsv } from '../csv.ts';
import { type Inventory, InventoryBuilder } from '../inventory.ts';
import { membersOf } from '../json.ts';
import { clip, Refusal } from '../refusal.ts';

export type ListType = 'plugin' | 'theme';

/** All types: a platform's own are named after it. */
const TYPES: readonly ProductType[] = ['plugin', 'theme', ...PLATFORMS];

const DELIMITERS = [',', ';', '\t', '|'];
const NAMES = ['name', 'slug'];

/** Whether the first line of the text, or the second of a drawn table, names the columns of such a list. */
export function looksLikeWpTable(text: string): boolean {
  return DELIMITERS.some((delimiter) => hasColumns(cellsOf(headerOf(text), delimiter)));
}

/** Requires: a text that looks like one. */
export function readWpTable(text: string, wanted: ListType | undefined): Inventory {
  const header = headerOf(text);
  const delimiter = DELIMITERS.find((char) => hasColumns(cellsOf(header, char))) ?? ',';
  const body = delimiter === '|' ? text.replace(/^\+[-+]*\+\s*$/gm, '').replace(/\| +/g, '|') : text;
  const [columns = [], ...rows] = parseCsv(body.trimStart(), delimiter).filter((row) =>
    row.some((cell) => cell.trim() !== ''),
  );
  const labels = columns.map((cell) => cell.trim().toLowerCase());
  const records = rows.map((row, i) => {
    if (row.length > labels.length && row.slice(labels.length).some((cell) => cell.trim() !== '')) {
      throw new Refusal(
        `Row ${i + 2} of this list has ${row.length} cells and the header ${labels.length}: is a quote missing? It begins ${JSON.stringify(clip(row.join(delimiter), 60))}.`,
      );
    }
    return new Map(labels.map((label, column) => [label, (row[column] ?? '').trim()]));
  });
  return readRecords(records, wanted, delimiter === '|' ? 'table' : 'CSV');
}

/** Requires: objects that have a name and a version. */
export function readWpJson(items: readonly unknown[], wanted: ListType | undefined): Inventory {
  const records = items.map((item) => {
    const entries = Object.entries(membersOf(item) ?? {});
    return new Map(entries.map(([label, value]) => [label, typeof value === 'string' ? value : '']));
  });
  return readRecords(records, wanted, 'JSON');
}

function readRecords(
  records: readonly ReadonlyMap<string, string>[],
  wanted: ListType | undefined,
  notation: string,
): Inventory {
  const builder = new InventoryBuilder();
  let isEither = true;
  const type = wanted ?? (records.some((record) => record.get('status') === 'parent') ? 'theme' : 'plugin');
  for (const record of records) {
    const name = NAMES.map((label) => record.get(label)).find((text) => text !== undefined) ?? '';
    const status = record.get('status');
    const ownType = TYPES.find((each) => each === record.get('type'));
    if (ownType !== undefined) isEither = false;
    builder.add({
      type: ownType ?? type,
      name,
      version: record.get('version') ?? '',
      direct: true,
      ...(status ? { place: status } : {}),
    });
  }
  return builder.inventory(`wp ${type} list, ${notation}`, 'npm', isEither);
}

function headerOf(text: string): string {
  const lines = text.slice(0, 4096).trimStart().split(/\r?\n/, 2);
  return /^\+[-+]*\+\s*$/.test(lines[0]) ? (lines[1] ?? '') : lines[0];
}

function cellsOf(line: string, delimiter: string): readonly string[] {
  return line.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, '').toLowerCase());
}

function hasColumns(cells: readonly string[]): boolean {
  return NAMES.some((label) => cells.includes(label)) && cells.includes('version');
}
