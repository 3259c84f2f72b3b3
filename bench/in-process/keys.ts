// Version strings to keys, per scheme, compared with how the usual libraries parse the same strings. The strings are
// the versions of the snapshot, so they have its mix of shapes; the WordPress schemes share the same ones.

import semver from 'semver';
import type { Generation } from '../../src/index/generation.ts';
import { completeSemver } from '../../src/index/items/affected-range.ts';
import {
  isStrictScheme,
  MAX_KEY_BYTES,
  VERSION_SCHEMES,
  versionKey,
  writeVersionKey,
} from '../../src/index/versions/version-key.ts';
import { wordpressParts } from '../baselines/versions.js';
import { askingAll, baseline, type Prepared, type Task } from './measure.ts';

const VERSIONS = 1024;

export function prepareKeys(generation: Generation): Prepared {
  const { versionSchemeStart } = generation.parts.columns;
  const out = new Uint8Array(MAX_KEY_BYTES);
  const notes: string[] = [];
  const tasks = VERSION_SCHEMES.flatMap((scheme): Task[] => {
    const code = VERSION_SCHEMES.indexOf(isStrictScheme(scheme) ? scheme : 'wordpress');
    const first = versionSchemeStart[code];
    const available = versionSchemeStart[code + 1] - first;
    const count = Math.min(VERSIONS, available);
    if (count === 0) return [];
    const versions = Array.from({ length: count }, (_, i) =>
      generation.versionText(first + Math.floor((i * available) / count)),
    );
    notes.push(`${scheme}: ${count} of ${available} versions`);
    const asks = `key of a ${scheme} version`;
    const write = (version: string): number => writeVersionKey(scheme, version, out);
    const parse = (version: string): number => semver.parse(completeSemver(version))?.major ?? 0;
    const split = (version: string): number => wordpressParts(version).length;
    return [
      askingAll(
        'writeVersionKey',
        asks,
        versions,
        write,
        (version) => versionKey(scheme, version) ?? 'no version',
      ),
      ...(scheme === 'semver'
        ? [baseline(askingAll('node-semver parse', asks, versions, parse, null))]
        : isStrictScheme(scheme)
          ? [] // no library to compare with
          : [baseline(askingAll('split by regular expressions', asks, versions, split, null))]),
    ];
  });
  return { notes, tasks };
}
