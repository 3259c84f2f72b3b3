import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { nodeProblem } from '../../src/cli/node-release.ts';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

test('a release of Node whose hashes of numeric keys can be predicted is refused, in each line', () => {
  // CVE-2026-21717: each line has its first release that is not affected.
  const cases = [
    ['v0.12.18', '20.20.2'],
    ['v9.11.2', '20.20.2'],
    ['v18.20.8', '20.20.2'],
    ['v20.11.0', '20.20.2'],
    ['v20.20.1', '20.20.2'],
    ['v20.20.2', undefined],
    ['v20.100.0', undefined],
    ['v21.7.3', '22.22.2'],
    ['v22.0.0-nightly20240101abcdef', '22.22.2'],
    ['v22.22.1', '22.22.2'],
    ['v22.22.2', undefined],
    ['v22.23.0', undefined],
    ['v23.11.1', '24.14.1'],
    ['v24.14.0', '24.14.1'],
    ['v24.14.1', undefined],
    ['v24.21.0', undefined],
    ['v25.8.1', '25.8.2'],
    ['v25.8.2', undefined],
    ['v26.0.0', undefined],
    ['v100.0.0', undefined],
  ] as const;
  for (const [version, needed] of cases) {
    const [, said] =
      /^Node (\S+) or newer is needed, /.exec(nodeProblem(engines.node, version, 'node') ?? '') ?? [];
    assert.equal(said, needed, version);
  }
});

test('after the last line of a range, that one is named', () => {
  assert.match(nodeProblem('^20.20.2 || ^22.22.2', 'v24.0.0', 'node') ?? '', /^Node 22\.22\.2 or newer/);
});

test('the refusal says what is needed, what was found and what to do', () => {
  assert.equal(
    nodeProblem('>=20.20.2', 'v18.20.8', '/usr/bin/node'),
    'Node 20.20.2 or newer is needed, and this is Node 18.20.8 (/usr/bin/node): install a newer release from ' +
      'https://nodejs.org, or run the program with one that is already installed',
  );
});

test('the range of package.json is understood, and one that is not is an error instead of no check', () => {
  assert.equal(nodeProblem(engines.node, process.version, 'node'), undefined);
  for (const range of ['^20 || ^22', '^20.20.2 || 22', '>=20.20.2 <22.0.0', '']) {
    assert.throws(() => nodeProblem(range, 'v20.11.0', 'node'), { message: /cannot compare/ });
  }
});
