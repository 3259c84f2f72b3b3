// Which releases of Node the program runs on. It is evaluated on those that it does not run on as well:
// cli.ts says what it may use.

interface Least {
  readonly text: string;
  readonly parts: readonly number[];
  /** Whether later major versions are in the range too. */
  readonly isOpen: boolean;
}

/**
 * What to tell whoever starts the program on a release that is too old; undefined if it is not. `range` is
 * that of package.json, the least release of each line, such as `^20.20.2 || >=22.22.2`; `file` is the Node
 * that runs.
 */
export function nodeProblem(range: string, version: string, file: string): string | undefined {
  const least = range.split(' || ').map(leastOf);
  const found = /^v(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (found === null || least.some((each) => each === undefined)) {
    throw new Error(`cannot compare Node ${version} with ${range}`);
  }
  const parts = found.slice(1).map(Number);
  const lines = least as readonly Least[]; // none is undefined
  const isIn = (line: Least): boolean =>
    order(parts, line.parts) >= 0 && (line.isOpen || parts[0] === line.parts[0]);
  if (lines.some(isIn)) return undefined;
  // Of the line that runs, or else of the next one that is in the range.
  const needed = lines.filter((line) => order(parts, line.parts) < 0)[0] ?? lines[lines.length - 1];
  return (
    `Node ${needed.text} or newer is needed, and this is Node ${version.slice(1)} (${file}): ` +
    `install a newer release from https://nodejs.org, or run the program with one that is already installed`
  );
}

function leastOf(comparator: string): Least | undefined {
  const match = /^(\^|>=)(\d+)\.(\d+)\.(\d+)$/.exec(comparator);
  if (match === null) return undefined;
  const [, operator, ...parts] = match;
  return { text: parts.join('.'), parts: parts.map(Number), isOpen: operator === '>=' };
}

function order(a: readonly number[], b: readonly number[]): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
