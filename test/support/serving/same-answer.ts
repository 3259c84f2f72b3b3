// One request over several transports, and the check that the answers are the same. So every test that uses
// `request` of a test server is a test of each transport.

import assert from 'node:assert/strict';

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Headers that belong to the connection or to the implementation, not to the answer. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'date', 'keep-alive', 'uwebsockets']);

/**
 * Sends the request to each address in turn. Returns the first answer, and throws if another differs from it.
 */
export async function fetchSame(
  addresses: readonly string[],
  path: string,
  init: RequestInit,
): Promise<Received> {
  const [first, ...others] = addresses;
  const bodies = copiesOf(init.body, addresses.length);
  const answer = await receive(first + path, { ...init, body: bodies[0] ?? null });
  for (const [i, other] of others.entries()) {
    const same = await receive(other + path, { ...init, body: bodies[i + 1] ?? null });
    assert.deepEqual(
      comparable(same, other),
      comparable(answer, first),
      `${path} differs between ${first} and ${other}`,
    );
  }
  return answer;
}

async function receive(url: string, init: RequestInit): Promise<Received> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function copiesOf(body: RequestInit['body'], count: number): RequestInit['body'][] {
  const copies = [body];
  while (copies.length < count) {
    const last = copies.pop();
    if (last instanceof ReadableStream) copies.push(...last.tee());
    else copies.push(last, last);
  }
  return copies;
}

/** Some documents name the address that was asked, whose port may be shorter than the other's. */
function comparable({ status, headers, text }: Received, address: string): object {
  const said = text.replaceAll(address, 'http://here');
  const isOwn = (name: string): boolean =>
    OWN_HEADERS.has(name) || (name === 'content-length' && said !== text);
  return { status, text: said, headers: [...headers].filter(([name]) => !isOwn(name)) };
}
