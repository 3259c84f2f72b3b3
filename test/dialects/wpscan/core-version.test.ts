// Versions of WordPress without their dots.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreVersions } from '../../../src/dialects/wpscan/core-version.ts';

test('the dots are put back in every way in which WordPress counts', () => {
  const cases: Readonly<Record<string, string[]>> = {
    '69': ['6.9'],
    '611': ['6.1.1', '61.1'],
    '4911': ['4.9.11', '49.1.1'],
    '49111': ['49.1.11'],
    '100': ['1.0.0', '10.0'],
    '071': ['0.7.1'],
    '605': ['6.0.5', '60.5'],
    '6905': ['69.0.5'],
    '69-beta1': ['6.9-beta1'],
    '691-RC2': ['6.9.1-RC2', '69.1-RC2'],
    '69-alpha-60000': ['6.9-alpha-60000'],
  };
  for (const [text, expected] of Object.entries(cases)) assert.deepEqual(coreVersions(text), expected, text);
});

test('every version that WordPress has had is among the readings of its digits', () => {
  for (let major = 0; major <= 9; major++) {
    for (let minor = 0; minor <= 9; minor++) {
      for (const patch of ['', '.1', '.9', '.10', '.31', '.40']) {
        const version = `${major}.${minor}${patch}`;
        assert.ok(coreVersions(version.replaceAll('.', '')).includes(version), version);
      }
    }
  }
});

test('other texts are not versions of WordPress', () => {
  for (const text of ['', '6', '6.1', 'abc', '612345', '-', '__proto__', '6 9']) {
    assert.deepEqual(coreVersions(text), [], text);
  }
});
