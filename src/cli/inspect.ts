// `inspect`: what a snapshot is and what takes up its bytes. Reads the header and the index, not the records.

import type { Command } from 'commander';
import { COLUMN_NAMES, type IndexColumns } from '../index/columns.ts';
import { withdrawnCount } from '../index/lookup/id-list.ts';
import { PRODUCT_TYPES, type ProductType } from '../index/product-type.ts';
import { VERSION_SCHEMES, type VersionScheme } from '../index/versions/version-key.ts';
import { SECTIONS, type SectionName } from '../loader/format.ts';
import { readVerified } from '../loader/snapshot/load.ts';
import type { SnapshotBytes } from '../loader/snapshot/reader.ts';
import { startCommand } from './commands.ts';
import { endHelp } from './help.ts';
import { formatCount, formatTable, formatTime, readOrExplain } from './snapshot-report.ts';
import { snapshotNamed } from './snapshots-in.ts';

const LARGEST_COLUMNS = 10;

/** The members of the JSON form, in order. */
interface Inspection {
  readonly file: string;
  readonly format: number;
  readonly id: string;
  readonly built_at: string;
  readonly total_bytes: number;
  readonly scheme_revisions: Readonly<Record<VersionScheme, number>>;
  readonly counts: Readonly<Record<ProductType | CountedThing, number>>;
  /** Fixes that their own advisory affects: replaced by the fix of another span, or dropped. */
  readonly fixes: Readonly<Record<'followed' | 'dropped', number>>;
  readonly section_bytes: Readonly<Record<SectionName, number>>;
  readonly largest_columns: readonly {
    readonly name: string;
    readonly elements: number;
    readonly bytes: number;
  }[];
}

const COUNTED_THINGS = [
  ...(['withdrawn', 'products', 'spans', 'versions', 'terms', 'aliases'] as const),
  ...(['bodies', 'epss', 'kev'] as const),
] as const;
type CountedThing = (typeof COUNTED_THINGS)[number];

export function addInspectCommand(program: Command): void {
  const command = startCommand(program, 'inspect')
    .argument('<snapshot>', 'the snapshot, or a folder: its newest one; - for standard input')
    .option('--json', 'print one JSON object instead of tables', false)
    .action(async (name: string, { json }: { readonly json: boolean }, command: Command) => {
      const file = snapshotNamed(name, (line) => command.configureOutput().writeErr?.(`${line}\n`));
      const inspection = inspect(file, await readOrExplain(file, (path) => readVerified(path, [])));
      const text = json ? `${JSON.stringify(inspection, null, 2)}\n` : formatInspection(inspection);
      command.configureOutput().writeOut?.(text);
    });
  endHelp(command, {
    examples: ['inspect snapshots/demo.vdx', 'inspect snapshots/demo.vdx --json'],
    statuses: { 0: 'done', 1: 'the file cannot be read, or is not a sound snapshot' },
  });
}

/** Of all advisories, each time that several share them. */
function countSpans({ advisorySpans, spanListStart }: IndexColumns): number {
  return advisorySpans.reduce((sum, list) => sum + spanListStart[list + 1] - spanListStart[list], 0);
}

function inspect(file: string, { header, id, columns }: SnapshotBytes): Inspection {
  return {
    file,
    format: header.format,
    id,
    built_at: formatTime(header.builtAtMs),
    total_bytes: header.totalBytes,
    scheme_revisions: record(VERSION_SCHEMES, (_, i) => header.schemeRevisions[i]),
    counts: {
      ...record(PRODUCT_TYPES, (_, code) => countPublished(columns, code)),
      withdrawn: withdrawnCount(columns),
      products: columns.productType.length,
      spans: countSpans(columns),
      versions: columns.versionTextStart.length - 1,
      terms: columns.termStart.length - 1,
      aliases: columns.aliasStart.length - 1,
      bodies: columns.bodyAdvisory.length,
      epss: columns.epssAdvisory.length,
      kev: columns.kevAdvisory.length,
    },
    fixes: { followed: columns.fixCounts[0], dropped: columns.fixCounts[1] },
    section_bytes: record(SECTIONS, (name) => header.sections[name].length),
    largest_columns: COLUMN_NAMES.map((name) => ({
      // As the FlatBuffers schema spells it.
      name: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      elements: columns[name].length,
      bytes: columns[name].byteLength,
    }))
      .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
      .slice(0, LARGEST_COLUMNS),
  };
}

/** Published advisories of a product type; withdrawn ones are counted separately. */
function countPublished({ productType, productAdvisoryStart }: IndexColumns, typeCode: number): number {
  let count = 0;
  productType.forEach((code, product) => {
    if (code === typeCode) count += productAdvisoryStart[product + 1] - productAdvisoryStart[product];
  });
  return count;
}

function record<Name extends string, Value>(
  names: readonly Name[],
  measure: (name: Name, index: number) => Value,
): Record<Name, Value> {
  // One value for each name.
  return Object.fromEntries(names.map((name, i) => [name, measure(name, i)])) as Record<Name, Value>;
}

function formatInspection(inspection: Inspection): string {
  const { scheme_revisions: revisions, counts, section_bytes: sections } = inspection;
  const revisionsText = VERSION_SCHEMES.map((scheme) => `${scheme} ${revisions[scheme]}`).join(', ');
  const counted = [...PRODUCT_TYPES, ...COUNTED_THINGS].map((name) => [name, formatCount(counts[name])]);
  const { followed, dropped } = inspection.fixes;
  const fixes = [
    ['replaced by a later fixed version', formatCount(followed)],
    ['left out: there is none', formatCount(dropped)],
  ];
  const sized = SECTIONS.map((name) => [name, formatCount(sections[name])]);
  const columns = inspection.largest_columns.map(({ name, elements, bytes }) => [
    name,
    formatCount(elements),
    formatCount(bytes),
  ]);
  return [
    formatTable([
      ['file', inspection.file],
      ['format', String(inspection.format)],
      ['id', inspection.id],
      ['built at', inspection.built_at],
      ['size', `${formatCount(inspection.total_bytes)} bytes`],
      ['version keys', revisionsText],
    ]),
    `\npublished advisories by type, and other counts\n${formatTable(counted, { indent: '  ', numeric: [1] })}`,
    `\nfixed versions that are still vulnerable by the same advisory\n${formatTable(fixes, { indent: '  ', numeric: [1] })}`,
    `\nsections, bytes\n${formatTable(sized, { indent: '  ', numeric: [1] })}`,
    `\nlargest columns of the index: elements, bytes\n${formatTable(columns, { indent: '  ', numeric: [1, 2] })}`,
  ].join('');
}
