// Errors the user can fix. Each is printed as one line; anything else that escapes a command is an internal
// error and keeps its stack. docs/commands.md explains the exit statuses.

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** For `lookup --fail-on-match`: its own status, so that a script can tell a match from a failure. */
export const EXIT_MATCHED = 3;
/** For `diff --exit-code`. */
export const EXIT_DIFFERENT = 3;
/**
 * Of `refresh`, one for each outcome: nothing is new; a guard refused the snapshot; a source is unreachable
 * or bad; another refresh is running.
 */
export const EXIT_UNCHANGED = 4;
export const EXIT_REFUSED = 5;
export const EXIT_SOURCE = 6;
export const EXIT_BUSY = 7;
/** Of `lookup --fail-on-unknown`: most products have no advisory, but neither has a misspelt one. */
export const EXIT_UNKNOWN = 8;
/** Of `lookup --from --fail-on-unknown`: of some entries of the file nothing is known. */
export const EXIT_NOT_LOOKED_UP = 9;

/** The command was valid but failed. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitStatus: number = EXIT_FAILED;
}

/** The command line is wrong: an unknown word, a value out of range, options that conflict. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  override readonly exitStatus = EXIT_USAGE;
}
