// The report of the older endpoints: the advisories that apply to a tree, where in the tree, and how many
// there are of each severity. pnpm shows the paths, and takes `<0.0.0` as "there is no patched version".

import type { HandlerContext } from '../../http/context.ts';
import type { Steps } from '../../http/work/steps.ts';
import type { Generation } from '../../index/generation.ts';
import { formatInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { modifiedAt } from '../../index/items/rare-facts.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { githubIdOf, pageOf, writeRatings } from './advisory.ts';
import { MAX_OUTPUT_BYTES } from './body.ts';
import { SEVERITIES, type Severity, severityOf } from './severity.ts';
import type { Occurrences, Tree } from './tree.ts';
import { affectedRange, NO_VERSION, patchedRange } from './versions.ts';

/** Making a record inflates a block of details. */
const LEAST_KEPT_BYTES = 128;

/** The versions in the tree to which an advisory applies. */
export interface Finding {
  readonly name: string;
  readonly versions: { readonly version: string; readonly occurrences: Occurrences }[];
}

/** False if the report is too large. */
export function* writeReport(
  context: HandlerContext,
  tree: Tree,
  findings: ReadonlyMap<number, Finding>,
): Steps<boolean> {
  const { out } = context.memory;
  const counts = new Map<Severity, number>(SEVERITIES.map((word) => [word, 0]));
  out.text('{"actions":[],"advisories":{');
  let separator = '';
  for (const [ordinal, finding] of findings) {
    out.text(separator);
    yield;
    const severity = yield* writeAdvisory(context, tree, ordinal, finding);
    // A buffer that an earlier answer has grown does not refuse.
    if (out.length > MAX_OUTPUT_BYTES) return false;
    counts.set(severity, (counts.get(severity) ?? 0) + 1);
    separator = ',';
  }
  out.text(`},"muted":[],"metadata":{"vulnerabilities":${JSON.stringify(Object.fromEntries(counts))}`);
  out.text(`,${JSON.stringify(dependencyCounts(tree)).slice(1)}}`);
  return true;
}

/** Returns its severity. */
function* writeAdvisory(
  { generation, memory }: HandlerContext,
  tree: Tree,
  ordinal: number,
  { name, versions }: Finding,
): Steps<Severity> {
  const { out } = memory;
  const view = new ItemView(generation).enter(ordinal);
  const severity = severityOf(generation, ordinal, view.number('cvssScore'));
  const id = generation.idAt(ordinal);
  out.text(`"${id}":{"id":${id},"module_name":`);
  out.jsonText(name);
  out.text(',"findings":[');
  let separator = '';
  for (const { version, occurrences } of versions) {
    const { rows, isDev, isOptional } = occurrences;
    const paths = rows.map((row) => tree.pathOf(row));
    out.text(separator + JSON.stringify({ version, paths, dev: isDev, optional: isOptional }));
    separator = ',';
    yield;
  }
  out.text(`],"severity":"${severity}"`);
  const kept = memory.cacheOf('npm-report', LEAST_KEPT_BYTES);
  kept.write(out, ordinal, () => writeRecord(memory, generation, ordinal, view));
  return severity;
}

/** What does not depend on the tree, to the end of the advisory. */
function writeRecord(memory: ThreadMemory, generation: Generation, ordinal: number, view: ItemView): void {
  const { out, records } = memory;
  const { columns } = generation.parts;
  const patched = patchedRange(generation, ordinal);
  const [description, cves] = generation.records.detailAt(ordinal, records);
  const created = generation.createdAt(ordinal);
  const member = (before: string, value: unknown): void => {
    out.text(before);
    out.text(JSON.stringify(value));
  };
  out.text(',"title":');
  view.writeBareTitle(out);
  member(',"vulnerable_versions":', affectedRange(generation, ordinal));
  member(',"patched_versions":', patched);
  member(',"url":', pageOf(memory, generation, ordinal, view));
  member(',"github_advisory_id":', githubIdOf(memory, generation, ordinal, view) ?? '');
  member(',"cves":', cves.map(withPrefix));
  writeRatings(memory, view, view.number('cvssScore'));
  member(',"overview":', description);
  member(
    ',"recommendation":',
    patched === NO_VERSION ? 'No patched version is known.' : `Upgrade to a version in ${patched}.`,
  );
  member(
    ',"references":',
    view
      .references()
      .map((url) => `- ${url}`)
      .join('\n'),
  );
  member(',"created":', formatInstant(created));
  member(',"updated":', formatInstant(modifiedAt(columns, ordinal) ?? created));
  out.text('}');
}

function withPrefix(cve: string): string {
  return /^CVE-/i.test(cve) ? cve : `CVE-${cve}`;
}

/** Each name and version counts once. */
function dependencyCounts(tree: Tree): Readonly<Record<string, number>> {
  let dev = 0;
  let optional = 0;
  for (const versions of tree.packages.values()) {
    for (const { isDev, isOptional } of versions.values()) {
      if (isDev) dev++;
      else if (isOptional) optional++;
    }
  }
  return {
    dependencies: tree.versionCount - dev - optional,
    devDependencies: dev,
    optionalDependencies: optional,
    totalDependencies: tree.versionCount,
  };
}
