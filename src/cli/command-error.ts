// A command's own failure: something the person at the terminal can mend. Printed as one line, exit status 1;
// anything else that escapes a command is our mistake and keeps its stack.

export class CommandError extends Error {
  override readonly name = 'CommandError';
}
