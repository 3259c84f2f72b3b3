// `lookup`: looks up one product version in one snapshot, with the engine the server uses. The JSON form is the
// response body of GET /product/{type}/{name}/{version}?fix=true; the entry point passes in the function that writes it.

import type { Command } from 'commander';
import type { Generation } from '../index/generation.ts';
import { holdsUpperBound, type UpperBound } from '../index/lookup/interval.ts';
import { ANY_VERSION, isVersionOrAny, type Lookup } from '../index/lookup/lookup.ts';
import { isLongerThan } from '../index/memory/text-limits.ts';
import { PRODUCT_TYPES, productTypeFacts } from '../index/product-type.ts';
import { MAX_VERSION_BYTES } from '../index/versions/version-key.ts';
import { loadSnapshot } from '../loader/load.ts';
import { EXIT_MATCHED, UsageError } from './command-error.ts';
import { explaining, formatTable, readOrExplain } from './snapshot-report.ts';

/** The response body. Requires: a version of the type, or `*`. */
export type Answering = (generation: Generation, lookup: Lookup) => string;

/** The members of a list item that a line of output shows. */
interface Listed {
  readonly id: number;
  readonly title: string;
  readonly cve: string;
  readonly ghsa: string;
  readonly version_info: { readonly affected: string; readonly fixed: string };
  readonly matched_range?: {
    readonly from_version: string | null;
    readonly to_version: string | null;
    readonly to_bound: UpperBound | null;
    readonly fixed_in: string | null;
  };
}

interface Answer {
  readonly vulnerabilities: readonly Listed[];
  /** Absent for `*`. */
  readonly update_to?: string | null;
}

export function addLookupCommand(program: Command, answer: Answering): void {
  program
    .command('lookup')
    .description('show which advisories in a snapshot apply to a version of a product')
    .argument('<file>', 'the snapshot; - for standard input')
    .argument('<type>', `one of ${PRODUCT_TYPES.join(', ')}`)
    .argument('<name>', 'slug or package name; wordpress for WordPress itself')
    .argument('<version>', "a version, or '*' for every advisory of the product")
    .option('--json', 'print the response body of GET /product/{type}/{name}/{version}?fix=true', false)
    .option('--fail-on-match', 'exit with status 3 when an advisory applies', false)
    .addHelpText(
      'after',
      '\nEach line shows the id, CVE or GHSA id, matched range, fix and title; the last line says what to update to.\n' +
        'Exit status: 0 whether vulnerable or not; 3 if vulnerable and --fail-on-match is set; ' +
        '1 if the snapshot cannot be used; 2 for wrong arguments.',
    )
    .action(
      async (
        file: string,
        type: string,
        name: string,
        version: string,
        { json, failOnMatch }: { readonly json: boolean; readonly failOnMatch: boolean },
        command: Command,
      ) => {
        const query = readQuery(type, name, version);
        const { generation } = await readOrExplain(file, loadSnapshot);
        const body = explaining(file, () => answer(generation, query));
        const read = JSON.parse(body) as Answer; // the shape is the contract's
        const { writeOut, writeErr } = command.configureOutput();
        const isKnown = generation.findProduct(query.type, query.name) !== undefined;
        if (json) writeOut?.(`${body}\n`);
        if (!isKnown) (json ? writeErr : writeOut)?.(unknownProduct(query));
        else if (!json) writeOut?.(formatAnswer(query, read));
        if (failOnMatch && read.vulnerabilities.length > 0) process.exitCode = EXIT_MATCHED;
      },
    );
}

function readQuery(type: string, name: string, version: string): Lookup {
  const known = PRODUCT_TYPES.find((each) => each === type);
  if (known === undefined) {
    throw new UsageError(`unknown type ${JSON.stringify(type)}: use one of ${PRODUCT_TYPES.join(', ')}`);
  }
  if (name === '') throw new UsageError('the name is empty: give a slug or package name');
  if (version === '') throw new UsageError("the version is empty: give a version, or '*' for every advisory");
  if (isLongerThan(version, MAX_VERSION_BYTES)) {
    throw new UsageError(`the version is longer than ${MAX_VERSION_BYTES} bytes: give a shorter one`);
  }
  if (!isVersionOrAny({ type: known, version })) {
    throw new UsageError(
      `${JSON.stringify(version)} is not a version of ${productTypeFacts(known).phrase}: ` +
        "give a version such as 1.2.3, or '*' for every advisory",
    );
  }
  return { type: known, name, version };
}

function unknownProduct({ type, name }: Lookup): string {
  return `unknown product: no advisory for ${printable(`${type} ${name}`)}; check the type and the name\n`;
}

function formatAnswer(
  { type, name, version }: Lookup,
  { vulnerabilities, update_to: update }: Answer,
): string {
  if (vulnerabilities.length === 0) {
    return version === ANY_VERSION
      ? `no advisories: ${printable(`${type} ${name}`)}\n`
      : `not vulnerable: ${printable(`${type} ${name} ${version}`)}\n`;
  }
  const table = formatTable(vulnerabilities.map((listed) => formatListed(listed).map(printable)));
  return version === ANY_VERSION ? table : `${table}${formatUpdate(update ?? null)}\n`;
}

function formatUpdate(update: string | null): string {
  return update === null
    ? 'no known version is free of advisories'
    : `update to ${printable(update)}, the lowest known version without an advisory`;
}

function formatListed({ id, title, cve, ghsa, version_info, matched_range: matched }: Listed): string[] {
  const alias = cve === '' ? ghsa || '-' : `CVE-${cve}`;
  const range = matched === undefined ? version_info.affected : formatMatched(matched);
  const fix = matched === undefined ? version_info.fixed : (matched.fixed_in ?? '');
  return [String(id), alias, range, fix === '' ? 'no fix' : `fixed in ${fix}`, title];
}

/** The span with the feed's own bounds, in the notation of `version_info.affected`. */
function formatMatched({ from_version, to_version, to_bound }: NonNullable<Listed['matched_range']>): string {
  const holdsTo = holdsUpperBound(to_bound);
  if (from_version !== null && from_version === to_version && holdsTo) return from_version;
  const parts = [
    ...(from_version === null ? [] : [`>= ${from_version}`]),
    ...(to_version === null ? [] : [`${holdsTo ? '<=' : '<'} ${to_version}`]),
  ];
  return parts.length === 0 ? '*' : parts.join(' ');
}

/** Replaces control characters, which would move a terminal's cursor or break the line. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
