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

test('package URLs of every platform, with qualifiers and subpaths', () => {
  for (const [text, expected] of [
    ['pkg:composer/monolog/monolog@3', 'composer monolog/monolog@3'],
    ['pkg:pypi/Jinja2@2.4.1?vcs_url=x', 'pypi Jinja2@2.4.1'],
    ['pkg:golang/github.com/gogo/protobuf@v1.3.1#proto', 'golang github.com/gogo/protobuf@v1.3.1'],
    ['pkg:gem/rails@7.0.0?platform=java', 'gem rails@7.0.0'],
    ['pkg:cargo/time@0.1.0', 'cargo time@0.1.0'],
    [
      'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1?type=jar',
      'maven org.apache.logging.log4j:log4j-core@2.14.1',
    ],
    ['pkg:nuget/Newtonsoft.Json@12.0.1', 'nuget Newtonsoft.Json@12.0.1'],
  ])
    assert.equal(read(text), expected);
});

test('others are told by their ecosystem, or are not valid', () => {
  assert.equal(read('pkg:r/ggplot2@3'), 'ecosystem r');
  for (const text of ['', 'npm/a@1', 'pkg:', 'pkg:npm', 'pkg:/x', 'pkg:npm/%ZZ@1', 'pkg:<b>/x@1']) {
    assert.equal(read(text), 'a package URL that is not valid', text);
  }
});
