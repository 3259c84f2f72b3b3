// Requests as raw bytes, and a mix of every endpoint in which most answers show a marker.

import { Dice } from '../../../src/generator/dice.ts';
import type { FeedRecord } from '../../../src/generator/feed-record.ts';
import { MARKER_IDS, MARKER_SLUG } from './builds.ts';

export function get(path: string, key: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: soak\r\nPSKey: ${key}\r\n${headers}\r\n`;
}

export function post(path: string, key: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: soak\r\nPSKey: ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const MIX_SIZE = 500; // enough that neighbours in time differ, few enough to stay in the generator's cache

/** A function for `LoadPlan.next`; the same seed gives every connection the same order. */
export function mixedRequests(
  records: readonly FeedRecord[],
  key: string,
  seed: number,
): (connection: number) => string {
  const dice = new Dice(seed);
  const requests = Array.from({ length: MIX_SIZE }, () => drawRequest(dice, records, key));
  const places: number[] = [];
  return (connection) => {
    // Each connection goes through the mix with a different stride, so that they do not send the same in
    // unison.
    const place = places[connection] ?? connection * 37;
    places[connection] = place + 1 + (connection % 7);
    return requests[place % MIX_SIZE] as string;
  };
}

function drawRequest(dice: Dice, records: readonly FeedRecord[], key: string): string {
  const { product, id } = dice.pick(records);
  const path = `/product/${product.type}/${encodeURIComponent(product.slug)}/1.0.0`;
  const marker = `/product/plugin/${MARKER_SLUG}/1.0.0`;
  switch (dice.whole(0, 11)) {
    case 0:
    case 1:
      return get(`${path}/exists`, key);
    case 2:
      return get(path, key);
    case 3:
    case 4:
      return get(marker, key);
    case 5:
      return get(`${marker}?include=details`, key);
    case 6:
      return get('/all?per_page=20', key);
    case 7:
      return get('/database/api/npm/all?per_page=50&cursor=', key);
    case 8:
      return get('/latest?per_page=20', key);
    case 9:
      return get(`/vulnerability/${dice.pick([...MARKER_IDS, id])}`, key);
    case 10:
      return get(marker, key, 'If-None-Match: "0000000000000000.1"\r\n');
    default: {
      const items = [
        { type: 'plugin', name: MARKER_SLUG, version: '1.0.0' },
        { type: product.type, name: product.slug, version: '1.0.0', exists: true },
        { type: 'plugin', name: MARKER_SLUG, version: '*' },
      ];
      return post('/batch', key, JSON.stringify(items));
    }
  }
}
