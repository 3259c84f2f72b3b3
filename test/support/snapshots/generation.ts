// Generations for tests: advisories or feeds compiled to a real snapshot in a temporary folder, and loaded
// from it as the server would. Nothing in between is faked.

import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { compileFeeds } from '../../../src/cli/sources/compile-feeds.ts';
import type { Advisory, Product } from '../../../src/compiler/advisory.ts';
import { SnapshotCompiler } from '../../../src/compiler/compile.ts';
import { SnapshotWriter } from '../../../src/compiler/writer.ts';
import type { Generation } from '../../../src/index/generation.ts';
import type { Span, UpperBound } from '../../../src/index/lookup/interval.ts';
import { type ProductType, productTypeFacts } from '../../../src/index/product-type.ts';
import { loadSnapshot } from '../../../src/loader/snapshot/load.ts';
import { type RealFeed, realFeedPath } from '../feeds/real-data.ts';
import { temporaryFolder } from '../folder.ts';
import { madeOnce } from '../process/built-program.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 10);
const CREATED_AT = Date.UTC(2026, 0, 3) / 1000;

/** A span as the core sees it; `toBound` is null only on request. */
export function coreSpan(
  from: string | null,
  to: string | null,
  toBound: UpperBound | null = to === null ? null : 'inclusive',
  fixedIn: string | null = null,
): Span {
  return { from, to, toBound, fixedIn };
}

/** A product whose name is its slug. */
export function coreProduct(type: ProductType, slug: string): Product {
  return { id: 7, type, slug, name: slug, premiumName: null };
}

const GALLERY = coreProduct('plugin', 'gallery');

/** A published advisory about the plugin `gallery`; `changes` replace its members. */
export function coreAdvisory(id: number, changes: Partial<Advisory> = {}): Advisory {
  return {
    id,
    psid: id.toString(16).padStart(12, '0'),
    title: `Advisory ${id}`,
    description: '',
    details: '',
    disclosedAt: CREATED_AT,
    createdAt: CREATED_AT,
    modifiedAt: null,
    withdrawnAt: null,
    kind: 'vulnerability',
    url: `https://advisories.example/${id}`,
    urlSlug: String(id),
    vulnType: 'SQL Injection',
    cves: [],
    ghsa: '',
    sourceId: '',
    aliases: [],
    sources: [],
    severity: '',
    epss: null,
    kevDate: null,
    isExploited: false,
    patchPriority: 1,
    product: GALLERY,
    cvss: { score: null, vector: null },
    cwe: { id: null, name: null },
    capec: { id: null, name: null },
    owasp: '',
    references: [],
    spans: [coreSpan(null, '1.5.0', 'exclusive', '1.5.0')],
    affectedVersions: [],
    versionScheme: productTypeFacts((changes.product ?? GALLERY).type).scheme,
    credit: null,
    submitter: null,
    ecosystemSpecific: '',
    ...changes,
  };
}

/** What work in turns returns. Few advisories have no helper threads, so there is nothing to wait for. */
export function atOnce<Result>(turns: Generator<unknown, Result>): Result {
  for (;;) {
    const turn = turns.next();
    if (turn.done) return turn.value;
  }
}

/** Compiles into a folder that the caller owns, replacing the snapshot of the previous call. */
export function compileGeneration(folder: string, advisories: readonly Advisory[]): Generation {
  const compiler = new SnapshotCompiler(folder);
  const writer = new SnapshotWriter(folder);
  try {
    for (const advisory of advisories) compiler.add(advisory);
    const { path } = atOnce(compiler.write(writer, BUILT_AT_MS, () => join(folder, 'test.vdx')));
    return loadSnapshot(path).generation;
  } finally {
    writer.abandon();
    compiler.close();
  }
}

/** The generation of some advisories; its file is removed with the test. */
export function generationOf(owner: Pick<TestContext, 'after'>, advisories: readonly Advisory[]): Generation {
  return compileGeneration(temporaryFolder(owner), advisories);
}

/** The generation of some feed files. Throws if any of their lines is bad. */
export async function generationOfFeeds(
  owner: Pick<TestContext, 'after'>,
  feeds: readonly string[],
): Promise<Generation> {
  const path = join(temporaryFolder(owner), 'test.vdx');
  await compileTo(path, feeds);
  return loadSnapshot(path).generation;
}

/** A snapshot of real feeds. Compiling them takes seconds, so all tests share it. */
export function realSnapshot(...feeds: readonly RealFeed[]): Promise<string> {
  return madeOnce(`real-${feeds.join('-')}.vdx`, (path) => compileTo(path, feeds.map(realFeedPath)));
}

/** The generation of real feeds. */
export async function realGeneration(...feeds: readonly RealFeed[]): Promise<Generation> {
  return loadSnapshot(await realSnapshot(...feeds)).generation;
}

async function compileTo(out: string, feeds: readonly string[]): Promise<void> {
  const problems: string[] = [];
  const plan = { feeds, out, skipInvalid: false, builtAtMs: BUILT_AT_MS };
  await compileFeeds(plan, (line) => problems.push(line)).catch((error: unknown) => {
    throw new Error(problems.slice(0, 5).join('\n'), { cause: error });
  });
}
