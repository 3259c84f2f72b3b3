import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditsOf, referencesOf } from '../../../src/importers/osv/people-and-pages.ts';
import type { FieldProblem } from '../../../src/importers/record/feed-schema.ts';
import { pluck } from '../../support/pluck.ts';

function person(name: string, type?: string, ...contact: string[]): object {
  return { name, contact, ...(type === undefined ? {} : { type }) };
}

test('references have titles by their type, except for plain pages', () => {
  const problems: FieldProblem[] = [];
  const url = 'https://a.example';
  const list = ['ADVISORY', 'FIX', 'WEB', 'toString', undefined].map((type) => ({ type, url }));
  assert.deepEqual(
    referencesOf(list, problems).map(({ title }) => title),
    ['Advisory', 'Fix', undefined, undefined, undefined],
  );
  assert.deepEqual(referencesOf(null, problems), []);
  assert.deepEqual(problems, []);
});

test('references that cannot be read are left out with a problem', () => {
  const problems: FieldProblem[] = [];
  assert.deepEqual(referencesOf([{ type: 'WEB' }, 'x', { url: 'https://a.example' }], problems), [
    { url: 'https://a.example' },
  ]);
  referencesOf({}, problems);
  assert.deepEqual(problems, [
    { field: 'references[1]', message: 'must be an object (got "x"); left out' },
    { field: 'references[0].url', message: 'must be a URL (got null); left out' },
    { field: 'references', message: 'must be a list (got {}); left out' },
  ]);
});

test('credits go to the first finder, with the reporter as submitter', () => {
  const list = [
    person('Mia', 'REPORTER', 'https://mia.example'),
    person('Ada', 'FINDER', 'mailto:ada@a.example', 'https://ada.example'),
    person('Eve', 'FINDER'),
  ];
  assert.deepEqual(creditsOf(list, []), {
    credit: { name: 'Ada', url: 'https://ada.example' },
    submitter: { name: 'Mia', url: 'https://mia.example' },
  });
});

test('credits go to the next best person if there is no finder', () => {
  assert.equal(creditsOf([person('A', 'SPONSOR'), person('B', 'ANALYST')], []).credit?.name, 'B');
  assert.deepEqual(creditsOf([person('A'), person('B', 'TOOL')], []), {
    credit: { name: 'A', url: '' },
    submitter: null,
  });
  const same = creditsOf([person('Ada', 'FINDER'), person('Ada', 'REPORTER')], []);
  assert.equal(same.submitter, null, 'who found and reported it is named once');
  assert.equal(creditsOf([person('Ada', 'REPORTER'), person('B', 'REPORTER')], []).submitter, null);
});

test('credits without a name are left out with a problem', () => {
  const problems: FieldProblem[] = [];
  assert.deepEqual(creditsOf([{ contact: [] }, person(' ')], problems), { credit: null, submitter: null });
  assert.deepEqual(pluck(problems, 'field'), ['credits[0].name', 'credits[1].name']);
});
