// The summary of an import, as text: what became of everything that was read, source by source.

import type { SourceCounts } from '../../importers/assemble/source-counts.ts';
import { counted } from '../figures.ts';
import { formatCount } from '../snapshot-report.ts';
import type { AssemblySummary } from './assemble-sources.ts';

/** Reasons listed for one source; the others are counted together. */
const SHOWN_REASONS = 8;

export function summaryLines(summary: AssemblySummary): string[] {
  const { withdrawn, malwareWithdrawn, malwareLimited, byType, mergedPairs } = summary;
  const lines = summary.sources.flatMap(sourceLines);
  if (mergedPairs.size > 0) {
    lines.push(`merged into one advisory: ${listed([...mergedPairs].sort(descending))}`);
  }
  lines.push(`advisories by type: ${listed([...byType].sort(descending))}`);
  if (withdrawn > 0) {
    const reports =
      malwareWithdrawn === 0
        ? ''
        : `; ${formatCount(malwareWithdrawn)} of them with malware reports that rest on nothing else`;
    lines.push(`withdrawn: ${counted(withdrawn, 'advisory', 'advisories')}${reports}`);
  }
  if (malwareLimited > 0) {
    const reports = counted(malwareLimited, 'malware report');
    lines.push(`kept for the versions that they list, though their advisory is withdrawn: ${reports}`);
  }
  return lines;
}

/** For a script. `written` says what was made of the sources; `summary` is undefined for feeds alone. */
export function summaryJson(summary: AssemblySummary | undefined, written: object): object {
  if (summary === undefined) return written;
  const { advisories, withdrawn, malwareWithdrawn, malwareLimited, byType, mergedPairs } = summary;
  const sources = summary.sources.map(({ skippedBy, rejectedBy, ...counts }) => ({
    ...counts,
    skipped_by: Object.fromEntries(skippedBy),
    rejected_by: Object.fromEntries(rejectedBy),
  }));
  return {
    ...written,
    ...{ advisories, withdrawn, malware_withdrawn: malwareWithdrawn, malware_limited: malwareLimited },
    ...{ by_type: Object.fromEntries(byType), merged_pairs: Object.fromEntries(mergedPairs) },
    sources,
  };
}

function sourceLines(source: SourceCounts): string[] {
  const { name, label, read, accepted, merged, skipped, rejected, warnings } = source;
  const counts = [
    `${formatCount(accepted)} accepted`,
    `${formatCount(merged)} merged`,
    `${formatCount(skipped)} skipped`,
    `${formatCount(rejected)} rejected`,
  ].join(', ');
  const warned = warnings === 0 ? '' : `; ${counted(warnings, 'warning')}`;
  const lines = [`${name} (${label}): ${formatCount(read)} read = ${counts}${warned}`];
  if (skipped > 0) lines.push(`  skipped for: ${reasons(source.skippedBy)}`);
  if (rejected > 0) lines.push(`  rejected for: ${reasons(source.rejectedBy)}`);
  return lines;
}

function reasons(counts: ReadonlyMap<string, number>): string {
  const all = [...counts].sort(descending);
  const rest = all.slice(SHOWN_REASONS).reduce((sum, [, count]) => sum + count, 0);
  return listed([...all.slice(0, SHOWN_REASONS), ...(rest > 0 ? [['others', rest] as const] : [])]);
}

/** `one (12), two (3)` */
function listed(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([name, count]) => `${name} (${formatCount(count)})`).join(', ');
}

function descending([a, x]: readonly [string, number], [b, y]: readonly [string, number]): number {
  return y - x || (a < b ? -1 : 1);
}
