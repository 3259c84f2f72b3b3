// One short word for a list of answers, so that two runs or two designs can be seen to answer the same.

import { createHash } from 'node:crypto';

const DIGITS = 12;

/** The first hex digits of SHA-256 over the answers, each behind its length. Takes each before asking for the next. */
export function digestOf(answers: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const answer of answers) {
    const text = withoutBlanks(typeof answer === 'string' ? answer : Buffer.from(answer).toString());
    hash.update(`${text.length}:`).update(text);
  }
  return hash.digest('hex').slice(0, DIGITS);
}

/** JSON values, or a list of them, as their shortest text: our answers have blanks where that makes copying faster. */
function withoutBlanks(answer: string): string {
  return answer.startsWith('{') || answer.startsWith('[')
    ? JSON.stringify(JSON.parse(`[${answer}]`))
    : answer;
}
