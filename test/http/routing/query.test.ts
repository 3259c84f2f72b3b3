import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParameterError } from '../../../src/http/replies/problems.ts';
import { readParameters } from '../../../src/http/routing/query.ts';

function read(query: string): { values: object; errors: ParameterError[] } {
  const errors: ParameterError[] = [];
  const [page, cursor] = readParameters(query, ['page', 'cursor'], errors);
  const values = { ...(page === undefined ? {} : { page }), ...(cursor === undefined ? {} : { cursor }) };
  return { values, errors };
}

const twice = (parameter: string): ParameterError => ({ parameter, message: 'must be given once' });
const badEscape = (parameter: string): ParameterError => ({
  parameter,
  message: 'has a percent escape that is not valid',
});

test('known parameters are read and others are ignored', () => {
  assert.deepEqual(read('page=2&cursor=abc&x=%zz&x=1&PAGE=3&page[]=4'), {
    values: { page: '2', cursor: 'abc' },
    errors: [],
  });
});

test('no query, empty pairs and stray ampersands have no values', () => {
  for (const query of ['', '&', '&&', '=', '=1', '&=&']) {
    assert.deepEqual(read(query), { values: {}, errors: [] }, query);
  }
});

test('a parameter without a value, with or without its equals sign, is present and empty', () => {
  assert.deepEqual(read('cursor='), { values: { cursor: '' }, errors: [] });
  assert.deepEqual(read('cursor'), { values: { cursor: '' }, errors: [] });
});

test('the value is everything after the first equals sign', () => {
  assert.deepEqual(read('cursor=a=b=='), { values: { cursor: 'a=b==' }, errors: [] });
});

test('names and values are percent-decoded, and a plus is a space', () => {
  assert.deepEqual(read('p%61ge=%31+2%2B&cursor=%C3%BC'), {
    values: { page: '1 2+', cursor: 'ü' },
    errors: [],
  });
});

test('a repeated known parameter is reported once, however often and in whatever spelling it is sent', () => {
  assert.deepEqual(read('page=1&page=1'), { values: {}, errors: [twice('page')] });
  assert.deepEqual(read('page=1&p%61ge=2&page=3&cursor=a'), {
    values: { cursor: 'a' },
    errors: [twice('page')],
  });
  assert.deepEqual(read('cursor&cursor'), { values: {}, errors: [twice('cursor')] });
});

test('a bad escape in a known parameter is refused', () => {
  for (const value of ['%', '%1', '%zz', 'a%', '%FF', '%C3', '%C3%28', '%ED%A0%80']) {
    assert.deepEqual(read(`page=${value}`), { values: {}, errors: [badEscape('page')] }, value);
  }
});

test('each bad parameter is reported separately', () => {
  assert.deepEqual(read('page=%&cursor=1&cursor=2&page=1'), {
    values: {},
    errors: [badEscape('page'), twice('cursor')],
  });
});
