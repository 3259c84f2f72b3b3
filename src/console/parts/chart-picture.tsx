// The picture of a chart, drawn by uPlot, which is fetched when the first chart is shown. Its words and
// numbers are not here.

import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { type ChartAxis, type ChartProps, nameAt } from './chart-props.ts';
import { stacked } from './columns.ts';
import { clock } from './figures.ts';

type Library = typeof uPlot;

const HEIGHT_PX = 150;
const LABEL_PX = 60;
const FONT = '12px system-ui, sans-serif';
const LINE_PX = 1.5;
const MOST_WIDE_BARS = 48;
const POWERS_OF_TWO = Array.from({ length: 50 }, (_, power) => 2 ** power);

export interface ChartPictureProps extends ChartProps {
  /** The place under the pointer; null for none. */
  readonly onPoint: (place: number | null) => void;
}

export function ChartPicture(props: ChartPictureProps) {
  const { gist, axis, series, form, heightPx = HEIGHT_PX } = props;
  const place = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  const [library, setLibrary] = useState<Library | 'failed'>();
  const plot = useRef<uPlot | undefined>(undefined);
  const theme = useTheme();
  current.current = props;

  useEffect(() => {
    let isGone = false;
    import('uplot').then(
      (module) => !isGone && setLibrary(() => module.default),
      () => !isGone && setLibrary('failed'),
    );
    return () => {
      isGone = true;
    };
  }, []);

  const shape = [
    form,
    axis.kind,
    isDense(axis),
    ...series.flatMap(({ title, colour }) => [title, colour]),
  ].join('|');
  useEffect(() => {
    const host = place.current;
    if (host === null || library === undefined || library === 'failed') return;
    const drawn = new library(
      optionsOf(library, host, current, props.onPoint),
      dataOf(current.current),
      host,
    );
    plot.current = drawn;
    const observer = new ResizeObserver(() =>
      drawn.setSize({ width: host.clientWidth, height: drawn.height }),
    );
    observer.observe(host);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [library, shape, theme]);

  useEffect(() => plot.current?.setData(dataOf(props)), [axis, series]);

  return (
    <div class="plot" role="img" aria-label={gist} ref={place} style={{ height: `${heightPx}px` }}>
      {library === 'failed' && <p class="soft">The chart could not be loaded; its numbers are below.</p>}
    </div>
  );
}

/** The columns as uPlot draws them: it paints one over the other, so the highest sum comes first. */
function dataOf({ axis, series, form }: ChartProps): uPlot.AlignedData {
  const x = axis.kind === 'time' ? axis.at : axis.names.map((_, place) => place);
  const columns = series.map(({ values }) => values);
  const drawn = form === 'lines' ? columns : stacked(columns).toReversed();
  return [[...x], ...drawn.map((column) => [...column])];
}

function optionsOf(
  library: Library,
  host: HTMLElement,
  current: { readonly current: ChartProps },
  setPointed: (place: number | null) => void,
): uPlot.Options {
  const { axis, series, form, heightPx, isBinary } = current.current;
  const [ink, line, ground] = ['--soft', '--line', '--raised'].map((name) => colourOf(host, name));
  const drawn = form === 'lines' ? series : series.toReversed();
  const edgePx = isDense(axis) ? 0 : 1;
  const bars = library.paths.bars?.({ size: [edgePx === 0 ? 1 : 0.8, 36] });
  const grid = { stroke: line, width: 1 };
  return {
    width: host.clientWidth,
    height: heightPx ?? HEIGHT_PX,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: form === 'lines' ? { size: 6 } : { show: false },
    },
    hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? null)] },
    scales: {
      x: { time: false, range: () => rangeOf(current.current.axis) },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] },
    },
    axes: [
      {
        stroke: ink,
        font: FONT,
        size: 26,
        grid: { show: false },
        ticks: { ...grid, size: 4 },
        ...(axis.kind === 'time' ? timeTicks() : nameTicks(current)),
      },
      {
        stroke: ink,
        font: FONT,
        size: 66,
        space: 32,
        grid,
        ticks: { show: false },
        values: (_, splits) => splits.map((value) => current.current.format(value)),
        ...(isBinary ? { incrs: POWERS_OF_TWO } : {}),
      },
    ],
    series: [
      {},
      ...drawn.map(({ title, colour }): uPlot.Series => {
        const paint = colourOf(host, colour);
        return {
          label: title,
          points: { show: false },
          // Parts of a bar are set off from each other by more than their colour.
          stroke: form === 'bars' ? ground : paint,
          width: form === 'bars' ? edgePx : LINE_PX,
          ...(form === 'lines' ? {} : { fill: paint }),
          ...(form === 'bars' && bars !== undefined ? { paths: bars } : {}),
        };
      }),
    ],
  };
}

/** Whether bars are too narrow for anything between them. */
function isDense(axis: ChartAxis): boolean {
  return axis.kind === 'names' && axis.names.length > MOST_WIDE_BARS;
}

function rangeOf(axis: ChartAxis): [number, number] {
  return axis.kind === 'time' ? [axis.from, axis.to] : [-0.5, Math.max(1, axis.names.length) - 0.5];
}

function timeTicks(): uPlot.Axis {
  return {
    space: LABEL_PX,
    incrs: [1, 5, 10, 30, 60, 120, 300, 600, 900, 1_800],
    values: (_, splits) => splits.map((at) => clock(at)),
  };
}

function nameTicks(current: { readonly current: ChartProps }): uPlot.Axis {
  return {
    splits: (plot) => {
      const { axis } = current.current;
      return axis.kind === 'names' ? [...axis.ticks(Math.max(1, Math.floor(plot.width / LABEL_PX)))] : [];
    },
    values: (_, splits) => splits.map((place) => nameAt(current.current.axis, place)),
  };
}

/** A custom property as a colour that a canvas knows: its own text may be `light-dark(…)`. */
function colourOf(host: HTMLElement, property: string): string {
  host.style.color = `var(${property})`;
  const { color } = getComputedStyle(host);
  host.style.color = '';
  return color;
}

/** Another number each time colours may have changed: the page turned light or dark. */
function useTheme(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const changed = (): void => setVersion((count) => count + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const choice = new MutationObserver(changed); // the theme switch sets a style of the root
    system.addEventListener('change', changed);
    choice.observe(document.documentElement, { attributeFilter: ['style'] });
    return () => {
      system.removeEventListener('change', changed);
      choice.disconnect();
    };
  }, []);
  return version;
}
