// A short digest of a list of answers, to see whether two runs or two designs answer the same.

import { createHash } from 'node:crypto';

const DIGITS = 12;

/** The first hex digits of SHA-256 over the answers, each preceded by its length. Hashes each before asking for the next. */
export function digestOf(answers: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const answer of answers) {
    const text = withoutBlanks(typeof answer === 'string' ? answer : Buffer.from(answer).toString());
    hash.update(`${text.length}:`).update(text);
  }
  return hash.digest('hex').slice(0, DIGITS);
}

/** JSON values, or a list of them, in their shortest form: our answers have spaces where that makes copying faster. */
function withoutBlanks(answer: string): string {
  return answer.startsWith('{') || answer.startsWith('[')
    ? JSON.stringify(JSON.parse(`[${answer}]`))
    : answer;
}
