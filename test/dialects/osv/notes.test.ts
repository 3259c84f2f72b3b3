import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Notes } from '../../../src/dialects/osv/notes.ts';

test('without notes there are no headers', () => {
  assert.deepEqual(new Notes().headers(), []);
});

test('each name is told once, in the order of the queries', () => {
  const notes = new Notes();
  for (const name of ['PyPI', 'Go', 'PyPI', 'Red Hat']) notes.addEcosystem(name);
  notes.addSlugs(['b', 'a', 'b']);
  assert.deepEqual(notes.headers(), [
    ['Vulndex-Unknown-Ecosystems', 'PyPI, Go, Red Hat'],
    ['Vulndex-Ambiguous-Slugs', 'b, a'],
  ]);
});

test('at most 20 names are told, and that there are more', () => {
  const notes = new Notes();
  for (let i = 0; i < 21; i++) notes.addEcosystem(`E${i}`);
  const [[, value]] = notes.headers();
  assert.equal(value.split(', ').length, 21);
  assert.ok(value.endsWith('E19, ...'));
});

test('no name can end the header or pass for two', () => {
  const notes = new Notes();
  for (const name of ['a\r\nb', 'a, b', 'ü', '\u0000', 'x'.repeat(61), '', ' ']) notes.addEcosystem(name);
  assert.deepEqual(notes.headers(), [['Vulndex-Unknown-Ecosystems', '(not printable)']]);
});

test('ignored parts of purls are named: qualifiers without their values, and that there is a subpath', () => {
  const notes = new Notes();
  notes.addIgnored();
  notes.addIgnored('');
  notes.addIgnored('?type=jar&classifier=x#a/b#c');
  notes.addIgnored('?type=pom&&=x');
  notes.addIgnored('#a');
  assert.deepEqual(notes.headers(), [['Vulndex-Ignored-Purl-Parts', '?type, ?classifier, #subpath']]);
});
