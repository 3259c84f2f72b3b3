// A requirement's clauses, as PEP 508 writes them.

/** The version that clauses such as `==1.0` or `>=1,===1.0` allow alone; undefined if they allow several. */
export function exactVersion(clauses: string): string | undefined {
  for (const clause of clauses.split(',')) {
    const version = /^\s*={2,3}\s*([^\s=*]+)\s*$/.exec(clause)?.[1];
    if (version !== undefined) return version;
  }
  return undefined;
}
