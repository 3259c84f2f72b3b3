// Stops an import that rejects more than a share of what it reads: the export is then damaged, or has changed
// its form.

import { CommandError } from '../command-error.ts';
import { counted } from '../figures.ts';
import { formatCount } from '../snapshot-report.ts';
import type { RejectsFile } from './rejects-file.ts';

export const DEFAULT_MAX_REJECT_PERCENT = 1;

/** Says that the sources are at fault, not the command: for whoever runs it unattended. */
export class TooManyRejectsError extends CommandError {}

/**
 * Throws CommandError if more of what was read from one source is rejected than allowed: a small one that is
 * broken must not hide behind a large one. The rejects then go to
 * `stoppedPath`, for a look at them; without such a path, which is so for standard output, none is allowed.
 */
export function requireFewRejects(
  counts: readonly { readonly name: string; readonly read: number; readonly rejected: number }[],
  maxPercent: number,
  rejects: RejectsFile,
  stoppedPath: string | undefined,
): void {
  const rejectedInAll = counts.reduce((sum, each) => sum + each.rejected, 0);
  if (stoppedPath === undefined && rejectedInAll > 0) {
    throw new CommandError(
      `${counted(rejectedInAll, 'entry was', 'entries were')} rejected, and with standard output there is no place to keep them: give --out a file; nothing was written`,
    );
  }
  // 0.57 % of 10,000 is 57, which binary fractions miss.
  const allowed = (read: number): number => Math.floor(((read * maxPercent) / 100) * (1 + Number.EPSILON));
  const broken = counts.filter(({ read, rejected }) => rejected > allowed(read));
  if (stoppedPath === undefined || broken.length === 0) return;
  const path = rejects.publish(stoppedPath);
  const shares = broken.map(({ name, read, rejected }) => {
    const share = `${name}: ${counted(rejected, 'entry', 'entries')} of ${formatCount(read)} read`;
    return `${share} ${rejected === 1 ? 'was' : 'were'} rejected (${((rejected * 100) / read).toFixed(1)} %)`;
  });
  throw new TooManyRejectsError(
    `${shares.join('; ')}, and --max-reject allows ${maxPercent} % of a source; nothing was published. ` +
      `They are in ${path} with the reasons: fix the source, or allow more with --max-reject`,
  );
}
