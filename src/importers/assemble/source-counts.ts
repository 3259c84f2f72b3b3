// What became of everything that was read from one source. Every entry is counted once when it is read and
// once when it is decided on; `requireBalance` holds the two against each other.

import assert from 'node:assert/strict';
import type { Reject } from '../source.ts';

/**
 * Distinct reasons to count by name; more are counted together, as a source may put its own words into them.
 */
const MAX_REASONS = 1000;
const OTHER_REASONS = 'other reasons';

export class SourceCounts {
  readonly name: string;
  /** The name of its kind. */
  readonly kind: string;
  /** For people: a path or a URL. */
  readonly label: string;
  read = 0;
  /** Became the first record of an advisory. */
  accepted = 0;
  /** Added to an advisory that another record began. */
  merged = 0;
  skipped = 0;
  rejected = 0;
  warnings = 0;
  readonly skippedBy = new Map<string, number>();
  /** By the field of the first problem, such as `affected[].to_version`. */
  readonly rejectedBy = new Map<string, number>();

  constructor(name: string, kind: string, label: string) {
    this.name = name;
    this.kind = kind;
    this.label = label;
  }

  skip(reason: string): void {
    this.skipped++;
    add(this.skippedBy, reason);
  }

  reject({ problems: [problem] }: Reject): void {
    this.rejected++;
    add(this.rejectedBy, (problem?.field ?? 'unknown').replace(/\[\d+\]/g, '[]'));
  }

  /** An internal error if an entry got lost. Requires: the source has been read and assembled to its end. */
  requireBalance(): void {
    const { read, accepted, merged, skipped, rejected } = this;
    assert.equal(
      accepted + merged + skipped + rejected,
      read,
      `${this.name}: ${accepted} accepted + ${merged} merged + ${skipped} skipped + ${rejected} rejected is not ${read} read`,
    );
  }
}

function add(counts: Map<string, number>, reason: string): void {
  const name = counts.has(reason) || counts.size < MAX_REASONS ? reason : OTHER_REASONS;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
