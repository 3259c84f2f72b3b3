// A command's own failures: something the person at the terminal can fix. Each is printed as one line; anything else
// that escapes a command is an internal error and keeps its stack. docs/operations.md explains the exit statuses.

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** Of `lookup --fail-on-match`: apart from the others, so that a script can tell a finding from a failure. */
export const EXIT_MATCHED = 3;

/** The command was understood and did not succeed. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitStatus: number = EXIT_FAILED;
}

/** What was typed cannot be meant: an unknown word, a value out of range, options that do not go together. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  override readonly exitStatus = EXIT_USAGE;
}
