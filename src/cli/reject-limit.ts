// Stops an import that rejects more than a share of what it reads: the export is then damaged, or has changed its form.

import { CommandError } from './command-error.ts';
import { counted } from './figures.ts';

/** Throws CommandError if more of what was read is rejected than allowed. */
export function requireFewRejects(
  counts: readonly { readonly read: number; readonly rejected: number }[],
  maxPercent: number,
): void {
  const read = counts.reduce((sum, each) => sum + each.read, 0);
  const rejected = counts.reduce((sum, each) => sum + each.rejected, 0);
  if (rejected * 100 <= read * maxPercent) return;
  const percent = ((rejected * 100) / read).toFixed(1);
  throw new TooManyRejectsError(
    `${counted(rejected, 'entry', 'entries')} of ${read.toLocaleString('en-US')} read were rejected (${percent} %), more than --max-reject ${maxPercent} allows; nothing was published`,
  );
}

/** The rejects are then kept for a look at them. */
export class TooManyRejectsError extends CommandError {
  override readonly name = 'TooManyRejectsError';
}
