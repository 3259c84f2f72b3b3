// `compile-once FEED OUT [PREVIOUS]`: one compilation in a process of its own, as a user would run it. Prints the
// milliseconds, the peak of resident memory and the snapshot's id as JSON.

import { compileFeeds } from '../../src/cli/sources/compile-feeds.ts';
import { openPrevious } from '../../src/cli/sources/previous-snapshot.ts';

/** What one compilation took. */
export interface CompileOnce {
  readonly ms: number;
  readonly peakBytes: number;
  readonly id: string;
}

const BUILT_AT_MS = Date.UTC(2026, 0, 1);

const [feed, out, previousPath] = process.argv.slice(2);
const startMs = performance.now();
const previous = previousPath === undefined ? undefined : openPrevious(previousPath, console.error);
const plan = { feeds: [feed], out, skipInvalid: false, builtAtMs: BUILT_AT_MS, previous };
const { id } = await compileFeeds(plan, console.error);
const ms = performance.now() - startMs;
previous?.close();
const result: CompileOnce = { ms, peakBytes: process.resourceUsage().maxRSS * 1024, id };
console.log(JSON.stringify(result));
