import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPurl } from '../../src/inventory/purl.ts';

const read = (text: string): string => {
  const purl = readPurl(text);
  return purl.kind === 'package' ? `${purl.type} ${purl.name}@${purl.version}` : purl.reason;
};

test('package URLs of npm and WordPress', () => {
  assert.equal(read('pkg:npm/a@1.0.0'), 'npm a@1.0.0');
  assert.equal(read('pkg:npm/%40scope/a@1.0.0-rc.1%2Bbuild?x=y#z'), 'npm @scope/a@1.0.0-rc.1+build');
  assert.equal(read('pkg:npm/@scope/a'), 'npm @scope/a@');
  assert.equal(read('pkg:npm/%40scope%2Fa@1.0.0'), 'npm @scope/a@1.0.0');
  assert.equal(read('pkg:composer/wpackagist-plugin/akismet@5.0'), 'plugin akismet@5.0');
  assert.equal(read('pkg:composer/wpackagist-theme/astra@4.0'), 'theme astra@4.0');
  assert.equal(read('pkg:composer/roots/wordpress-no-content@6.4'), 'wordpress wordpress@6.4');
  assert.equal(read('pkg:wordpress/plugin/akismet@5.0'), 'plugin akismet@5.0');
  assert.equal(read('pkg:wordpress/theme/astra@4.0'), 'theme astra@4.0');
  assert.equal(read('pkg:wordpress/wordpress@6.4'), 'wordpress wordpress@6.4');
});

test('others are told by their ecosystem, or are not valid', () => {
  assert.equal(read('pkg:pypi/django@4.0'), 'ecosystem pypi');
  assert.equal(read('pkg:composer/monolog/monolog@3'), 'ecosystem composer');
  assert.equal(read('pkg:r/ggplot2@3'), 'ecosystem r');
  for (const text of ['', 'npm/a@1', 'pkg:', 'pkg:npm', 'pkg:/x', 'pkg:npm/%ZZ@1', 'pkg:<b>/x@1']) {
    assert.equal(read(text), 'a package URL that is not valid', text);
  }
});
