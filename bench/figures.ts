// Several measurements as one figure, and figures as a table.

/** Median of the rounds, and their spread, (highest - lowest) / median. */
export interface Figure {
  readonly median: number;
  readonly spread: number;
}

/** Requires: at least one value. */
export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, spread: median === 0 ? 0 : (sorted[sorted.length - 1] - sorted[0]) / median };
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** Three significant digits. */
export function significant(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A Markdown table. The first columns are text, the others numbers. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns: number,
): string {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i].length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i < textColumns ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = widths.map((width, i) => '-'.repeat(width + 1) + (i < textColumns ? '-' : ':'));
  return [line(headings), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}
