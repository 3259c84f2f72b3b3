// `lookup`: one product and version asked of one snapshot, by the engine the server uses. The JSON form is the
// body that GET /product/{type}/{name}/{version}?fix=true answers with.

import type { Command } from 'commander';
import type { Generation } from '../index/generation.ts';
import { writeListed, writeMatches } from '../index/items/list-answer.ts';
import { holdsUpperBound, type UpperBound } from '../index/lookup/interval.ts';
import { Matches } from '../index/lookup/matches.ts';
import { AnswerBuffer } from '../index/memory/answer-buffer.ts';
import { isLongerThan } from '../index/memory/text-limits.ts';
import { isVersionOf, PRODUCT_TYPES, type ProductType, productTypeFacts } from '../index/product-type.ts';
import { MAX_VERSION_BYTES } from '../index/versions/version-key.ts';
import { loadSnapshot } from '../loader/load.ts';
import { EXIT_MATCHED, UsageError } from './command-error.ts';
import { explaining, formatTable, readOrExplain } from './snapshot-report.ts';

const ANY_VERSION = '*';

interface Query {
  readonly type: ProductType;
  readonly name: string;
  readonly version: string;
}

/** The members of a list item that a line shows. */
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
  /** Absent for any version. */
  readonly update_to?: string | null;
}

export function addLookupCommand(program: Command): void {
  program
    .command('lookup')
    .description('ask a snapshot which advisories apply to a version of a product')
    .argument('<file>', 'the snapshot; - for standard input')
    .argument('<type>', `one of ${PRODUCT_TYPES.join(', ')}`)
    .argument('<name>', 'the slug or package name; wordpress for WordPress itself')
    .argument('<version>', "a version, or '*' for every advisory of the product")
    .option('--json', 'the body that GET /product/{type}/{name}/{version}?fix=true answers with', false)
    .option('--fail-on-match', 'exit with status 3 when an advisory applies', false)
    .addHelpText(
      'after',
      '\nEach line shows id, CVE or GHSA id, matched range, its fix, and title; the last one says what to update to.\n' +
        'Exit status: 0, vulnerable or not; 3 when vulnerable with --fail-on-match; ' +
        '1 when the snapshot cannot be used; 2 when the question cannot be asked.',
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
        const read = JSON.parse(body) as Answer; // written by `answer`
        const { writeOut, writeErr } = command.configureOutput();
        const isKnown = generation.findProduct(query.type, query.name) !== undefined;
        if (json) writeOut?.(`${body}\n`);
        if (!isKnown) (json ? writeErr : writeOut)?.(unknownProduct(query));
        else if (!json) writeOut?.(formatAnswer(query, read));
        if (failOnMatch && read.vulnerabilities.length > 0) process.exitCode = EXIT_MATCHED;
      },
    );
}

function readQuery(type: string, name: string, version: string): Query {
  const known = PRODUCT_TYPES.find((each) => each === type);
  if (known === undefined) {
    throw new UsageError(`unknown type ${JSON.stringify(type)}: use one of ${PRODUCT_TYPES.join(', ')}`);
  }
  if (name === '') throw new UsageError('the name is empty: give a slug or package name');
  if (version === '') throw new UsageError("the version is empty: give one, or '*' for every advisory");
  if (isLongerThan(version, MAX_VERSION_BYTES)) {
    throw new UsageError(`the version has more than ${MAX_VERSION_BYTES} bytes: give a shorter one`);
  }
  if (version !== ANY_VERSION && !isVersionOf(known, version)) {
    throw new UsageError(
      `${JSON.stringify(version)} is not a version of ${productTypeFacts(known).phrase}: ` +
        "give one such as 1.2.3, or '*' for every advisory",
    );
  }
  return { type: known, name, version };
}

/** The body of the answer. */
function answer(generation: Generation, { type, name, version }: Query): string {
  const out = new AnswerBuffer();
  out.restart();
  out.text('{"vulnerabilities":[');
  if (version === ANY_VERSION) {
    const product = generation.findProduct(type, name);
    const ordinals = product === undefined ? new Uint32Array() : generation.advisoriesOf(product);
    writeListed(out, generation, ordinals, 0, ordinals.length, false);
  } else {
    const matches = new Matches();
    generation.match(type, name, version, matches); // it is a version: readQuery saw to that
    writeMatches(out, generation, matches, false);
  }
  out.text(']');
  if (version !== ANY_VERSION) {
    const update = generation.findUpdate(type, name, version);
    out.text(
      `,"update_to":${update === undefined ? 'null' : JSON.stringify(generation.versionText(update))}`,
    );
  }
  out.text('}');
  return new TextDecoder().decode(out.view());
}

function unknownProduct({ type, name }: Query): string {
  return `unknown product: no advisory names ${printable(`${type} ${name}`)}; check the type and the name\n`;
}

function formatAnswer(
  { type, name, version }: Query,
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
    ? 'no version known to the data clears all of them'
    : `update to ${printable(update)}, the lowest known version that no advisory applies to`;
}

function formatListed({ id, title, cve, ghsa, version_info, matched_range: matched }: Listed): string[] {
  const alias = cve === '' ? ghsa || '-' : `CVE-${cve}`;
  const range = matched === undefined ? version_info.affected : formatMatched(matched);
  const fix = matched === undefined ? version_info.fixed : (matched.fixed_in ?? '');
  return [String(id), alias, range, fix === '' ? 'no fix' : `fixed in ${fix}`, title];
}

/** The span as the feed bounded it, in the notation of `version_info.affected`. */
function formatMatched({ from_version, to_version, to_bound }: NonNullable<Listed['matched_range']>): string {
  const holdsTo = holdsUpperBound(to_bound);
  if (from_version !== null && from_version === to_version && holdsTo) return from_version;
  const parts = [
    ...(from_version === null ? [] : [`>= ${from_version}`]),
    ...(to_version === null ? [] : [`${holdsTo ? '<=' : '<'} ${to_version}`]),
  ];
  return parts.length === 0 ? '*' : parts.join(' ');
}

/** Without the control characters that would move a terminal's cursor or break the line. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
