// How a difference between two snapshots is shown: as a row of a table, or as members of a JSON object.

import { CHANGES, type Change, type Difference } from '../compare/differences.ts';
import type { Generation } from '../index/generation.ts';
import { ItemView } from '../index/items/item-view.ts';
import { printable } from '../index/memory/text-limits.ts';
import { PRODUCT_TYPES } from '../index/product-type.ts';
import { counted } from './figures.ts';
import { formatCount, formatTable, formatTime } from './snapshot-report.ts';

/** One of the two snapshots, with the name it is shown by. */
export interface Side {
  readonly file: string;
  readonly generation: Generation;
}

/** The members of the JSON form, in order. */
interface Described {
  readonly change: Change;
  readonly id: number;
  readonly cve: string | null;
  readonly ghsa: string | null;
  readonly type: string;
  readonly slug: string;
  readonly title: string;
  /** Whether it is withdrawn in the next snapshot; for `gone`, in the previous one. */
  readonly withdrawn: boolean;
  /** Of `changed`, `withdrawn` and `restored`. */
  readonly fields?: readonly string[];
}

/** Reads what is shown of a difference: from the next snapshot, or from the previous one if it is gone. */
export class DifferenceView {
  readonly #previous: ItemView;
  readonly #next: ItemView;
  readonly #sides: { readonly previous: Generation; readonly next: Generation };

  constructor(previous: Side, next: Side) {
    this.#sides = { previous: previous.generation, next: next.generation };
    this.#previous = new ItemView(previous.generation);
    this.#next = new ItemView(next.generation);
  }

  describe(difference: Difference): Described {
    const isGone = difference.kind === 'gone';
    const generation = isGone ? this.#sides.previous : this.#sides.next;
    const ordinal = isGone ? difference.previous : difference.next;
    const view = (isGone ? this.#previous : this.#next).enter(ordinal);
    const { columns } = generation.parts;
    const cve = view.text('cve');
    return {
      change: difference.kind,
      id: difference.id,
      cve: cve ? `CVE-${cve}` : null,
      ghsa: view.text('ghsa') || null,
      type: PRODUCT_TYPES[columns.productType[columns.advisoryProduct[ordinal]]],
      slug: view.text('productSlug') ?? '',
      title: view.bareTitle(),
      withdrawn: ordinal >= generation.publishedCount,
      ...('fields' in difference ? { fields: difference.fields } : {}),
    };
  }
}

/** A summary, then a table for each kind of difference. `listed` may be fewer than `counts` says. */
export function formatDifferences(
  previous: Side,
  next: Side,
  listed: readonly Difference[],
  counts: Readonly<Record<Change | 'unchanged', number>>,
): string {
  const view = new DifferenceView(previous, next);
  const parts = CHANGES.map((change) => `${formatCount(counts[change])} ${change}`);
  const summary = `${parts.join(', ')}; ${formatCount(counts.unchanged)} unchanged\n`;
  const sides = formatTable([describe('from', previous), describe('to', next)], { indent: '  ' });
  const groups = CHANGES.filter((change) => counts[change] > 0).map((change) => {
    const rows = listed.filter(({ kind }) => kind === change).map((each) => formatRow(view.describe(each)));
    const isPart = rows.length < counts[change];
    const note = isPart ? ` (${formatCount(rows.length)} of them listed; see --limit)` : '';
    return `\n${change}: ${formatCount(counts[change])}${note}\n${formatTable(rows, { indent: '  ' })}`;
  });
  return `${summary}${sides}${groups.join('')}`;
}

function describe(word: string, { file, generation }: Side): string[] {
  const { builtAtMs } = generation.parts;
  const count = counted(generation.advisoryCount, 'advisory', 'advisories');
  return [word, file, `id ${generation.id}`, `built ${formatTime(builtAtMs)}`, count];
}

function formatRow({ change, id, cve, ghsa, type, slug, title, withdrawn, fields }: Described): string[] {
  const note = withdrawn && change !== 'withdrawn' ? ' (withdrawn)' : '';
  const cells = [String(id), cve ?? ghsa ?? '-', type, slug];
  if (change === 'changed') cells.push((fields ?? []).join(', '));
  return [...cells, `${title}${note}`].map(printable);
}
