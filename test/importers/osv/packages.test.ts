import assert from 'node:assert/strict';
import { test } from 'node:test';
import { productOf } from '../../../src/importers/osv/packages.ts';

function textOf(ecosystem: string, name: string): string {
  const found = productOf(ecosystem, name);
  if (found.kind === 'product') return `${found.type} ${found.slug}`;
  return found.kind === 'foreign' ? `foreign ${found.ecosystem}` : 'unclear';
}

test('the product of an npm package has the name as published, whatever follows the ecosystem', () => {
  assert.equal(textOf('npm', '@clerk/backend'), 'npm @clerk/backend');
  assert.equal(textOf('npm', 'jQuery'), 'npm jQuery');
  assert.equal(textOf('npm:mirror', 'a'), 'npm a');
  assert.equal(textOf('NPM', 'a'), 'npm a');
});

test('the product of a WordPress package is a plugin, a theme or WordPress, in each spelling that says which', () => {
  for (const [ecosystem, name] of [
    ['WordPress', 'plugin/Tide-Table'],
    ['WordPress', 'plugins/tide-table'],
    ['WordPress:6', 'plugin/tide-table'],
    ['WordPress:Plugin', 'tide-table'],
    ['WordPress:Plugin', 'plugin/tide-table'],
    ['wordpress-plugin', 'tide-table'],
  ]) {
    assert.equal(textOf(ecosystem, name), 'plugin tide-table', `${ecosystem} ${name}`);
  }
  for (const [ecosystem, name] of [
    ['WordPress', 'theme/twenty'],
    ['WordPress', 'themes/twenty'],
    ['WordPress:Theme', 'twenty'],
    ['wordpress-theme', 'twenty'],
  ]) {
    assert.equal(textOf(ecosystem, name), 'theme twenty', `${ecosystem} ${name}`);
  }
  assert.deepEqual(productOf('WordPress', 'WordPress'), {
    kind: 'product',
    type: 'wordpress',
    slug: 'wordpress',
    name: 'WordPress',
  });
});

test('a WordPress package of an unclear kind is refused with the accepted forms', () => {
  for (const [ecosystem, name] of [
    ['WordPress', 'tide-table'],
    ['WordPress', 'plugin/'],
    ['WordPress', 'plugin/a/b'],
    ['WordPress', 'mu-plugin/a'],
    ['WordPress', 'toString/a'],
    ['WordPress:Plugin', 'theme/a'],
    ['wordpress-plugin', '/a'],
  ]) {
    assert.equal(textOf(ecosystem, name), 'unclear', `${ecosystem} ${name}`);
  }
  const found = productOf('WordPress', 'tide-table');
  assert.ok(found.kind === 'unclear');
  assert.match(found.message, /does not name one WordPress product; write .+plugin\/SLUG, theme\/SLUG/);
});

test('a package of another ecosystem is not served, and is named without its suffix', () => {
  assert.equal(textOf('Debian:12', 'ws'), 'foreign Debian');
  assert.equal(textOf('Acme', 'ws'), 'foreign Acme');
  assert.equal(textOf('Root:npm', 'ws'), 'foreign Root');
  assert.equal(textOf('Ru\u001b[31m\nst', 'ws'), 'foreign Ru [31m st');
  assert.equal(textOf('x'.repeat(1000), 'ws'), `foreign ${'x'.repeat(60)}`);
});

test('each ecosystem of the OSV schema that is a platform has its type, with any repository after it', () => {
  for (const [ecosystem, name, product] of [
    ['Packagist', 'Symfony/Http-Kernel', 'composer symfony/http-kernel'],
    ['Packagist:https://packages.drupal.org/8', 'drupal/token', 'composer drupal/token'],
    ['PyPI', 'Zope.Interface', 'pypi zope-interface'],
    ['Go', 'github.com/Masterminds/goutils', 'golang github.com/Masterminds/goutils'],
    ['RubyGems', 'Arabic-Prawn', 'gem Arabic-Prawn'],
    ['crates.io', 'abi_stable', 'cargo abi_stable'],
    ['Maven:https://repo.example/', 'org.a:b', 'maven org.a:b'],
    ['NuGet', 'Newtonsoft.Json', 'nuget newtonsoft.json'],
  ]) {
    assert.equal(textOf(ecosystem, name), product);
  }
});

test('a Maven coordinate without a group is refused', () => {
  const found = productOf('Maven', 'log4j-core');
  assert.ok(found.kind === 'unclear');
  assert.match(found.message, /"log4j-core" must be group:artifact or group\/artifact/);
});
