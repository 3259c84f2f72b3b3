// The fixtures of version orders, test/fixtures/versions/*.txt: lines of `a < b` or `a = b`; `#` starts a
// comment.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/**
 * Asserts each line of a scheme's fixture in both directions, and that there are more than `moreThan` lines.
 */
export function assertOrderFixture(
  scheme: string,
  compare: (a: string, b: string) => number,
  moreThan: number,
): void {
  const lines = readFileSync(`test/fixtures/versions/${scheme}.txt`, 'utf8').split('\n');
  let count = 0;
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const match = /^(.+) ([<=]) (.+)$/.exec(line);
    assert.ok(match, `not a line of a fixture: ${line}`);
    const sign = match[2] === '<' ? -1 : 0;
    assert.equal(compare(match[1] as string, match[3] as string), sign, line);
    assert.equal(compare(match[3] as string, match[1] as string), 0 - sign, `${line}, the other way`);
    count++;
  }
  assert.ok(count > moreThan, `${count} lines`);
}
