// `demo`: what `npm start` runs. Makes a snapshot of invented advisories if there is none, serves it, and
// prints requests to paste.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { textAt } from '../index/column-texts.ts';
import { NONE } from '../index/columns.ts';
import type { Generation } from '../index/generation.ts';
import { Locator } from '../index/lookup/locate.ts';
import { PLATFORMS, type Platform, PRODUCT_TYPES } from '../index/product-type.ts';
import { firstSpan } from '../index/span-list.ts';
import { SnapshotError } from '../loader/errors.ts';
import { SNAPSHOT_SUFFIX } from '../loader/format.ts';
import { readSnapshotHeader } from '../loader/snapshot/reader.ts';
import { UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { counted, withdrawnNote } from './figures.ts';
import { generateTo } from './generate.ts';
import { endHelp } from './help.ts';
import { showProgress } from './progress.ts';
import { addServeOptions, checkServeOptions, SERVE_STATUSES, type ServeOptions } from './serve.ts';
import { withScratchFolder } from './standard-streams.ts';

const ADVISORIES = 20_000;
const DEMO_FILE = `demo${SNAPSHOT_SUFFIX}`;
const SEED = 1;
const BUILT_AT_MS = Date.UTC(2026, 0, 1); // fixed: the same demo everywhere, and any real snapshot is newer

export interface Greeting {
  readonly address: string;
  /** The key made for this run; undefined with a keys file. */
  readonly key: string | undefined;
  /** The address of the console; undefined if it is off. */
  readonly consoleUrl: string | undefined;
  /** What is served at startup; undefined if there is nothing to serve. */
  readonly generation: Generation | undefined;
}

interface Lookup {
  readonly type: string;
  readonly name: string;
  readonly version: string;
}

type Serve = (
  options: ServeOptions & { readonly greet?: (greeting: Greeting) => readonly string[] },
) => Promise<void>;

/** What is wrong with options that only the serving side can judge, or undefined. */
type ServeCheck = (options: ServeOptions) => Promise<string | undefined>;

/** `advisories` is how many are invented. */
export function addDemoCommand(
  program: Command,
  serve: Serve,
  check: ServeCheck,
  advisories = ADVISORIES,
): void {
  const command = startCommand(program, 'demo');
  addServeOptions(
    command,
    'snapshot', // invented dates are all in the past: the last 24 hours count back from the snapshot
  ).action(async (options: ServeOptions, command: Command) => {
    checkServeOptions(options);
    const problem = await check(options); // before a snapshot is made in vain
    if (problem !== undefined) throw new UsageError(problem);
    const print = (line: string): void => command.configureOutput().writeOut?.(`${line}\n`);
    if (!holdsSnapshot(options.snapshots)) await makeDemoSnapshot(options.snapshots, advisories, print);
    await serve({ ...options, greet: demoGreeting });
  });
  endHelp(command, {
    notes: [`Invents ${advisories.toLocaleString('en-US')} advisories if the folder has no snapshot.`],
    examples: ['demo', 'demo --snapshots /tmp/demo --port 9090'],
    statuses: SERVE_STATUSES,
  });
}

/** Whether there is something to serve. A demo snapshot written by another release does not count. */
function holdsSnapshot(folder: string): boolean {
  try {
    return readdirSync(folder).some(
      (name) => name.endsWith(SNAPSHOT_SUFFIX) && !(name === DEMO_FILE && isForeign(join(folder, name))),
    );
  } catch {
    return false; // no such folder: it is created with the snapshot
  }
}

function isForeign(path: string): boolean {
  try {
    readSnapshotHeader(path);
    return false;
  } catch (error) {
    return error instanceof SnapshotError && error.code === 'unsupported-format';
  }
}

async function makeDemoSnapshot(
  folder: string,
  advisories: number,
  print: (line: string) => void,
): Promise<void> {
  await withScratchFolder(async (scratch) => {
    const feed = join(scratch, 'demo.ndjson');
    const progress = showProgress({ label: 'inventing', unit: 'advisories', total: advisories });
    await generateTo(feed, { advisories, seed: SEED }, progress);
    const plan = { feeds: [feed], out: join(folder, DEMO_FILE), skipInvalid: false };
    // Imported here: not needed when there is a snapshot.
    const { compileFeeds } = await import('./sources/compile-feeds.ts');
    const { path, ...made } = await compileFeeds({ ...plan, builtAtMs: BUILT_AT_MS }, print);
    print(
      `made ${path}: ${counted(made.advisories, 'invented advisory', 'invented advisories')}${withdrawnNote(made.withdrawn)}`,
    );
  });
}

function demoGreeting({ address, key, consoleUrl, generation }: Greeting): readonly string[] {
  const lookups = generation === undefined ? [] : lookupsOfPlatforms(generation);
  const lookup = lookups.at(0);
  const shown =
    generation === undefined ? undefined : (findLookup(generation, PLATFORMS[0], WORTH_A_LOOK) ?? lookup);
  const query = new URLSearchParams({ ...shown, ...(key === undefined ? {} : { key }) });
  const page = consoleUrl === undefined ? [] : [`open: ${consoleUrl}#/lookup?${query}`];
  if (lookup === undefined) return page;
  const curl = `curl -H 'PSKey: ${key ?? 'YOUR-KEY'}' ${address}`;
  const others = lookups.slice(1).map((each) => `  ${pathOf(each)}`);
  return [
    ...page,
    'try:',
    `  ${curl}${pathOf(lookup)}`,
    ...(others.length === 0 ? [] : ['or, in place of that path:', ...others]),
  ];
}

function pathOf({ type, name, version }: Lookup): string {
  return `/product/${[type, name, version].map(encodeURIComponent).join('/')}`;
}

/** An example of each platform that has one, in the order of the table. */
function lookupsOfPlatforms(generation: Generation): readonly Lookup[] {
  return PLATFORMS.flatMap((platform) => findLookup(generation, platform, SHORT) ?? []);
}

/**
 * How many advisories the product of an example has: so that the answer fits on a terminal, and so that a
 * page shows something.
 */
const SHORT = { least: 1, most: 1 };
const WORTH_A_LOOK = { least: 6, most: 10 };

/** One affected version of a product with that many advisories. */
function findLookup(
  generation: Generation,
  platform: Platform,
  { least, most }: typeof SHORT,
): Lookup | undefined {
  const { columns } = generation.parts;
  const locator = new Locator();
  const { start, end } = generation.published(platform);
  for (let ordinal = start; ordinal < end; ordinal++) {
    const product = columns.advisoryProduct[ordinal];
    const to = columns.spanTo[firstSpan(columns, ordinal)];
    const { length } = generation.advisoriesOf(product);
    if (to === NONE || length < least || length > most) continue;
    const type = PRODUCT_TYPES[columns.productType[product]];
    const slug = textAt(columns.productSlug, columns.productSlugStart, product);
    const version = textAt(columns.versionText, columns.versionTextStart, to);
    const place = generation.locate(type, slug, version, locator);
    if (place.kind === 'not-a-version' || !generation.any(place)) continue; // the bound itself is not inside
    return { type, name: slug, version };
  }
  return undefined;
}
