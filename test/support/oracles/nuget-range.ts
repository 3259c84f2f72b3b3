// Reads versions and ranges as NuGet's own client does, and tells which versions a range holds: the rules of
// NuGetVersion.TryParse, VersionComparer and VersionRange.TryParse, in src/NuGet.Core/NuGet.Versioning of
// NuGet.Client. Shares no code with the server.

interface NugetVersion {
  /** Four, of which missing ones are 0. */
  readonly numbers: readonly number[];
  readonly labels: readonly string[];
}

const MAX_NUMBER = 2 ** 31 - 1; // of System.Version
const MAX_INT_DIGITS = /^\d+$/;

/** Undefined for what NuGetVersion.TryParse refuses. */
export function readNugetVersion(text: string): NugetVersion | undefined {
  const [withoutMetadata, ...metadata] = text.trim().split('+');
  if (metadata.length > 1) return undefined;
  const dash = withoutMetadata.indexOf('-');
  const core = dash < 0 ? withoutMetadata : withoutMetadata.slice(0, dash);
  const labels = dash < 0 ? [] : withoutMetadata.slice(dash + 1).split('.');
  if (!/^\d+(\.\d+){0,3}$/.test(core)) return undefined;
  const numbers = core.split('.').map(Number);
  if (numbers.some((number) => number > MAX_NUMBER)) return undefined;
  if (!labels.every((label) => /^[0-9A-Za-z-]+$/.test(label) && !/^0\d+$/.test(label))) return undefined;
  if (metadata.length === 1 && !metadata[0].split('.').every((part) => /^[0-9A-Za-z-]+$/.test(part)))
    return undefined;
  return { numbers: [...numbers, 0, 0, 0].slice(0, 4), labels };
}

function compare(a: NugetVersion, b: NugetVersion): number {
  for (let i = 0; i < 4; i++) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i] - b.numbers[i];
  if (a.labels.length === 0 || b.labels.length === 0) return b.labels.length - a.labels.length;
  for (let i = 0; i < Math.max(a.labels.length, b.labels.length); i++) {
    if (a.labels[i] === undefined || b.labels[i] === undefined) return a.labels.length - b.labels.length;
    const order = compareLabels(a.labels[i], b.labels[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareLabels(a: string, b: string): number {
  const [aIsInt, bIsInt] = [a, b].map((label) => MAX_INT_DIGITS.test(label) && Number(label) <= MAX_NUMBER);
  if (aIsInt && bIsInt) return Number(a) - Number(b);
  if (aIsInt !== bIsInt) return aIsInt ? -1 : 1;
  const [upperA, upperB] = [a.toUpperCase(), b.toUpperCase()];
  return upperA < upperB ? -1 : upperA > upperB ? 1 : 0;
}

/** Positive for a version inside a bound. */
function signed(order: number, isInside: boolean): number {
  return order === 0 && isInside ? 1 : order;
}

/** Which versions the range holds; undefined for what VersionRange.TryParse refuses. */
export function readNugetRange(text: string): ((version: string) => boolean) | undefined {
  const trimmed = text.trim();
  const [first, last] = [trimmed[0], trimmed.at(-1)];
  if (first !== '[' && first !== '(') return undefined; // a bare version, which the server does not write
  if (last !== ']' && last !== ')') return undefined;
  const parts = trimmed.slice(1, -1).split(',');
  if (parts.length > 2 || parts.every((part) => part === '')) return undefined;
  const [isMinInside, isMaxInside] = [first === '[', last === ']'];
  if (parts.length === 1 && !(isMinInside && isMaxInside)) return undefined;
  const bounds = [parts[0], parts.at(-1)!].map((part) =>
    part.trim() === '' ? null : readNugetVersion(part),
  ); // of at least one part
  const [min, max] = bounds;
  if (min === undefined || max === undefined) return undefined;
  if (min !== null && max !== null) {
    const order = compare(min, max);
    if (order > 0 || (order === 0 && isMinInside !== isMaxInside)) return undefined;
  }
  return (version) => {
    const read = readNugetVersion(version);
    if (read === undefined) throw new Error(`not a version: ${version}`);
    const isAbove = min === null || signed(compare(read, min), isMinInside) > 0;
    return isAbove && (max === null || signed(-compare(read, max), isMaxInside) > 0);
  };
}
