// Numbers and times as people read them.

const numbers = new Intl.NumberFormat('en-US');
const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function count(value: number): string {
  return numbers.format(value);
}

/** `1 advisory`, `2 advisories`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `3 hours`, in the largest unit that fits at least once. */
export function duration(seconds: number): string {
  const [unit, size] = STEPS.find((step) => seconds >= step[1]) ?? STEPS[STEPS.length - 1];
  return counted(Math.floor(seconds / size), unit);
}

/** `1.4 GiB`. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** power;
  return `${scaled.toFixed(power === 0 || scaled >= 100 ? 0 : 1)} ${UNITS[power]}`;
}

/** `2026-01-31 07:05` in the reader's own time zone. */
export function moment(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (part: number): string => String(part).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
