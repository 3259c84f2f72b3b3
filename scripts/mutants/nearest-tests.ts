// Which test files a source is tried with: its mirror, or else the nearest ones.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MOST = 6; // test files for one source without a mirror
/** A relative file that is imported, or started as a thread; not one whose types alone are imported. */
const NAMED = /(?<!\b(?:import|export) type [^;']*)['`](\.{1,2}\/[^'`\n]+\.)(?:(tsx?)|\$\{extension\})['`]/g;

/** `files` are those of src and test; all paths are relative to the current folder. */
export function nearestTests(files: readonly string[]): (source: string) => readonly string[] {
  const tests = files.filter((name) => name.endsWith('.test.ts'));
  const users = new Map<string, string[]>();
  for (const file of files) {
    for (const [, path, extension = 'ts'] of readFileSync(file, 'utf8').matchAll(NAMED)) {
      const named = join(dirname(file), path + extension);
      users.set(named, [...(users.get(named) ?? []), file]);
    }
  }
  const mirrorOf = (file: string): string => file.replace(/^src/, 'test').replace(/\.tsx?$/, '.test.ts');
  return (source) => {
    if (tests.includes(mirrorOf(source))) return [mirrorOf(source)];
    const seen = new Set([source]);
    // The tests that import it and the mirrors of the sources that do; if there are none, those of these
    // sources' users.
    for (let level = [source]; level.length > 0; level = level.filter((file) => file.startsWith('src'))) {
      level = level.flatMap((file) => users.get(file) ?? []).filter((file) => !seen.has(file));
      for (const file of level) seen.add(file);
      const found = level.flatMap((file) => [file, mirrorOf(file)]).filter((file) => tests.includes(file));
      if (found.length > 0) return nearest([...new Set(found)], source);
    }
    return nearest(tests, source);
  };
}

/** Those in the folder of the source or in the folders around it first. */
function nearest(tests: readonly string[], source: string): readonly string[] {
  const parts = source.split('/');
  const shared = (test: string) => test.split('/').findIndex((part, i) => i > 0 && part !== parts[i]);
  return tests.toSorted((a, b) => shared(b) - shared(a) || (a < b ? -1 : 1)).slice(0, MOST);
}
