// A text that is not read, with what a person needs to know: what it looks like, where it fails, what to use
// instead.

/** The only error that a reader throws for a bad text. Its message is shown as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The refusal of a text that no reader knows. */
export class UnknownFormat extends Refusal {}

/** What is there, shortened for a message. */
export function clip(text: string, maxChars = 80): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}

/** `line 3, column 7`, both from 1. */
export function placeAt(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf('\n'); next >= 0 && next < offset; next = text.indexOf('\n', start)) {
    line++;
    start = next + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}
