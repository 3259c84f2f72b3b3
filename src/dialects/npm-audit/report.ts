// The report of the older endpoints: the advisories that apply to a tree, where in the tree, and how many there are of each
// severity. pnpm shows the paths, and takes `<0.0.0` as "there is no patched version".

import type { HandlerContext } from '../../http/context.ts';
import { formatInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { modifiedAt } from '../../index/items/rare-facts.ts';
import { githubIdOf, pageOf, writeRatings } from './advisory.ts';
import { MAX_OUTPUT_BYTES } from './body.ts';
import { SEVERITIES, type Severity, severityOf } from './severity.ts';
import type { Occurrences, Tree } from './tree.ts';
import { affectedRange, NO_VERSION, patchedRange } from './versions.ts';

/** The versions in the tree to which an advisory applies. */
export interface Finding {
  readonly name: string;
  readonly versions: { readonly version: string; readonly occurrences: Occurrences }[];
}

/** False if the report is too large. */
export function writeReport(
  context: HandlerContext,
  tree: Tree,
  findings: ReadonlyMap<number, Finding>,
): boolean {
  const { out } = context.memory;
  const counts = new Map<Severity, number>(SEVERITIES.map((word) => [word, 0]));
  out.text('{"actions":[],"advisories":{');
  let separator = '';
  for (const [ordinal, finding] of findings) {
    out.text(separator);
    const severity = writeAdvisory(context, tree, ordinal, finding);
    if (out.length > MAX_OUTPUT_BYTES) return false; // a buffer that an earlier answer has grown does not refuse
    counts.set(severity, (counts.get(severity) ?? 0) + 1);
    separator = ',';
  }
  out.text(`},"muted":[],"metadata":{"vulnerabilities":${JSON.stringify(Object.fromEntries(counts))}`);
  out.text(`,${JSON.stringify(dependencyCounts(tree)).slice(1)}}`);
  return true;
}

/** Returns its severity. */
function writeAdvisory(
  { generation, memory }: HandlerContext,
  tree: Tree,
  ordinal: number,
  { name, versions }: Finding,
): Severity {
  const { out, records } = memory;
  const { columns } = generation.parts;
  const view = new ItemView(generation.parts).enter(ordinal);
  const score = view.number('cvssScore');
  const severity = severityOf(generation, ordinal, score);
  const patched = patchedRange(generation, ordinal);
  const [description, cves] = generation.records.detailAt(ordinal, records);
  const created = columns.advisoryCreatedAt[ordinal];
  const member = (before: string, value: unknown): void => {
    out.text(before);
    out.text(JSON.stringify(value));
  };
  const id = generation.idAt(ordinal);
  out.text(`"${id}":{"id":${id},"findings":[`);
  versions.forEach(({ version, occurrences: { rows, isDev, isOptional } }, i) => {
    const paths = rows.map((row) => tree.pathOf(row));
    member(i > 0 ? ',' : '', { version, paths, dev: isDev, optional: isOptional });
  });
  out.text('],"title":');
  view.writeBareTitle(out);
  member(',"module_name":', name);
  member(',"vulnerable_versions":', affectedRange(generation, ordinal));
  member(',"patched_versions":', patched);
  member(',"severity":', severity);
  member(',"url":', pageOf(memory, generation, ordinal, view));
  member(',"github_advisory_id":', githubIdOf(memory, generation, ordinal, view) ?? '');
  member(',"cves":', cves.map(withPrefix));
  writeRatings(memory, view, score);
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
  return severity;
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
