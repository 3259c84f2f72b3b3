// The text of `lookup --explain`: how the version was read, each advisory with the comparisons made and its
// sources, and what to update to. The reasons are found in index/lookup/explain.ts.

import type { Generation } from '../index/generation.ts';
import { ItemView } from '../index/items/item-view.ts';
import type { ExplainedAdvisory, ExplainedSpan, Explanation, Reading } from '../index/lookup/explain.ts';
import { printable } from '../index/memory/text-limits.ts';
import type { VersionPart } from '../index/versions/key-parts.ts';
import { formatCount, formatTable } from './snapshot-report.ts';

/** How the reason of an exclusion reads. A span without one contains the version. */
const REASONS = {
  from: 'below the range',
  to: 'above the range',
  scheme: 'not ordered by this scheme',
} as const;

/** Requires: the product is known. */
export function formatExplanation(
  generation: Generation,
  version: string,
  { readings, advisories, lowestClear, update, fewestLeft, omittedSpans }: Explanation,
): string {
  const view = new ItemView(generation);
  const applying = advisories.filter(({ decisive }) => decisive !== undefined).length;
  const lines = [
    ...readings.map((reading) => `${printable(version)} ${formatReading(reading)}\n`),
    ...advisories.map((advisory) => `\n${formatAdvisory(generation, view, advisory)}`),
    `\n${applying} of ${formatCount(advisories.length)} advisories apply\n`,
  ];
  if (omittedSpans > 0) lines.push(`${formatCount(omittedSpans)} ranges that do not decide are not shown\n`);
  lines.push(`lowest known version without an advisory: ${versionOrNone(lowestClear)}\n`);
  lines.push(`lowest such version not below ${printable(version)}: ${versionOrNone(update)}\n`);
  if (fewestLeft !== undefined) {
    const ids = fewestLeft.ordinals.map((ordinal) => generation.idAt(ordinal)).join(', ');
    lines.push(`lowest such version with the fewest: ${printable(fewestLeft.version)}, with ${ids}\n`);
  }
  return lines.join('');
}

function versionOrNone(version: string | null): string {
  return version === null ? 'none' : printable(version);
}

function formatReading({ scheme, parts }: Reading): string {
  if (parts === undefined) return `is not ordered by ${scheme}`;
  return `is read by ${scheme} as ${parts.map(formatPart).join(', ')}`;
}

function formatPart({ kind, text }: VersionPart): string {
  switch (kind) {
    case 'number':
    case 'identifier':
      return text;
    case 'fraction':
      return `.${text}`;
    case 'empty':
      return 'nothing';
    case 'word':
      return text === 'unknown' ? 'an unknown word' : text;
    case 'step':
      return 'a step';
    case 'local':
      return `local ${text} (ignored)`;
    case 'surplus':
    case 'epoch':
    case 'major':
    case 'minor':
    case 'patch':
      return `${kind} ${text}`;
  }
}

function formatAdvisory(generation: Generation, view: ItemView, advisory: ExplainedAdvisory): string {
  const { ordinal, scheme, decisive, spans } = advisory;
  view.enter(ordinal);
  const cve = view.text('cve');
  const alias = cve ? `CVE-${cve}` : view.text('ghsa') || '-';
  const verdict = decisive === undefined ? 'does not apply' : 'applies';
  const head = [generation.idAt(ordinal), alias, view.text('title'), `(${scheme})`].join(' ');
  const sources = formatSources(generation, ordinal);
  return (
    `${verdict}: ${printable(head)}\n` +
    formatTable(
      spans.map((span) => formatSpan(span, span === decisive).map(printable)),
      { indent: '  ' },
    ) +
    sources.map((source) => `  source: ${printable(source)}\n`).join('')
  );
}

function formatSpan(span: ExplainedSpan, decides: boolean): string[] {
  const fix = span.fixedIn === null ? 'no fix' : `fixed in ${span.fixedIn}`;
  if (span.excludedBy !== undefined) return [span.comparison, REASONS[span.excludedBy], fix];
  return [span.comparison, decides ? 'inside, decides' : 'inside', fix];
}

/** A line for each source: its name, its licence, and what it gave if there are others. */
function formatSources(generation: Generation, ordinal: number): string[] {
  return generation.traitAt('traitsSources', ordinal).map(([name, , license, , fields]) => {
    const under = license === '' ? '' : ` (${license})`;
    return fields === undefined ? `${name}${under}` : `${name}${under}: ${fields.join(', ')}`;
  });
}
