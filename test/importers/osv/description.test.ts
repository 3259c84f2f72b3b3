import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLine, firstParagraph } from '../../../src/importers/osv/description.ts';
import { finishes } from '../../support/finishes.ts';

test('the first paragraph comes after headings, rules, images, tables, code and boilerplate', () => {
  for (const before of [
    '### Impact\n',
    '# A\n## B\n\n',
    '---\n',
    '![badge](https://a.example/b.svg)\n\n',
    '| a | b |\n|---|---|\n\n',
    '```js\nrequire("a")\n```\n',
    '<!-- note -->\n',
    '\n---\n_-= Per source details. Do not edit below this line.=-_\n\n## Source: x (abc)\n',
    '\r\n\r\n',
  ]) {
    assert.equal(firstParagraph(`${before}A attacker\ncan read.\n\nMore.`), 'A attacker can read.', before);
  }
  assert.equal(firstParagraph('Text.\n### Patches\nNo.'), 'Text.');
  assert.equal(firstParagraph('Text:\n```\ncode\n```'), 'Text:');
});

test('the first paragraph is plain text', () => {
  assert.equal(
    firstParagraph('The **`merge`** of [a_b](https://x.example/y) and <https://z.example>\\: `1 < 2`  *x*'),
    'The merge of a_b and https://z.example\\: 1 < 2 *x*',
  );
  assert.equal(firstParagraph('- one\n- two'), 'one two');
  assert.equal(firstParagraph('2 * 3 * 4, _a_, a_b_c'), '2 * 3 * 4, _a_, a_b_c');
});

test('the first paragraph is cut after a word, at 1,000 characters at most', () => {
  const long = firstParagraph('word '.repeat(1000));
  assert.match(long, /^(?:word )+word…$/);
  assert.ok(long.length <= 1000 && long.length > 980, String(long.length));
  const unbroken = firstParagraph('😀'.repeat(2000));
  assert.equal(unbroken, `${'😀'.repeat(500)}…`);
  assert.equal(firstParagraph('w'.repeat(1000)), 'w'.repeat(1000));
});

test('the first paragraph of a text without one is empty', () => {
  for (const text of ['', '\n\n', '# Title', '```\ncode\n```']) assert.equal(firstParagraph(text), '', text);
});

test('the first paragraph of a hostile text takes no longer to find', () => {
  for (const part of ['[', '![', '[](', '**', '`', '<https://', '\\', '#', '- ', '|']) {
    const text = `a${part.repeat(8e6 / part.length)}`;
    finishes(() => firstParagraph(text));
  }
});

test('the first line has a letter or a digit, and no marks', () => {
  assert.equal(firstLine('\n---\n## **Impact** of `a`\nText'), 'Impact of a');
  assert.equal(firstLine('***\n\n'), '');
});
