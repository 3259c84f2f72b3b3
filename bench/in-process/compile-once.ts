// `compile-once FEED OUT [PREVIOUS]`: one compilation in a process of its own, as a user would run it. Prints what
// own-process.ts reads.

import { compileFeeds } from '../../src/cli/sources/compile-feeds.ts';
import { openPrevious } from '../../src/cli/sources/previous-snapshot.ts';
import type { Once } from './own-process.ts';

const BUILT_AT_MS = Date.UTC(2026, 0, 1);

const [feed, out, previousPath] = process.argv.slice(2);
const startMs = performance.now();
const previous = previousPath === undefined ? undefined : openPrevious(previousPath, console.error);
const plan = { feeds: [feed], out, skipInvalid: false, builtAtMs: BUILT_AT_MS, previous };
const { id, totalBytes: snapshotBytes } = await compileFeeds(plan, console.error);
const ms = performance.now() - startMs;
previous?.close();
const peakBytes = process.resourceUsage().maxRSS * 1024;
const result: Once = { ms, peakBytes, id, snapshotBytes };
console.log(JSON.stringify(result));
