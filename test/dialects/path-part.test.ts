import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePart, nameComplaint, versionComplaint } from '../../src/dialects/path-part.ts';
import { isProductType } from '../../src/index/product-type.ts';

test('a part is percent-decoded once', () => {
  assert.equal(decodePart('gallery'), 'gallery');
  assert.equal(decodePart('a+b'), 'a+b'); // a plus is a blank in queries only
  assert.equal(decodePart('%2A'), '*');
  assert.equal(decodePart('@scope%2fpkg'), '@scope/pkg');
  assert.equal(decodePart('%C3%BC%20x'), 'ü x');
  assert.equal(decodePart('%252F'), '%2F');
});

test('a bad escape, or one that is not UTF-8, does not decode', () => {
  for (const part of ['%', 'a%', '%2', '%zz', '%g0', '%FF', '%C3', '%C3%28', '%C0%AF', '%ED%A0%80']) {
    assert.equal(decodePart(part), undefined, part);
  }
});

test('the types are exactly four words in lower case', () => {
  for (const type of ['plugin', 'theme', 'wordpress', 'npm']) assert.ok(isProductType(type), type);
  for (const type of ['', 'Plugin', 'plugins', 'core', '__proto__', 'length', 0, null, undefined, ['npm']]) {
    assert.ok(!isProductType(type), String(type));
  }
});

test('a name has 1 to 256 bytes and no control character', () => {
  for (const name of ['a', '0', '*', '-', 'ü', '__proto__', '@a/b', 'a b', 'a'.repeat(256), '€'.repeat(85)]) {
    assert.equal(nameComplaint(name), undefined, name);
  }
  assert.match(nameComplaint('') ?? '', /empty/);
  for (const name of ['a'.repeat(257), '€'.repeat(86), '😀'.repeat(65), 'a'.repeat(8192)]) {
    assert.match(nameComplaint(name) ?? '', /at most 256 bytes/, name);
  }
  for (const name of ['\u0000', 'a\u0000b', '\n', '\u001f', '\u007f', '\u0080', '\u009f']) {
    assert.match(nameComplaint(name) ?? '', /control/, JSON.stringify(name));
  }
});

test('a version has 1 to 256 bytes; its scheme decides what it may contain', () => {
  for (const version of ['0', '*', 'v1.2', '1.1.', ' ', '\u0000', 'a'.repeat(256), '€'.repeat(85)]) {
    assert.equal(versionComplaint(version), undefined, JSON.stringify(version));
  }
  assert.match(versionComplaint('') ?? '', /empty/);
  for (const version of ['1'.repeat(257), '€'.repeat(86), '1'.repeat(300)]) {
    assert.match(versionComplaint(version) ?? '', /at most 256 bytes/, version);
  }
});
