import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeWpTable, readWpJson, readWpTable } from '../../../src/inventory/readers/wp-list.ts';
import { notesOf, packagesOf } from '../../support/console/inventory-summary.ts';

test('CSV with more columns, quotes, and a plugin without a version', () => {
  const text =
    'name,status,update,version,update_version,title\r\n' +
    'akismet,active,available,5.0,5.3.1,"Akismet: ""Anti-spam"", and\r\nmore"\r\n' +
    'hello,inactive,none,1.7.2,,Hello\r\nadvanced-cache.php,dropin,none,,,\r\n';
  assert.ok(looksLikeWpTable(text));
  const inventory = readWpTable(text, undefined);
  assert.deepEqual(packagesOf(inventory), ['plugin akismet@5.0*', 'plugin hello@1.7.2*']);
  assert.deepEqual(inventory.packages[0].places, ['active']);
  assert.deepEqual(notesOf(inventory), ['no version: 1']);
  assert.ok(inventory.isEitherList);
});

test('CSV with semicolons or tabs, columns in another order, and quoted headers', () => {
  for (const [delimiter, quote] of [
    [';', ''],
    ['\t', ''],
    [';', '"'],
  ]) {
    const cells = (...texts: string[]): string =>
      texts.map((text) => `${quote}${text}${quote}`).join(delimiter);
    const text = `${cells('version', 'Title', 'name')}\n${cells('1.0', 'A, b; c'.replace(delimiter, ''), 'a')}\n\n`;
    assert.ok(looksLikeWpTable(text), text);
    assert.deepEqual(packagesOf(readWpTable(text, undefined)), ['plugin a@1.0*'], text);
  }
});

test('the table that a terminal shows', () => {
  const text = `+---------+----------+---------+
| name    | status   | version |
+---------+----------+---------+
| akismet | inactive | 5.0     |
+---------+----------+---------+
`;
  assert.ok(looksLikeWpTable(text));
  assert.deepEqual(packagesOf(readWpTable(text, undefined)), ['plugin akismet@5.0*']);
});

test('a list with a parent theme is one of themes, and the name of the file decides', () => {
  const list = (status: string) => [{ name: 'a', status, version: '1.0' }];
  assert.deepEqual(packagesOf(readWpJson(list('parent'), undefined)), ['theme a@1.0*']);
  assert.deepEqual(packagesOf(readWpJson(list('active'), 'theme')), ['theme a@1.0*']);
  assert.deepEqual(packagesOf(readWpJson(list('active'), undefined)), ['plugin a@1.0*']);
});

test('a column with the type decides for each row', () => {
  const inventory = readWpTable('type,name,version\nwordpress,wordpress,6.4\nnpm,tar,1.0.0\n', undefined);
  assert.deepEqual(packagesOf(inventory), ['wordpress wordpress@6.4*', 'tar@1.0.0*']);
  assert.equal(inventory.isEitherList, false);
});

test('names with markup, formulas and missing cells are names, and bad rows are counted', () => {
  const text = 'name,version\n<img src=x onerror=alert(1)>,1.0\n=cmd(),2.0\nonly-a-name\n,3.0\n';
  const inventory = readWpTable(text, undefined);
  assert.deepEqual(packagesOf(inventory), ['plugin <img src=x onerror=alert(1)>@1.0*', 'plugin =cmd()@2.0*']);
  assert.deepEqual(notesOf(inventory), ['no version: 1', 'no name: 1']);
});

test('a row with more cells than the header is refused with its number', () => {
  assert.throws(() => readWpTable('name,version\na,1.0\nb, with comma,2.0\n', undefined), {
    name: 'Refusal',
    message: /Row 3 of this list has 3 cells and the header 2: is a quote missing\?/,
  });
});

test('JSON items of another form are counted', () => {
  assert.deepEqual(notesOf(readWpJson([null, 1, { name: 'a', version: 7 }], undefined)), [
    'no name: 2',
    'no version: 1',
  ]);
});

test('another text is not taken for a list', () => {
  for (const text of ['', 'name: a\nversion: 1', 'surname,version\n', 'name\n', '+---+\n']) {
    assert.equal(looksLikeWpTable(text), false, text);
  }
});

test('a drawn table is read in one pass over its blanks: a square of them would take minutes', () => {
  const name = `a${' '.repeat(800_000)}b`;
  const inventory = readWpTable(`| name | version |\n| gallery | 1.0 |\n| ${name} | 1 |\n`, undefined);
  assert.deepEqual(packagesOf(inventory), ['plugin gallery@1.0*']);
});
