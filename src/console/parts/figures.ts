// Measured figures in the least room: on the axes of charts, in tiles and tables.

const compactNumbers = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
const shares = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** What stands for a figure that was not measured. */
export const NOT_MEASURED = '–';

/** `1.23K`. */
export function compact(value: number): string {
  return compactNumbers.format(value);
}

/** `42%` of a share from 0 to 1; one decimal below 10%. */
export function percent(share: number): string {
  return shares.format(share < 0.1 ? share : Math.round(share * 100) / 100);
}

/** `0.12 ms`, `3.4 ms`, `120 ms`, `1.2 s`. */
export function milliseconds(value: number): string {
  if (value >= 1_000) return `${rounded(value / 1_000)} s`;
  return `${rounded(value)} ms`;
}

/** Three significant digits, without zeros that say nothing. */
function rounded(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(value < 1 ? 2 : 3)));
}

/** `14:03`, or `14:03:27` with seconds, in the reader's own time zone. */
export function clock(epochSeconds: number, withSeconds = false): string {
  const time = new Date(epochSeconds * 1_000);
  const parts = [time.getHours(), time.getMinutes(), ...(withSeconds ? [time.getSeconds()] : [])];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
