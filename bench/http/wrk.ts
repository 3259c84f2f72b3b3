// The load generator: the Lua script that tells wrk what to send, one run of it, and its final output.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchRequest } from '../scenario.ts';

export const CONNECTIONS = 64;
const MARK = 'vulndex-bench ';
const GRACE_MS = 20_000; // for wrk to connect and to print, beyond the time it was given

export interface WrkResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Replies with a status of 400 or more. */
  readonly refusals: number;
  /** Connections and replies that failed or timed out. */
  readonly failures: number;
}

export interface WrkRun {
  readonly address: string;
  readonly requests: readonly BenchRequest[];
  readonly seconds: number;
  /** Requests that a connection sends before it waits. */
  readonly pipeline: number;
  /** Mean pause of a connection before each request, in milliseconds; 0 for none. */
  readonly restMs: number;
  readonly core: number;
  /** Where the script is written. */
  readonly folder: string;
}

/** The pause of each connection with which all together send `requestsPerSecond`. */
export function restFor(requestsPerSecond: number, pipeline: number): number {
  return (1000 * CONNECTIONS * pipeline) / requestsPerSecond;
}

/** The Lua script that sends the requests in turn, `pipeline` of them at a time, and pauses before each time. */
export function wrkScript(requests: readonly BenchRequest[], pipeline: number, restMs = 0): string {
  const isOne = requests.length === 1 && pipeline === 1;
  return `local all = { ${requests.map(luaValue).join(',\n  ')} }
${isOne ? ONE_REQUEST : manyRequests(pipeline)}${restMs > 0 ? rests(restMs) : ''}
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '${MARK}{"requests":%d,"seconds":%f,"p50Ms":%f,"p99Ms":%f,"p999Ms":%f,"refusals":%d,"failures":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency:percentile(99.9) / 1e3, e.status, e.connect + e.read + e.write + e.timeout))
end
`;
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

// Pauses are whole milliseconds, so they vary around the mean, which also keeps the connections out of step. wrk
// starts timing a request after its pause.
function rests(meanMs: number): string {
  return `
delay = function()
  return math.floor(math.random() * ${(2 * meanMs).toFixed(3)} + 0.5)
end`;
}

/** A Lua literal: of a text, its UTF-8 bytes. */
export function luaValue(value: string | object): string {
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

/** Runs wrk for the given time on its core. */
export async function runWrk(run: WrkRun): Promise<WrkResult> {
  const script = join(run.folder, 'script.lua');
  writeFileSync(script, wrkScript(run.requests, run.pipeline, run.restMs));
  const words = ['-c', String(run.core), 'wrk', '-t1', `-c${CONNECTIONS}`, `-d${run.seconds}s`, '--latency'];
  const { stdout } = await promisify(execFile)('taskset', [...words, '-s', script, run.address], {
    timeout: run.seconds * 1000 + GRACE_MS,
    killSignal: 'SIGKILL',
  });
  return parseWrk(stdout);
}
