// The load generator: the Lua script that tells wrk what to send, one process of it that can be held, and its
// output.

import { writeFileSync } from 'node:fs';
import type { BenchRequest } from '../scenarios.ts';
import { spawnOn } from './server-process.ts';

export const CONNECTIONS = 64;
const MARK = 'vulndex-bench ';
const TIMEOUT_SECONDS = 60; // of a request: a loud machine is not a failure
const MOST_SECONDS = 3_600; // wrk is told to end before
const INTERRUPT_MS = 20;

export interface WrkResult {
  readonly requests: number;
  /** Replies with a status of 400 or more. */
  readonly refusals: number;
  /** Connections and replies that failed or timed out. */
  readonly failures: number;
  /** Microseconds until 99 and 99.9 of a hundred answers had come. */
  readonly p99: number;
  readonly p999: number;
}

export interface WrkPlan {
  readonly address: string;
  readonly requests: readonly BenchRequest[];
  /** Requests that a connection sends before it waits. */
  readonly pipeline: number;
  readonly core: number;
  /** Where the script is written. */
  readonly script: string;
  /**
   * How long a connection waits before it sends again, in the mean; by default not at all. Each time another
   * while, as callers do who know nothing of each other: with equal ones the first crowd comes back together.
   */
  readonly restMs?: number;
}

/** A running wrk. */
export interface Wrk {
  hold(): void;
  goOn(): void;
  /** What it did in all. */
  end(): Promise<WrkResult>;
}

/** The Lua script that sends the requests in turn, `pipeline` of them at a time, with a rest in between. */
export function wrkScript(requests: readonly BenchRequest[], pipeline: number, restMs = 0): string {
  return `local all = { ${requests.map(luaValue).join(',\n  ')} }
${scriptFor(requests, pipeline)}
${restMs > 0 ? `delay = function() return math.floor(math.random() - ${restMs} * math.log(1 - math.random())) end` : ''}
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '${MARK}{"requests":%d,"refusals":%d,"failures":%d,"p99":%d,"p999":%d}\\n', summary.requests, e.status,
    e.connect + e.read + e.write + e.timeout, latency:percentile(99), latency:percentile(99.9)))
end
`;
}

function scriptFor(requests: readonly BenchRequest[], pipeline: number): string {
  if (requests.some(({ varied }) => varied !== undefined)) return variedRequests();
  return requests.length === 1 && pipeline === 1 ? ONE_REQUEST : manyRequests(pipeline);
}

// Without a function called request, wrk formats the request once and runs no Lua for each.
const ONE_REQUEST = `wrk.method, wrk.path, wrk.body = all[1].method, all[1].path, all[1].body
for name, value in pairs(all[1].headers) do wrk.headers[name] = value end`;

function manyRequests(pipeline: number): string {
  return `local batches = {}
local at = 0
init = function(args)
  for first = 0, #all - 1 do
    local batch = {}
    for i = 0, ${pipeline - 1} do
      local one = all[(first * ${pipeline} + i) % #all + 1]
      batch[i + 1] = wrk.format(one.method, one.path, one.headers, one.body)
    end
    batches[first + 1] = table.concat(batch)
  end
end
request = function()
  at = at % #batches + 1
  return batches[at]
end`;
}

/** A body is the end of its request. The part of it that varies is a number: each request has the next. */
function variedRequests(): string {
  return `local pieces = {}
local at = 0
local number = ${begin()}
init = function(args)
  for i, one in ipairs(all) do
    local text = wrk.format(one.method, one.path, one.headers, one.body)
    local v = one.varied
    pieces[i] = { text:sub(1, #text - v.start), text:sub(#text - v.start + v.length + 1), v.length, v.choices }
  end
end
request = function()
  at = at % #pieces + 1
  number = number + 1
  local before, after, length, choices = unpack(pieces[at])
  local rest = number
  local digits = {}
  for i = 1, length do
    local digit = rest % #choices
    digits[i] = choices:sub(digit + 1, digit + 1)
    rest = (rest - digit) / #choices
  end
  return before .. table.concat(digits) .. after
end`;
}

let begun = 0;

/** Where the numbers of a new wrk begin: not with those of the one before, as in a warm-up. */
function begin(): number {
  return 2 ** 18 * begun++;
}

/** A Lua literal: of a text, its UTF-8 bytes. */
export function luaValue(value: string | number | object): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    const entries = Object.entries(value).map(([name, each]) => `[${luaValue(name)}] = ${luaValue(each)}`);
    return `{ ${entries.join(', ')} }`;
  }
  const bytes = [...Buffer.from(value)].map((byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`;
  });
  return `"${bytes.join('')}"`;
}

/** The result that the script printed at the end of a run. Throws if it is missing. */
export function parseWrk(output: string): WrkResult {
  const line = output.split('\n').find((each) => each.startsWith(MARK));
  if (line === undefined) throw new Error(`wrk did not report a result:\n${output}`);
  return JSON.parse(line.slice(MARK.length)) as WrkResult; // the script wrote it
}

/** Throws if a connection failed or a reply had another status. */
export function requireSound(
  { requests, refusals, failures }: WrkResult,
  status: number,
  path: string,
): void {
  const isAsExpected = status >= 400 ? refusals >= requests : refusals === 0;
  if (requests > 0 && failures === 0 && isAsExpected) return;
  const all = `of ${requests} replies ${refusals} have a status of 400 or more, and ${failures} failed`;
  throw new Error(`${path}: ${all}`);
}

/** Starts a wrk, which is held at first. */
export function startWrk({ address, requests, pipeline, core, script, restMs }: WrkPlan): Wrk {
  writeFileSync(script, wrkScript(requests, pipeline, restMs));
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${MOST_SECONDS}s`, `--timeout=${TIMEOUT_SECONDS}s`];
  const child = spawnOn(core, 'wrk', [...options, '-s', script, address]);
  child.kill('SIGSTOP');
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    hold: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
    end: async () => {
      child.kill('SIGCONT');
      // Ends it with its result. One may reach the thread that sends, which ends, while the one that waits
      // sleeps on.
      const timer = setInterval(() => child.kill('SIGINT'), INTERRUPT_MS);
      await closed;
      clearInterval(timer);
      return parseWrk(printed);
    },
  };
}
