import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SOURCE_KINDS } from '../../src/importers/source-kinds.ts';

test('docs/sources.md lists every kind of source with its option', () => {
  const page = readFileSync(new URL('../../docs/sources.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(--[^`]+)` \| .+ \| `([^`]+)` \|$/gm)];
  assert.deepEqual(
    rows.map(([, option, name]) => [option, name]),
    SOURCE_KINDS.map(({ name, argument }) => [`--${name} ${argument.slice(1, -1).toUpperCase()}`, name]),
  );
});
