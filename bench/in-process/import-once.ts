// `import-once ARCHIVE OUT IDS`: one compilation of an OSV archive in a process of its own, as a user would run it. Prints
// what own-process.ts reads.

import { compileSources } from '../../src/cli/sources/compile-sources.ts';
import { preferenceInOrder } from '../../src/importers/assemble/preference.ts';
import type { Once } from './own-process.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 1);

const [archive, out, idsPath] = process.argv.slice(2);
const startMs = performance.now();
const { id, totalBytes } = await compileSources(
  {
    sources: [{ kind: 'osv', location: archive }],
    preference: preferenceInOrder(1),
    ...{ out, idsPath, guards: {}, skipInvalid: false, strict: false, builtAtMs: BUILT_AT_MS },
  },
  console.error,
);
const ms = performance.now() - startMs;
const peakBytes = process.resourceUsage().maxRSS * 1024;
const result: Once = { ms, peakBytes, id, snapshotBytes: totalBytes };
console.log(JSON.stringify(result));
