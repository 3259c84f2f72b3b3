// The service without a socket: every dialect over one generation, asked with the tier that may use
// everything, as often as a test likes. Imports nothing that reads a file, because `bench` runs it compiled.

import { buildKeyTable } from '../../../src/access/key-table.ts';
import { hashKey, type KeysFile, shippedTiers } from '../../../src/access/keys-file.ts';
import { DIALECTS, ENDPOINTS } from '../../../src/dialects/dialects.ts';
import { KeyRing } from '../../../src/http/callers/auth.ts';
import { RateLimiter, RateLimiterTable } from '../../../src/http/callers/rate-limit.ts';
import type { Handled } from '../../../src/http/handled.ts';
import type { PreparedSet } from '../../../src/http/replies/prepared-files.ts';
import { Service } from '../../../src/http/service.ts';
import type { Generation } from '../../../src/index/generation.ts';
import { BUILT_AT_MS } from '../snapshots/snapshots.ts';
import { replyOf } from './reply-of.ts';

const KEY = 'in-process';

export interface InProcessReply {
  readonly status: number;
  readonly text: string;
  readonly headers: ReadonlyMap<string, string>;
}

/** With a body it is a POST. */
export type AskInProcess = (path: string, body?: unknown) => InProcessReply;

/**
 * The service of a generation, or of one that may change between requests, up to where a transport takes
 * over. Internal errors are thrown.
 */
export function handleInProcess(
  generation: Generation | (() => Generation),
  prepared?: () => PreparedSet,
): (target: string, method: 'GET' | 'POST') => Handled {
  const file: KeysFile = {
    tiers: shippedTiers(ENDPOINTS),
    keys: [{ id: KEY, name: KEY, sha256: hashKey(KEY), tier: 'partner' }],
  };
  const limits = new RateLimiterTable();
  const ring = new KeyRing(buildKeyTable(file, limits.slotsOf(file)));
  const service = new Service({
    dialects: DIALECTS,
    generation: typeof generation === 'function' ? generation : () => generation,
    ...(prepared === undefined ? {} : { prepared }),
    keys: () => ring,
    limiter: new RateLimiter(limits.memory),
    readiness: () => ({ kind: 'ready' }),
    isClosing: () => false,
    latestAnchor: 'snapshot',
    nowMs: () => BUILT_AT_MS,
    makeRequestId: () => 'asked',
    onInternalError: (error) => {
      throw error;
    },
  });
  return (target, method) => {
    const [path, query = ''] = target.split('?');
    return service.handle({
      method,
      path,
      query,
      address: '127.0.0.1',
      header: (name) => (name === 'pskey' ? KEY : ''),
      list: (name) => (name === 'host' ? 'vulndex.example' : ''),
    });
  };
}

/** The service of a generation. Internal errors are thrown. */
export function inProcess(
  generation: Generation | (() => Generation),
  prepared?: () => PreparedSet,
): AskInProcess {
  const handle = handleInProcess(generation, prepared);
  return (target, body) => {
    const handled = handle(target, body === undefined ? 'GET' : 'POST');
    const reply = replyOf(handled, Buffer.from(JSON.stringify(body) ?? ''));
    // Copied: the next request overwrites it.
    const text = typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString();
    const fields = [...reply.headers.fields, ...reply.ownHeaders.fields];
    return {
      status: reply.status,
      text,
      headers: new Map(fields.map(([name, value]) => [name.toLowerCase(), value])),
    };
  };
}
