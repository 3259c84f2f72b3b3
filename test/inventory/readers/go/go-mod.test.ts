import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looksLikeGoMod, readGoMod } from '../../../../src/inventory/readers/go/go-mod.ts';
import { notesOf, packagesOf } from '../../../support/console/inventory-summary.ts';

test('what is required is read, with what replaces it and the version of Go', () => {
  const text = `module example.com/shop // the module

go 1.22.0

toolchain go1.22.4

require golang.org/x/net v0.7.0

require (
	github.com/gin-gonic/gin v1.8.1
	"github.com/gorilla/websocket" v1.4.0 // indirect
	example.com/old v1.0.0 // indirect; kept
	example.com/own v0.0.0-00010101000000-000000000000
	example.com/pinned v1.2.0
)

replace (
	example.com/own => ../own
	example.com/old v1.0.0 => example.com/fork v1.1.0
	example.com/pinned v1.1.0 => ../unused
)

exclude example.com/bad v1.0.0
retract v1.0.1
`;
  assert.ok(looksLikeGoMod(text));
  const inventory = readGoMod(text);
  assert.deepEqual(packagesOf(inventory), [
    'golang golang.org/x/net@v0.7.0*',
    'golang github.com/gin-gonic/gin@v1.8.1*',
    'golang github.com/gorilla/websocket@v1.4.0',
    'golang example.com/fork@v1.1.0',
    'golang example.com/pinned@v1.2.0*',
    'golang stdlib@1.22.4*',
  ]);
  assert.deepEqual(notesOf(inventory), ['a local file or folder: 1']);
});

test('a go.mod that is not the whole list says so, as it does of an unknown version of Go', () => {
  assert.deepEqual(
    notesOf(readGoMod('module a\nrequire b.example/c v1.0.0\n')).map((note) => note.slice(0, 30)),
    ['A go.mod for Go before 1.17 li', 'The file does not say which ve'],
  );
  assert.deepEqual(packagesOf(readGoMod('module a\ngo 1.21\n')), []);
  assert.deepEqual(packagesOf(readGoMod('module a\ngo 1.21rc2\n')), ['golang stdlib@1.21rc2*']);
});

test('a go.mod that is cut is refused', () => {
  assert.throws(() => readGoMod('module a\ngo 1.22\nrequire (\n\tb.example/c v1.0.0\n'), {
    name: 'Refusal',
    message: /ends too early, at line 5, column 1: its block "require" is not closed/,
  });
});
