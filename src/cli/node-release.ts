// Which releases of Node the program runs on. It is evaluated on those that it does not run on as well:
// cli.ts says what it may use.

/**
 * What to tell whoever starts the program on a release that is too old; undefined if it is not. `range` is
 * that of package.json, such as `>=20.11`; `file` is the Node that runs.
 */
export function nodeProblem(range: string, version: string, file: string): string | undefined {
  const needed = /^>=(\d+)\.(\d+)$/.exec(range);
  const found = /^v(\d+)\.(\d+)\./.exec(version);
  if (needed === null || found === null) throw new Error(`cannot compare Node ${version} with ${range}`);
  const isOlder =
    found[1] === needed[1] ? Number(found[2]) < Number(needed[2]) : Number(found[1]) < Number(needed[1]);
  if (!isOlder) return undefined;
  const least = `${needed[1]}.${needed[2]}`;
  return (
    `Node ${least} or newer is needed, and this is Node ${version.slice(1)} (${file}): ` +
    `install a newer release from https://nodejs.org, or run the program with one that is already installed`
  );
}
