// A picture of how figures grow with the size of the corpus: one small chart for each, as one SVG.

import { significant } from '../figures.ts';

/** A figure at each size. */
export interface Curve {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly { readonly size: number; readonly value: number }[];
}

const CHART = { width: 360, height: 200 } as const;
const MARGIN = { left: 16, right: 16, top: 44, bottom: 32 } as const;
const COLUMNS = 2;
// Grey and blue that can be read on white and on black: a page may be either.
const INK = '#777';
const LINE = '#3b82f6';

/**
 * Sizes are on a logarithmic axis, values on one that begins at 0. Requires: curves with points, sizes above
 * 0.
 */
export function drawCurves(curves: readonly Curve[]): string {
  const rows = Math.ceil(curves.length / COLUMNS);
  const [width, height] = [CHART.width * Math.min(COLUMNS, curves.length), CHART.height * rows];
  const charts = curves.map((curve, i) => {
    const place = `translate(${(i % COLUMNS) * CHART.width} ${Math.floor(i / COLUMNS) * CHART.height})`;
    return `<g transform="${place}">\n${drawCurve(curve)}\n</g>`;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const about = `${curves.map(({ title }) => title).join(', ')} by the number of advisories`;
  return `${head} font-family="sans-serif" font-size="11" fill="${INK}">\n<title>${escaped(about)}</title>\n${charts.join('\n')}\n</svg>\n`;
}

function drawCurve({ title, unit, points }: Curve): string {
  const sorted = points.toSorted((a, b) => a.size - b.size);
  const [least, most] = [sorted[0].size, sorted[sorted.length - 1].size].map(Math.log10);
  const highest = Math.max(...sorted.map(({ value }) => value));
  const base = CHART.height - MARGIN.bottom;
  const shareOf = (size: number): number =>
    most === least ? 0.5 : (Math.log10(size) - least) / (most - least);
  const placed = sorted.map(({ size, value }) => ({
    x: MARGIN.left + shareOf(size) * (CHART.width - MARGIN.left - MARGIN.right),
    y: base - (highest === 0 ? 0 : value / highest) * (base - MARGIN.top),
    size,
    value,
  }));
  const path = placed.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const text = (x: number, y: number, anchor: string, words: string): string =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(words)}</text>`;
  const anchorOf = (i: number): string =>
    placed.length === 1 ? 'middle' : i === 0 ? 'start' : i === placed.length - 1 ? 'end' : 'middle';
  return [
    text(MARGIN.left, 16, 'start', `${title}, ${unit}`),
    `<path d="M${MARGIN.left} ${base}H${CHART.width - MARGIN.right}" stroke="${INK}"/>`,
    `<polyline points="${path}" fill="none" stroke="${LINE}" stroke-width="2"/>`,
    ...placed.flatMap(({ x, y, size, value }, i) => [
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="${LINE}"/>`,
      text(x, y - 8, anchorOf(i), significant(value)),
      text(x, base + 16, anchorOf(i), short(size)),
    ]),
  ].join('\n');
}

/** 10k, 2.5M. */
function short(size: number): string {
  if (size >= 1e6) return `${size / 1e6}M`;
  return size >= 1e3 ? `${size / 1e3}k` : String(size);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
