import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Api, ApiError, type ApiErrorKind } from '../../../src/console/app/api.ts';

interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: unknown;
  readonly signal: AbortSignal | null;
}

type Reply = Response | (() => Promise<Response>);

/** An API below a path whose requests get the replies in turn, and what was sent. */
function scene(t: TestContext, key: string, ...replies: Reply[]) {
  const calls: Call[] = [];
  const refused: string[] = [];
  t.mock.method(globalThis, 'fetch', async (url: URL, init: Omit<Call, 'url'>) => {
    calls.push({ url: url.href, ...init });
    const reply = replies.shift();
    assert.ok(reply !== undefined, 'a request more than there are replies');
    return typeof reply === 'function' ? reply() : reply;
  });
  let current = key;
  const api = new Api({
    base: new URL('https://server.example/below/'),
    contract: '/v1',
    key: () => current,
    onKeyRefused: () => {
      refused.push(current);
      current = '';
    },
  });
  const setKey = (next: string): void => {
    current = next;
  };
  return { api, calls, refused, setKey };
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

const gone = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));

test('a request goes to the mount of the contract, with the key in one header and nowhere else', async (t) => {
  const { api, calls } = scene(t, 'k1', json({ a: 1 }), json({ b: 2 }));
  assert.deepEqual(await api.get('/products?type=npm'), { a: 1 });
  assert.deepEqual(await api.ask('/batch', { method: 'POST', body: [{ name: 'x' }] }), {
    value: { b: 2 },
    typesWithoutData: [],
  });
  assert.equal(calls[0].url, 'https://server.example/below/v1/products?type=npm');
  assert.deepEqual([calls[0].method, calls[0].headers], ['GET', { PSKey: 'k1' }]);
  const headers = { PSKey: 'k1', 'Content-Type': 'application/json', 'X-Vulndex-Console': '1' };
  assert.deepEqual([calls[1].method, calls[1].headers, calls[1].body], ['POST', headers, '[{"name":"x"}]']);
});

test('the tag of the data is asked for without a body', async (t) => {
  const { api, calls } = scene(t, 'k1', json({}, 200, { ETag: '"x"' }));
  assert.equal(await api.dataTag(), '"x"');
  assert.equal(calls[0].method, 'HEAD');
});

test('without a key, no header is sent', async (t) => {
  const { api, calls } = scene(t, '', json({}));
  await api.get('/all');
  assert.deepEqual(calls[0].headers, {});
});

test('statuses are told apart by what a person can do about them', async (t) => {
  const kinds: readonly [status: number, kind: ApiErrorKind][] = [
    [401, 'key'],
    [403, 'forbidden'],
    [429, 'later'],
    [502, 'later'],
    [503, 'later'],
    [504, 'later'],
    [404, 'refused'],
    [422, 'refused'],
    [500, 'refused'],
  ];
  for (const [status, kind] of kinds) {
    const { api } = scene(t, 'k', json({ code: 'c', detail: 'words' }, status, { 'Retry-After': '7' }));
    const expected = { kind, status, code: 'c', message: 'words', retryAfterSeconds: 7 };
    await assert.rejects(api.get('/x'), expected, String(status));
    t.mock.restoreAll();
  }
});

test('without a key the page says that one is needed, not which headers could hold it', async (t) => {
  const problem = { code: 'missing_key', detail: 'Send your API key in the header "PSKey: <key>".' };
  const { api } = scene(t, '', json(problem, 401));
  await assert.rejects(api.get('/x'), { kind: 'key', message: 'This server needs an API key.' });
  assert.equal(api.sight.keyWanted?.why, 'This server needs an API key.');
});

test('a key that is refused may be unknown, disabled or expired, which the server does not tell apart', async (t) => {
  const { api } = scene(t, 'k1', json({ code: 'invalid_key', detail: 'This API key is not valid.' }, 401));
  await assert.rejects(api.get('/x'), { kind: 'key', message: /does not know this key.*disabled.*expired/ });
});

test('a problem with several parameters says what is wrong with each', async (t) => {
  const errors = [
    { parameter: 'type', message: 'must be npm' },
    { parameter: 'limit', message: 'must be a number' },
  ];
  const { api } = scene(
    t,
    'k',
    json({ detail: 'Two are not valid.', errors }, 422),
    json({ detail: 'type: must be npm', errors: errors.slice(0, 1) }, 422),
  );
  await assert.rejects(api.get('/x'), {
    message: 'Two are not valid. type must be npm. limit must be a number.',
  });
  await assert.rejects(api.get('/x'), { message: 'type: must be npm' });
});

test('a page of HTML from a proxy is an error with its status', async (t) => {
  const { api } = scene(t, 'k', new Response('<html>Bad gateway</html>', { status: 502 }));
  await assert.rejects(api.get('/x'), {
    kind: 'later',
    message: 'The server answered 502.',
    retryAfterSeconds: 1,
  });
});

test('a refused key is dropped, and another one asked for with the words of the server', async (t) => {
  const { api, refused } = scene(t, 'old', json({ detail: 'The key has expired.' }, 401), json({}));
  const whys: (string | undefined)[] = [];
  api.watch(() => whys.push(api.sight.keyWanted?.why));
  await assert.rejects(api.get('/x'), { kind: 'key' });
  assert.deepEqual([refused, whys], [['old'], ['The key has expired.']]);
  api.rekeyed();
  await api.get('/x');
  assert.deepEqual(whys, ['The key has expired.', undefined]);
});

test('an answer to the previous key does not drop the one that replaced it', async (t) => {
  const { api, refused, setKey } = scene(t, 'old', async () => {
    setKey('new');
    return json({}, 401);
  });
  await assert.rejects(api.get('/x'), { kind: 'key' });
  assert.deepEqual([refused, api.key, api.sight.keyWanted], [[], 'new', undefined]);
});

test('a key that no header can carry is refused before it is sent', async (t) => {
  for (const key of ['a\nb', 'schlüssel', 'a b', '\u0000']) {
    const { api, calls, refused } = scene(t, key);
    await assert.rejects(api.get('/x'), { kind: 'key' });
    assert.deepEqual([calls, refused, api.sight.isReachable], [[], [key], true]);
    assert.ok(api.sight.keyWanted);
    t.mock.restoreAll();
  }
});

test('a server that is gone, also in the middle of an answer, is unreachable until it answers again', async (t) => {
  const torn = new Response(
    new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) }),
  );
  const { api } = scene(t, 'k', gone, json({}, 503), torn, json({}));
  const seen: boolean[] = [];
  const stop = api.watch(() => seen.push(api.sight.isReachable));
  await assert.rejects(api.get('/x'), { kind: 'unreachable', status: 0 });
  await assert.rejects(api.get('/x'), { kind: 'later' });
  await assert.rejects(api.get('/x'), { kind: 'unreachable' });
  stop();
  await api.get('/x');
  assert.deepEqual(seen, [false, true, false]);
});

test('a request that was aborted says nothing about the server', async (t) => {
  const { api, calls } = scene(t, 'k', () => Promise.reject(new DOMException('aborted', 'AbortError')));
  const abort = new AbortController();
  const asked = api.get('/x', abort.signal);
  abort.abort();
  await assert.rejects(asked, (error) => !(error instanceof ApiError));
  assert.equal(calls[0].signal, abort.signal);
  assert.ok(api.sight.isReachable);
});
