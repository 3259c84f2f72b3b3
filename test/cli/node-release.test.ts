import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { nodeProblem } from '../../src/cli/node-release.ts';

test('a release of Node below the least one is refused, by major and by minor version', () => {
  const cases = [
    ['v0.12.18', true],
    ['v9.11.2', true],
    ['v18.20.8', true],
    ['v20.9.0', true],
    ['v20.10.99', true],
    ['v20.11.0', false],
    ['v20.20.2', false],
    ['v21.0.0', false],
    ['v22.0.0-nightly20240101abcdef', false],
    ['v26.10.0', false],
    ['v100.0.0', false],
  ] as const;
  for (const [version, isRefused] of cases) {
    assert.equal(nodeProblem('>=20.11', version, 'node') !== undefined, isRefused, version);
  }
});

test('the refusal says what is needed, what was found and what to do', () => {
  assert.equal(
    nodeProblem('>=20.11', 'v18.20.8', '/usr/bin/node'),
    'Node 20.11 or newer is needed, and this is Node 18.20.8 (/usr/bin/node): install a newer release from ' +
      'https://nodejs.org, or run the program with one that is already installed',
  );
});

test('the range of package.json is understood, and one that is not is an error instead of no check', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.match(nodeProblem(engines.node, 'v18.20.8', 'node') ?? '', /^Node \d+\.\d+ or newer is needed/);
  assert.equal(nodeProblem(engines.node, process.version, 'node'), undefined);
  assert.throws(() => nodeProblem('^20 || ^22', 'v20.11.0', 'node'), { message: /cannot compare/ });
});
