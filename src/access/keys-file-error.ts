// What is wrong with a keys file, as one line for a log and as a complete list.

const SHOWN_PROBLEMS = 10; // the message is one log line; `problems` lists them all

export class KeysFileError extends Error {
  override readonly name = 'KeysFileError';
  readonly file: string;
  readonly problems: readonly string[];

  /** `problemCount` is higher than `problems.length` if some were left out. */
  constructor(file: string, problems: readonly string[], problemCount = problems.length) {
    const shown = problems.slice(0, SHOWN_PROBLEMS);
    const more = problemCount - shown.length;
    super(`${file}: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
    this.file = file;
    this.problems = problems;
  }
}
