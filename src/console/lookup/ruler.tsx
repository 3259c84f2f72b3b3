// The version ruler: the ranges of a product's advisories along its versions, and where the asked version is
// among them. The list below it says the same in words. Positions are in ruler-geometry.ts.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { versionForTool } from '../../index/product-type.ts';
import { fragmentOf } from '../app/route.ts';
import { SEVERITY_TITLES } from '../parts/severity-scale.ts';
import { counted } from '../parts/words.ts';
import {
  type Advisory,
  type Answer,
  identifierOf,
  rangePhrase,
  severityOfAdvisory,
  titleOf,
} from './answers.ts';
import { parametersOf } from './query.ts';
import {
  barOf,
  needleAt,
  placeLabels,
  type Scale,
  scaleFor,
  slotMiddle,
  ticksOf,
  tickText,
} from './ruler-geometry.ts';

interface RulerProps {
  readonly answer: Answer;
  /** In reading order. */
  readonly advisories: readonly Advisory[];
  readonly axisIndex: number;
  readonly onOpen: (id: number) => void;
}

/** Rows that are shown at first. */
const FIRST_ROWS = 12;
/** So few more are not hidden behind a button. */
const SPARED_ROWS = 3;
/** As in lookup.css. */
const LABEL_WIDTH = 96;
const CHAR_WIDTH = 7.2;
const MARK_HEIGHT = 22;
const TICKS_HEIGHT = 26;

export function Ruler({ answer, advisories, axisIndex, onOpen }: RulerProps) {
  const { query, explanation } = answer;
  const axis = explanation.axes[axisIndex];
  const frame = useRef<HTMLDivElement>(null);
  const room = useWidth(frame) - LABEL_WIDTH;
  const [showsAll, setShowsAll] = useState(false);
  const caption = useRef<HTMLParagraphElement>(null);
  // Not a state: pointing at a row would draw all rows again.
  const point = (text: string): void => {
    if (caption.current !== null) caption.current.textContent = text;
  };
  const scale = useMemo(() => scaleFor(axis.versions.length, room), [axis, room]);
  const needle = query.version === '' ? undefined : needleAt(scale, axis);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    // The newest versions matter most where none is asked for.
    current.scrollLeft = (needle ?? scale.width) - (current.clientWidth - LABEL_WIDTH) / 2;
  }, [needle, room > 0]);
  const rows = useMemo(
    () =>
      advisories
        .map((advisory) => ({
          advisory,
          ranges: advisory.ranges.filter((range) => range.axis === axisIndex),
        }))
        .filter(({ ranges }) => ranges.length > 0),
    [advisories, axisIndex],
  );
  const marks = marksOf(answer, axisIndex, scale, needle);
  const placed = placeLabels(marks, scale.width, CHAR_WIDTH);
  const markRows = Math.max(0, ...placed.map(({ row }) => row + 1));
  const top = markRows * MARK_HEIGHT + TICKS_HEIGHT;
  const isLong = rows.length > FIRST_ROWS + SPARED_ROWS;
  const shown = isLong && !showsAll ? rows.slice(0, FIRST_ROWS) : rows;
  return (
    <section class="panel ruler" aria-label={`Version ruler, ${axis.version_scheme}`}>
      <div class="ruler-frame" ref={frame}>
        {room > 0 && (
          <div class="ruler-sheet" style={{ width: `${scale.width + LABEL_WIDTH}px` }}>
            <div class="ruler-lines">
              {placed.map((label, index) => (
                <span
                  key={marks[index].kind}
                  class={`ruler-line ${marks[index].kind}`}
                  style={{ left: `${label.x}px`, top: `${(label.row + 1) * MARK_HEIGHT}px` }}
                />
              ))}
            </div>
            <div class="ruler-cover" style={{ height: `${top}px`, marginBottom: `-${top}px` }} />
            <div class="ruler-marks" style={{ height: `${markRows * MARK_HEIGHT}px` }}>
              {placed.map(({ text, left, row }, index) => (
                <span
                  key={marks[index].kind}
                  class={`ruler-mark ${marks[index].kind}`}
                  style={{ left: `${left}px`, top: `${row * MARK_HEIGHT}px` }}
                >
                  {text}
                </span>
              ))}
            </div>
            <Ticks {...{ answer, axisIndex, scale }} />
            <ul class="ruler-rows">
              {shown.map(({ advisory, ranges }) => (
                <Row
                  key={advisory.id}
                  {...{ advisory, ranges, scale, onOpen, onPoint: point }}
                  hasNeedle={needle !== undefined}
                />
              ))}
            </ul>
          </div>
        )}
      </div>
      <p class="ruler-caption" aria-hidden ref={caption} />
      <p class="ruler-legend soft" aria-hidden>
        <Legend hasNeedle={needle !== undefined} />
      </p>
      {isLong && (
        <button type="button" onClick={() => setShowsAll(!showsAll)} aria-expanded={showsAll}>
          {showsAll ? `Show ${FIRST_ROWS} rows` : `Show all ${rows.length} rows`}
        </button>
      )}
      {explanation.omitted_ranges > 0 && (
        <p class="soft">
          {counted(explanation.omitted_ranges, 'range')} left out, because there are so many.
        </p>
      )}
    </section>
  );
}

interface Mark {
  readonly kind: 'asked' | 'update' | 'clear';
  readonly text: string;
  readonly x: number;
}

function marksOf(
  { query, explanation }: Answer,
  axisIndex: number,
  scale: Scale,
  needle: number | undefined,
): Mark[] {
  const { versions } = explanation.axes[axisIndex];
  const { update_to, lowest_clear, advisories } = explanation;
  const marks: Mark[] = [];
  if (needle !== undefined) marks.push({ kind: 'asked', text: tickText(query.version), x: needle });
  const wantsUpdate = needle !== undefined && advisories.some(({ applies }) => applies);
  const updateAt = wantsUpdate && update_to !== null ? versions.indexOf(update_to) : -1;
  if (update_to !== null && updateAt >= 0)
    marks.push({
      kind: 'update',
      text: `update to ${versionForTool(query.type, query.name, update_to)}`,
      x: slotMiddle(scale, updateAt),
    });
  const clearAt = lowest_clear === null ? -1 : versions.indexOf(lowest_clear);
  if (clearAt >= 0 && clearAt !== updateAt)
    marks.push({ kind: 'clear', text: `lowest clear ${lowest_clear}`, x: slotMiddle(scale, clearAt) });
  return marks;
}

function Ticks({
  answer: { query, explanation },
  axisIndex,
  scale,
}: Pick<RulerProps, 'answer' | 'axisIndex'> & { readonly scale: Scale }) {
  const { versions } = explanation.axes[axisIndex];
  const ticks = useMemo(() => {
    const labels = ticksOf(scale, versions, CHAR_WIDTH).map((at) => ({
      version: versions[at],
      text: tickText(versions[at]),
      x: slotMiddle(scale, at),
    }));
    const placed = placeLabels(labels, scale.width, CHAR_WIDTH);
    return labels.map((label, index) => ({ ...label, left: placed[index].left }));
  }, [scale, versions]);
  const path = useMemo(
    () => versions.map((_, at) => `M${slotMiddle(scale, at).toFixed(1)} 0v4`).join(''),
    [scale, versions],
  );
  return (
    <div class="ruler-ticks">
      {ticks.map(({ version, text, left }) => (
        // The field for the version does the same, so the keyboard does not stop at these.
        <a
          key={version}
          href={fragmentOf('lookup', parametersOf({ ...query, version }))}
          tabIndex={-1}
          title={version}
          style={{ left: `${left}px` }}
        >
          {text}
        </a>
      ))}
      <svg width={scale.width} height="5" aria-hidden="true">
        <path d={`M0 4.5H${scale.width}${path}`} />
      </svg>
    </div>
  );
}

interface RowData {
  readonly advisory: Advisory;
  readonly ranges: Advisory['ranges'];
}

function Row({
  advisory,
  ranges,
  scale,
  hasNeedle,
  onOpen,
  onPoint,
}: RowData & {
  readonly scale: Scale;
  readonly hasNeedle: boolean;
  readonly onOpen: (id: number) => void;
  readonly onPoint: (caption: string) => void;
}) {
  const severity = severityOfAdvisory(advisory);
  const rating = `${SEVERITY_TITLES[severity]} ${advisory.cvss?.score?.toFixed(1) ?? ''}`.trim();
  const decisive = ranges.find(({ decides }) => decides);
  const reach =
    decisive !== undefined
      ? rangePhrase(decisive)
      : ranges.length === 1
        ? rangePhrase(ranges[0])
        : counted(ranges.length, 'range');
  const verdict = !hasNeedle ? '' : advisory.applies ? ', affected' : ', not affected';
  const caption = `${rating}, ${identifierOf(advisory)}: ${reach}${verdict}. ${titleOf(advisory)}`;
  return (
    <li>
      <button
        type="button"
        class={`ruler-row ${severity}`}
        aria-label={caption}
        onClick={() => onOpen(advisory.id)}
        onMouseEnter={() => onPoint(caption)}
        onMouseLeave={() => onPoint('')}
        onFocus={() => onPoint(caption)}
        onBlur={() => onPoint('')}
      >
        <span class="ruler-label">{rating}</span>
        {ranges.map((range, index) => {
          const bar = barOf(scale, range);
          return (
            <span
              key={index} // ranges have no names of their own, and their order is fixed
              class={[
                'ruler-bar',
                bar.decides || !hasNeedle ? 'full' : '',
                bar.isOpenBelow ? 'open-below' : '',
                bar.isOpenAbove ? 'open-above' : bar.holdsEnd ? '' : 'end-out',
              ].join(' ')}
              style={{ left: `${LABEL_WIDTH + bar.left}px`, width: `${bar.width}px` }}
            />
          );
        })}
      </button>
    </li>
  );
}

function Legend({ hasNeedle }: { readonly hasNeedle: boolean }) {
  const entries = [
    ...(hasNeedle ? [['full', 'contains your version']] : []),
    ['', 'square end: included'],
    ['end-out', 'round end: not included'],
    ['open-above', 'fading: no bound'],
  ];
  return (
    <>
      {entries.map(([kind, text]) => (
        <span key={text} class="ruler-key">
          <span class={`ruler-bar ${kind}`} />
          {text}
        </span>
      ))}
    </>
  );
}

/** The width of an element, 0 before it is known. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
