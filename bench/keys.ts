// Version strings to keys, per scheme, compared with how the usual libraries parse the same strings. The strings are
// the versions of the snapshot, so they have its mix of shapes; the WordPress schemes share the same ones.

import semver from 'semver';
import { completeSemver } from '../src/index/items/affected-range.ts';
import {
  MAX_KEY_BYTES,
  VERSION_SCHEMES,
  versionKey,
  writeVersionKey,
} from '../src/index/versions/version-key.ts';
import type { BenchContext, Prepared } from './bench-context.ts';
import { wordpressParts } from './linear-wordpress.ts';
import type { Task } from './measure.ts';
import { versionAt } from './questions.ts';

const VERSIONS = 1024;

export function prepareKeys({ generation }: BenchContext): Prepared {
  const { versionSchemeStart } = generation.parts.columns;
  const out = new Uint8Array(MAX_KEY_BYTES);
  const notes: string[] = [];
  const tasks = VERSION_SCHEMES.flatMap((scheme): Task[] => {
    const code = VERSION_SCHEMES.indexOf(scheme === 'semver' ? 'semver' : 'wordpress');
    const first = versionSchemeStart[code];
    const available = versionSchemeStart[code + 1] - first;
    const count = Math.min(VERSIONS, available);
    if (count === 0) return [];
    const versions = Array.from({ length: count }, (_, i) =>
      versionAt(generation, first + Math.floor((i * available) / count)),
    );
    const chars = versions.reduce((sum, version) => sum + version.length, 0) / count;
    notes.push(`${scheme}: ${count} of ${available} versions, ${chars.toFixed(1)} characters on average`);
    const asks = `key of a ${scheme} version`;
    const write: Task = {
      name: 'writeVersionKey',
      asks,
      questions: count,
      run: () => {
        let sum = 0;
        for (const version of versions) sum += writeVersionKey(scheme, version, out);
        return sum;
      },
      *answers() {
        for (const version of versions) yield versionKey(scheme, version) ?? 'no version';
      },
    };
    const library: Task =
      scheme === 'semver'
        ? {
            name: 'node-semver parse',
            asks,
            isBaseline: true,
            questions: count,
            run: () => versions.map((version) => semver.parse(completeSemver(version))),
          }
        : {
            name: 'split by regular expressions',
            asks,
            isBaseline: true,
            questions: count,
            run: () => versions.map(wordpressParts),
          };
    return [write, library];
  });
  return { notes, tasks };
}
