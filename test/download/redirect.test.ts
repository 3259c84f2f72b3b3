import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRedirect, type Redirect, targetOf } from '../../src/download/redirect.ts';

function follow(location: string, changes: Partial<Redirect> = {}): string {
  const from = new URL('https://a.example/x/y');
  return targetOf({
    what: 'GET https://a.example/x/y',
    method: 'GET',
    from,
    location,
    home: from.origin,
    mayLeaveOrigin: false,
    followed: 0,
    ...changes,
  }).href;
}

test('redirects are the statuses that a client follows', () => {
  assert.deepEqual([300, 301, 302, 303, 304, 305, 307, 308].filter(isRedirect), [301, 302, 303, 307, 308]);
});

test('a redirect may be relative', () => {
  assert.equal(follow('z?q=1'), 'https://a.example/x/z?q=1');
  assert.equal(follow('/z'), 'https://a.example/z');
});

test('another origin is for callers that allow it', () => {
  assert.equal(follow('https://b.example/z', { mayLeaveOrigin: true }), 'https://b.example/z');
  assert.throws(() => follow('https://b.example/z'), {
    code: 'redirect',
    message:
      'GET https://a.example/x/y: redirects to another server, https://b.example/z; if that is right, use its URL',
  });
});

test('what is unsafe or endless is refused', () => {
  const refused = (location: string, message: RegExp, changes: Partial<Redirect> = {}): void => {
    assert.throws(() => follow(location, { mayLeaveOrigin: true, ...changes }), {
      code: 'redirect',
      message,
    });
  };
  refused('http://a.example/', /redirects from https to http:\/\/a.example\/, which is not encrypted/);
  refused('file:///etc/hosts', /which is not a web address/);
  refused('https://', /redirects to something that is not a URL/);
  refused('/z', /more than 5 redirects, the last to https:\/\/a.example\/z/, { followed: 5 });
  refused('/z', /redirects a POST/, { method: 'POST' });
});
