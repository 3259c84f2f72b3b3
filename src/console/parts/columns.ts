// Columns of numbers for charts: sums on top of each other, and what can be said of a column in words. Null
// is a place where nothing was measured.

export type Column = readonly (number | null)[];

/**
 * For each column, its sum with all columns before it. Null counts as nothing, and remains where no column
 * has a number. Requires: columns of equal length.
 */
export function stacked(columns: readonly Column[]): readonly Column[] {
  const sums: (number | null)[][] = [];
  for (const column of columns) {
    const below = sums.at(-1);
    sums.push(column.map((value, i) => sumOf(value, below?.[i] ?? null)));
  }
  const total = sums.at(-1);
  // A lower column may lack a number where a higher one has it; then its part of the stack is empty, and not
  // unknown.
  return sums.map((sum) => sum.map((value, i) => value ?? (total?.[i] == null ? null : 0)));
}

function sumOf(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

/** The last number; null if there is none. */
export function latest(column: Column): number | null {
  return column.findLast((value) => value !== null) ?? null;
}

/** Null if there is no number. */
export function highest(column: Column): number | null {
  return column.reduce(
    (most, value) => (value === null || (most !== null && most >= value) ? most : value),
    null,
  );
}

/** The last place where a column has a number; -1 if there is none. */
export function lastPlace(columns: readonly Column[]): number {
  return Math.max(-1, ...columns.map((column) => column.findLastIndex((value) => value !== null)));
}
