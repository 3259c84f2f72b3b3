// Requests that no client should send, drawn from a seed: contradictory lengths, wrong line ends, unusual
// forms of the target, broken chunks, noise, and valid requests with a few bytes changed. Some are followed
// by a valid request.

import type { Dice } from '../../../src/generator/dice.ts';

export interface MalformedRequest {
  readonly kind: string;
  readonly bytes: Buffer;
}

const HOST = 'Host: soak\r\n';
const BODY = '[{"type":"plugin","name":"a","version":"1"}]';
const LENGTHS = [
  '-1',
  '-9999999999',
  '+5',
  '0x10',
  '5 5',
  '5,5',
  '1e3',
  '99999999999999999999',
  'abc',
  '',
  '4.5',
];
const VERSIONS = [
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/9.9',
  'HTTP/2.0',
  'HTTP/1.1.1',
  'http/1.1',
  'HTP/1.1',
  '',
  'HTTP/',
];
const TARGETS = [
  'http://soak/healthz',
  'https://elsewhere.example:443/all',
  'soak:443',
  '*',
  'healthz',
  '/../../etc/passwd',
  '/%',
  '/%zz/%00',
  '/product/plugin/%ff%fe/1',
  '//',
  '/\u0000',
  '/all?per_page=1 HTTP/1.1',
  '',
];
const HEADERS = [
  'No colon here',
  ': no name',
  ' folded: line',
  'Na me: blank inside',
  'Name : blank before the colon',
  'X: a\u0000b',
  'X: a\rb',
  'X: \u0001\u0002',
  'Transfer-Encoding: gzip, chunked, identity',
  'Transfer-Encoding: \u000bchunked',
  'Connection: close, keep-alive, upgrade',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Host: another',
  'Content-Encoding: gzip',
];
const CHUNKS = [
  '-5\r\nhello\r\n',
  'zz\r\nhello\r\n',
  'ffffffffffffffff\r\nx\r\n',
  '5\nhello\n',
  '5;a=b\r\nhello',
  '\r\n\r\n',
];

type Draw = (dice: Dice) => string;

/** Replaced by a valid key, so that the request passes the key check. As long as a key. */
const KEY = 'k'.repeat(36);

function batch(headers: string, body: string): string {
  return `POST /batch HTTP/1.1\r\n${HOST}PSKey: ${KEY}\r\n${headers}\r\n${body}`;
}

const DRAWS: Readonly<Record<string, Draw>> = {
  'both lengths': (dice) => {
    const lines = [`Content-Length: ${dice.whole(0, 60)}\r\n`, 'Transfer-Encoding: chunked\r\n'];
    if (dice.chance(0.5)) lines.reverse();
    return batch(lines.join(''), `5\r\nhello\r\n0\r\n\r\n`);
  },
  'duplicate lengths': (dice) => {
    const [first, second] = [dice.whole(0, 50), dice.whole(0, 50)];
    return batch(`Content-Length: ${first}\r\nContent-Length: ${second}\r\n`, BODY);
  },
  'bad length': (dice) => batch(`Content-Length: ${dice.pick(LENGTHS)}\r\n`, BODY),
  'length on a read': (dice) =>
    `GET /healthz HTTP/1.1\r\n${HOST}Content-Length: ${dice.pick(LENGTHS)}\r\n\r\n${BODY}`,
  'bare line feeds': (dice) => {
    const text = `GET /healthz HTTP/1.1\r\n${HOST}Accept: */*\r\n\r\n`;
    return dice.chance(0.5)
      ? text.replaceAll('\r\n', '\n')
      : text.replace('\r\n', dice.pick(['\n', '\r', '\n\r']));
  },
  'bad target': (dice) => `GET ${dice.pick(TARGETS)} HTTP/1.1\r\n${HOST}\r\n`,
  'bad version': (dice) => `GET /healthz ${dice.pick(VERSIONS)}\r\n${HOST}\r\n`,
  'bad method': (dice) =>
    `${dice.pick(['', 'G E T', 'get', 'PRI', 'CONNECT', '\u0000', 'A'.repeat(300)])} / HTTP/1.1\r\n${HOST}\r\n`,
  'bad header': (dice) => `GET /healthz HTTP/1.1\r\n${HOST}${dice.pick(HEADERS)}\r\n\r\n`,
  'no host': () => 'GET /healthz HTTP/1.1\r\n\r\n',
  'many headers': (dice) => `GET /healthz HTTP/1.1\r\n${HOST}${'X: y\r\n'.repeat(dice.whole(90, 400))}\r\n`,
  'long header': (dice) =>
    `GET /healthz HTTP/1.1\r\n${HOST}X: ${'y'.repeat(dice.whole(4_000, 80_000))}\r\n\r\n`,
  'long target': (dice) => `GET /${'a'.repeat(dice.whole(4_000, 80_000))} HTTP/1.1\r\n${HOST}\r\n`,
  'bad chunk': (dice) => batch('Transfer-Encoding: chunked\r\n', dice.pick(CHUNKS)),
  'cut off': (dice) => {
    const whole = batch(`Content-Length: ${BODY.length}\r\n`, BODY);
    return whole.slice(0, dice.whole(1, whole.length - 1));
  },
  noise: (dice) => noise(dice, dice.whole(1, 600)),
  'changed bytes': (dice) => {
    const bytes = [...`GET /all?per_page=5 HTTP/1.1\r\n${HOST}Accept: */*\r\nX-Request-Id: abc\r\n\r\n`];
    for (let change = dice.whole(1, 4); change > 0; change--)
      bytes[dice.whole(0, bytes.length - 1)] = noise(dice, 1);
    return bytes.join('');
  },
};
const KINDS = Object.entries(DRAWS);

/** Each character stands for one byte. */
function noise(dice: Dice, length: number): string {
  return String.fromCharCode(...Array.from({ length }, () => dice.whole(0, 255)));
}

export function drawMalformed(dice: Dice, key: string): MalformedRequest {
  const [kind, draw] = dice.pick(KINDS);
  const bad = draw(dice);
  const good = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`;
  const text = dice.chance(0.3) ? bad + good : bad;
  return { kind, bytes: Buffer.from(text.replace(KEY, key), 'latin1') };
}
