// `lookup`: looks up one product version in one snapshot, with the engine the server uses. The text form is written here;
// the JSON forms are response bodies, and the entry point passes in the functions that write them.

import assert from 'node:assert/strict';
import type { Command } from 'commander';
import { NONE } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import { describeSpan } from '../index/items/affected-range.ts';
import { ItemView } from '../index/items/item-view.ts';
import { Locator } from '../index/lookup/locate.ts';
import { ANY_VERSION, isVersionOrAny, type Lookup } from '../index/lookup/lookup.ts';
import { Matches } from '../index/lookup/matches.ts';
import { isLongerThan } from '../index/memory/text-limits.ts';
import { PRODUCT_TYPES, productTypeFacts } from '../index/product-type.ts';
import { MAX_VERSION_BYTES } from '../index/versions/version-key.ts';
import { loadSnapshot } from '../loader/load.ts';
import { EXIT_MATCHED, EXIT_UNKNOWN, UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { formatExplanation } from './explanation-text.ts';
import { endHelp } from './help.ts';
import { explaining, formatTable, printable, readOrExplain } from './snapshot-report.ts';

/** A response body. */
type Answering = (generation: Generation, lookup: Lookup) => string;

export interface LookupAnswers {
  /** Requires: a version of the type, or `*`. */
  readonly product: Answering;
  /** Requires: a version of the type. */
  readonly explanation: Answering;
}

export function addLookupCommand(program: Command, answers: LookupAnswers): void {
  const command = startCommand(program, 'lookup')
    .argument('<file>', 'the snapshot; - for standard input')
    .argument('<type>', `one of ${PRODUCT_TYPES.join(', ')}`)
    .argument('<name>', 'slug or package name; wordpress for WordPress itself')
    .argument('<version>', "a version, or '*' for every advisory of the product")
    .option('--explain', 'show every advisory of the product, and why it applies or not', false)
    .option(
      '--json',
      'print the response body of GET /product/{type}/{name}/{version}?fix=true, or with --explain of GET /explain/{type}/{name}/{version}',
      false,
    )
    .option('--fail-on-match', 'exit with status 3 when an advisory applies', false)
    .option(
      '--fail-on-unknown',
      'exit with status 8 when no advisory names the product, as happens with a misspelt one',
      false,
    )
    .action(
      async (
        file: string,
        type: string,
        name: string,
        version: string,
        { json, explain, failOnMatch, failOnUnknown }: LookupCommandOptions,
        command: Command,
      ) => {
        const query = readQuery(type, name, version);
        if (explain && version === ANY_VERSION) {
          throw new UsageError("--explain needs a version: give one in place of '*'");
        }
        const { generation } = await readOrExplain(file, loadSnapshot);
        const { writeOut, writeErr } = command.configureOutput();
        const answer = explain ? answers.explanation : answers.product;
        if (json) writeOut?.(`${explaining(file, () => answer(generation, query))}\n`);
        const found = explaining(file, () => find(generation, query));
        if (found === undefined) (json ? writeErr : writeOut)?.(unknownProduct(query));
        else if (!json) {
          const text = explaining(file, () =>
            explain ? formatWhy(generation, query) : formatFound(generation, query, found),
          );
          writeOut?.(text);
        }
        if (failOnMatch && found !== undefined && found.matches.length > 0) process.exitCode = EXIT_MATCHED;
        if (failOnUnknown && found === undefined) process.exitCode = EXIT_UNKNOWN;
      },
    );
  endHelp(command, {
    notes: [
      'Each line shows the id, CVE or GHSA id, matched range, fix and title; the last line says what to update to.\n' +
        'With --explain: how the version was read, for each advisory the comparison with each of its ranges and the sources\n' +
        'of its fields, and the lowest versions without an advisory.',
    ],
    examples: [
      'lookup snapshots/demo.vdx npm lodash 4.17.20',
      'lookup snapshots/demo.vdx plugin gallery 1.4.0 --explain',
    ],
    statuses: {
      0: 'answered, vulnerable or not',
      1: 'the snapshot cannot be used',
      [EXIT_MATCHED]: 'an advisory applies, with --fail-on-match',
      [EXIT_UNKNOWN]: 'no advisory names the product, with --fail-on-unknown',
    },
  });
}

interface LookupCommandOptions {
  readonly json: boolean;
  readonly explain: boolean;
  readonly failOnMatch: boolean;
  readonly failOnUnknown: boolean;
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

interface Match {
  readonly ordinal: number;
  /** The span that applies; undefined for `*`. */
  readonly span: number | undefined;
}

interface Found {
  readonly matches: readonly Match[];
  /** The version to update to; null when there is none. */
  readonly update: string | null;
}

/** Undefined for an unknown product. Requires: a version of the type, or `*`. */
function find(generation: Generation, { type, name, version }: Lookup): Found | undefined {
  const product = generation.findProduct(type, name);
  if (product === undefined) return undefined;
  if (version === ANY_VERSION) {
    const ordinals = Array.from(generation.advisoriesOf(product));
    return { matches: ordinals.map((ordinal) => ({ ordinal, span: undefined })), update: null };
  }
  const place = generation.locate(type, name, version, new Locator());
  assert(place.kind !== 'not-a-version');
  const matches = new Matches();
  generation.collect(place, matches);
  const update = generation.findUpdate(place);
  return {
    matches: Array.from({ length: matches.count }, (_, i) => ({
      ordinal: matches.advisoryAt(i),
      span: matches.spanAt(i),
    })),
    update: update === undefined ? null : generation.versionText(update),
  };
}

function formatFound(generation: Generation, { type, name, version }: Lookup, found: Found): string {
  const { matches, update } = found;
  if (matches.length === 0) {
    return version === ANY_VERSION
      ? `no advisories: ${printable(`${type} ${name}`)}\n`
      : `not vulnerable: ${printable(`${type} ${name} ${version}`)}\n`;
  }
  const view = new ItemView(generation.parts);
  const table = formatTable(matches.map((match) => formatMatch(generation, view, match).map(printable)));
  return version === ANY_VERSION ? table : `${table}${formatUpdate(update)}\n`;
}

/** Requires: a known product, a version of its type. */
function formatWhy(generation: Generation, { type, name, version }: Lookup): string {
  const memory = { locator: new Locator(), matches: new Matches() };
  const explanation = generation.explain(type, name, version, memory);
  assert(explanation !== undefined);
  return formatExplanation(generation, version, explanation);
}

function formatUpdate(update: string | null): string {
  return update === null
    ? 'no known version is free of advisories'
    : `update to ${printable(update)}, the lowest known version without an advisory`;
}

/** Id, alias, affected versions, fix and title: those of the span, or of the whole advisory. */
function formatMatch(generation: Generation, view: ItemView, { ordinal, span }: Match): string[] {
  const { columns, items } = generation.parts;
  view.enter(ordinal);
  const cve = view.text('cve');
  const alias = cve ? `CVE-${cve}` : view.text('ghsa') || '-';
  const range = span === undefined ? (view.text('affected') ?? '') : describeSpan(columns, span);
  const fix = span === undefined ? items.lowestFix[ordinal] : columns.spanFixedIn[span];
  const fixed = fix === NONE ? 'no fix' : `fixed in ${generation.versionText(fix)}`;
  return [String(generation.idAt(ordinal)), alias, range, fixed, view.text('title') ?? ''];
}
