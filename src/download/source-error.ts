// What is wrong with a source of data as a whole.

/** A source that cannot be read to its end. What is missing is unknown, so no option may skip it. */
export class SourceError extends Error {
  override readonly name: string = 'SourceError';
}
