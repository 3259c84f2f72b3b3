// The results as SVG: one group of bars per scenario, CPU per request, our server above the baselines. Drawn in the
// colours of a theme, so that a page can show the one that matches the reader's.

import { type RunResults, type ScenarioResult, TARGET_LABELS } from './results.ts';
import { TARGET_NAMES, type TargetName } from './target.ts';

export type Theme = 'light' | 'dark';

interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  readonly bars: Readonly<Record<TargetName, string>>;
}

const COLOURS: Readonly<Record<Theme, Colours>> = {
  light: {
    ground: '#ffffff',
    text: '#1f2328',
    quiet: '#59636e',
    bars: {
      vulndex: '#0a5fd1',
      uws: '#8c959f',
      'nginx-file': '#2c974b',
      'nginx-return': '#8fce9b',
      fastify: '#c2571a',
    },
  },
  dark: {
    ground: '#0d1117',
    text: '#e6edf3',
    quiet: '#9198a1',
    bars: {
      vulndex: '#4493f8',
      uws: '#6e7681',
      'nginx-file': '#3fb950',
      'nginx-return': '#236b33',
      fastify: '#e0823d',
    },
  },
};

const WIDTH = 860;
const LABEL_WIDTH = 230; // room for the longest title on the left
const VALUE_WIDTH = 90; // and for the figure after the longest bar
const BAR_HEIGHT = 14;
const GROUP_GAP = 16;
const TOP = 64; // heading and legend
const MARGIN = 16;

/**
 * CPU microseconds per request of every scenario. Bars are scaled to the longest of their group: scenarios differ
 * a hundredfold, and only bars within a group are compared.
 */
export function cpuChart(run: RunResults, theme: Theme): string {
  const colours = COLOURS[theme];
  const parts: string[] = [];
  let y = TOP;
  for (const scenario of run.scenarios) {
    parts.push(...group(scenario, y, colours));
    y += scenario.results.length * BAR_HEIGHT + GROUP_GAP;
  }
  const shown = TARGET_NAMES.filter((name) =>
    run.scenarios.some(({ results }) => results.some(({ target }) => target === name)),
  );
  const heading = `Server CPU per request in µs, lower is better (${run.advisories.toLocaleString('en-US')} advisories)`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" font-family="system-ui, sans-serif" font-size="11">`,
    `<title>${escaped(heading)}</title>`,
    `<rect width="${WIDTH}" height="${y}" fill="${colours.ground}"/>`,
    text({ x: MARGIN, y: 24, fill: colours.text, size: 14 }, heading),
    ...legend(shown, colours),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function group({ title, results }: ScenarioResult, y: number, colours: Colours): string[] {
  const longest = Math.max(...results.map(({ cpuMicroseconds }) => cpuMicroseconds.median));
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  return [
    text({ x: MARGIN, y: y + BAR_HEIGHT - 3, fill: colours.text }, title),
    ...results.flatMap(({ target, cpuMicroseconds: { median } }, i) => {
      const width = ((median / longest) * room).toFixed(1);
      const top = y + i * BAR_HEIGHT;
      const end = LABEL_WIDTH + Number(width) + 6;
      return [
        `<rect x="${LABEL_WIDTH}" y="${top}" width="${width}" height="${BAR_HEIGHT - 2}" fill="${colours.bars[target]}"/>`,
        text({ x: end, y: top + BAR_HEIGHT - 4, fill: colours.quiet }, median.toFixed(1)),
      ];
    }),
  ];
}

function legend(targets: readonly TargetName[], colours: Colours): string[] {
  const step = (WIDTH - 2 * MARGIN) / TARGET_NAMES.length;
  return targets.flatMap((name, i) => {
    const x = MARGIN + i * step;
    return [
      `<rect x="${x}" y="38" width="10" height="10" fill="${colours.bars[name]}"/>`,
      text({ x: x + 15, y: 47, fill: colours.quiet }, TARGET_LABELS[name]),
    ];
  });
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly fill: string;
  readonly size?: number;
}

function text({ x, y, fill, size }: TextPlace, content: string): string {
  const larger = size === undefined ? '' : ` font-size="${size}"`;
  return `<text x="${x}" y="${y}" fill="${fill}"${larger}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
