// `lookup`: looks up one product version, or every package of a lockfile, in one snapshot, with the engine
// the server uses. The JSON forms of one product are response bodies, and the entry point passes in the
// functions that write them.

import assert from 'node:assert/strict';
import { type Command, Option } from 'commander';
import type { Generation } from '../index/generation.ts';
import { Locator } from '../index/lookup/locate.ts';
import { ANY_VERSION, type Lookup } from '../index/lookup/lookup.ts';
import { Matches } from '../index/lookup/matches.ts';
import { PRODUCT_TYPES } from '../index/product-type.ts';
import { loadSnapshot } from '../loader/snapshot/load.ts';
import { EXIT_MATCHED, EXIT_NOT_LOOKED_UP, EXIT_UNKNOWN, UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { formatExplanation } from './explanation-text.ts';
import { counted } from './figures.ts';
import { endHelp } from './help.ts';
import { find, formatFound, unknownProduct } from './lookup/found.ts';
import { notAVersion, readLookup } from './lookup/query.ts';
import { explaining, readOrExplain } from './snapshot-report.ts';
import { snapshotNamed } from './snapshots-in.ts';
import { STANDARD_STREAM } from './standard-streams.ts';

/** A response body. */
type Answering = (generation: Generation, lookup: Lookup) => string;

interface LookupAnswers {
  /** Requires: a version of the type, or `*`. */
  readonly product: Answering;
  /** Requires: a version of the type. */
  readonly explanation: Answering;
}

interface LookupCommandOptions {
  readonly from?: string;
  readonly json: boolean;
  readonly sarif: boolean;
  readonly explain: boolean;
  readonly failOnMatch: boolean;
  readonly failOnUnknown: boolean;
}

export function addLookupCommand(program: Command, answers: LookupAnswers): void {
  const command = startCommand(program, 'lookup')
    .argument('<snapshot>', 'the snapshot, or a folder: its newest one; - for standard input')
    .argument(
      '[type]',
      `one of ${PRODUCT_TYPES.join(', ')}; or a package URL such as pkg:npm/lodash@4.17.20, which stands for all three`,
    )
    .argument('[name]', 'slug or package name; wordpress for WordPress itself')
    .argument('[version]', "a version, or '*' for every advisory of the product")
    .addOption(
      new Option(
        '--from <file>',
        'look up every package of a lockfile, an SBOM or a list of plugins; - for standard input',
      ).conflicts('explain'),
    )
    .option('--explain', 'show every advisory of the product, and why it applies or not', false)
    .option(
      '--json',
      'print the response body of GET /product/{type}/{name}/{version}?fix=true, or with --explain of GET /explain/{type}/{name}/{version}; with --from one object',
      false,
    )
    .addOption(
      new Option('--sarif', 'with --from: print a report in SARIF 2.1.0, which code hosts take')
        .default(false)
        .conflicts('json'),
    )
    .option('--fail-on-match', 'exit with status 3 when an advisory applies', false)
    .option(
      '--fail-on-unknown',
      'exit with status 8 when no advisory names the product, as happens with a misspelt one; with --from also with 9 when an entry could not be looked up',
      false,
    )
    .action(
      async (
        name: string,
        type: string | undefined,
        product: string | undefined,
        version: string | undefined,
        options: LookupCommandOptions,
        command: Command,
      ) => {
        const words = [type, product, version].filter((word) => word !== undefined);
        const file = snapshotNamed(name, (line) => command.configureOutput().writeErr?.(`${line}\n`));
        if (options.sarif && options.from === undefined)
          throw new UsageError('--sarif is for --from FILE: give both');
        if (options.from === undefined) await lookUpOne(file, words, options, answers, command);
        else if (words.length === 0) await lookUpFile(file, options.from, options, answers, command);
        else throw new UsageError('--from takes the place of a type, a name and a version: leave these out');
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
      'lookup snapshots pkg:npm/lodash@4.17.20 --json',
      'lookup snapshots/demo.vdx plugin gallery 1.4.0 --explain',
      'lookup /var/lib/vulndex/snapshots --from package-lock.json --fail-on-match',
      'lookup snapshots --from go.mod --sarif > vulndex.sarif',
    ],
    statuses: {
      0: 'answered, vulnerable or not',
      1: 'the snapshot, or the file of --from, cannot be used',
      [EXIT_MATCHED]: 'an advisory applies, with --fail-on-match',
      [EXIT_UNKNOWN]: 'no advisory names the product, or one of the packages, with --fail-on-unknown',
      [EXIT_NOT_LOOKED_UP]: 'an entry of the file could not be looked up, with --fail-on-unknown',
    },
  });
}

async function lookUpOne(
  file: string,
  words: readonly string[],
  { json, explain, failOnMatch, failOnUnknown }: LookupCommandOptions,
  answers: LookupAnswers,
  command: Command,
): Promise<void> {
  const query = readLookup(words);
  if (explain && query.version === ANY_VERSION) {
    throw new UsageError("--explain needs a version: give one in place of '*'");
  }
  const { generation } = await readOrExplain(file, loadSnapshot);
  const { writeOut, writeErr } = command.configureOutput();
  const memory = { locator: new Locator(), matches: new Matches() };
  const found = explaining(file, () => find(generation, query, memory));
  if (found === null) throw notAVersion(query);
  const answer = explain ? answers.explanation : answers.product;
  if (json) writeOut?.(`${explaining(file, () => answer(generation, query))}\n`);
  if (generation.isWithoutData(query.type)) {
    writeErr?.(
      `warning: the snapshot has no advisory of the type ${query.type}: it knows nothing about its products\n`,
    );
  }
  if (found === undefined) (json ? writeErr : writeOut)?.(unknownProduct(query));
  else if (!json) {
    const text = explaining(file, () =>
      explain ? formatWhy(generation, query) : formatFound(generation, query, found),
    );
    writeOut?.(text);
  }
  if (failOnMatch && found !== undefined && found.matches.length > 0) process.exitCode = EXIT_MATCHED;
  if (failOnUnknown && found === undefined) process.exitCode = EXIT_UNKNOWN;
}

async function lookUpFile(
  file: string,
  from: string,
  { json, sarif, failOnMatch, failOnUnknown }: LookupCommandOptions,
  { product }: LookupAnswers,
  command: Command,
): Promise<void> {
  if (file === STANDARD_STREAM && from === STANDARD_STREAM) {
    throw new UsageError('standard input can be read only once; name a file for the snapshot or for --from');
  }
  const { describeFindings, formatFindings, lookUpAll } = await import('./lookup/inventory-lookup.ts');
  const { describeAsSarif } = await import('./lookup/sarif.ts');
  const { readInventoryFile } = await import('./lookup/read-inventory-file.ts');
  const version = command.parent?.version() ?? '';
  const inventory = await readInventoryFile(from); // before the snapshot, which takes longer to load
  const { generation } = await readOrExplain(file, loadSnapshot);
  const [findings, text] = explaining(file, () => {
    const found = lookUpAll(generation, inventory);
    const answer = (pack: Lookup): string => product(generation, pack);
    if (sarif)
      return [found, `${JSON.stringify(describeAsSarif(found, from, version, answer), undefined, 2)}\n`];
    return [
      found,
      json
        ? `${JSON.stringify(describeFindings(generation, file, inventory, found, answer))}\n`
        : formatFindings(generation, inventory, found, failOnUnknown),
    ];
  });
  const { writeOut, writeErr } = command.configureOutput();
  writeOut?.(text);
  const { open } = findings;
  if (open > 0)
    writeErr?.(`warning: ${counted(open, 'entry', 'entries')} of ${from} could not be looked up\n`);
  if (failOnMatch && findings.affected.length > 0) process.exitCode = EXIT_MATCHED;
  else if (failOnUnknown && open > 0) process.exitCode = EXIT_NOT_LOOKED_UP;
  else if (failOnUnknown && findings.unknown.length > 0) process.exitCode = EXIT_UNKNOWN;
}

/** Requires: a known product, a version of its type. */
function formatWhy(generation: Generation, { type, name, version }: Lookup): string {
  const memory = { locator: new Locator(), matches: new Matches() };
  const explanation = generation.explain(type, name, version, memory);
  assert(explanation !== undefined);
  return formatExplanation(generation, version, explanation);
}
