// The verdict on one part: its exit status as it is, and each figure by its bound.

import type { Figure } from '../../test/support/figure.ts';
import { boundOf, median, type Row } from './history.ts';
import type { Part } from './parts.ts';

/** Of a figure that was beyond its bound. */
const MORE_TIMES = 2;

export type Judged = Pick<Row, 'figure' | 'value' | 'unit' | 'bound' | 'verdict'>;

export interface Ran {
  readonly status: number;
  readonly figures: readonly Figure[];
}

/**
 * Runs a part, and twice more what it measured beyond a bound. The exit status stands for everything that
 * is right or wrong at any speed, and is never asked for again.
 */
export async function judge(
  part: Part,
  known: readonly Row[],
  run: (command: readonly string[]) => Promise<Ran>,
): Promise<Judged[]> {
  const { status, figures } = await run(part.command);
  const bound = ({ name, ceiling }: Figure): number | undefined =>
    ceiling === undefined
      ? undefined
      : boundOf(known, { node: part.node, part: part.name, figure: name }, ceiling);
  const isBeyond = (figure: Figure): boolean => figure.value > (bound(figure) ?? Infinity);
  const beyond = figures.filter(isBeyond);
  const sources = [...new Set(beyond.map(({ source }) => source))];
  const further: Figure[] = [];
  for (let time = 0; sources.length > 0 && part.again !== undefined && time < MORE_TIMES; time++)
    further.push(...(await run(part.again(sources))).figures);
  const judged = figures.map((figure): Judged => {
    const { name, unit, ceiling } = figure;
    const all = [figure, ...(isBeyond(figure) ? further.filter((each) => each.name === name) : [])];
    const isRed = all.filter(isBeyond).length * 2 > all.length;
    const verdict = ceiling === undefined ? 'noted' : isRed ? 'red' : 'green';
    return {
      figure: name,
      value: median(all.map(({ value }) => value)),
      unit,
      bound: bound(figure),
      verdict,
    };
  });
  const exit = { figure: 'exit status', value: status, unit: '', bound: 0 };
  return [{ ...exit, verdict: status === 0 ? 'green' : 'red' }, ...judged];
}
