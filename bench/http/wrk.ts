// The load generator: the Lua script that tells wrk what to send, one run of it, and its final output.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchRequest } from '../scenarios.ts';

export const CONNECTIONS = 64;
const MARK = 'vulndex-bench ';
const TIMEOUT_SECONDS = 30; // of a request: a loud machine is not a failure
const GRACE_MS = 60_000; // for wrk to connect and to print, beyond the time it was given

export interface WrkResult {
  readonly requests: number;
  readonly seconds: number;
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
  readonly core: number;
  /** Where the script is written. */
  readonly folder: string;
}

/** The Lua script that sends the requests in turn, `pipeline` of them at a time. */
export function wrkScript(requests: readonly BenchRequest[], pipeline: number): string {
  return `local all = { ${requests.map(luaValue).join(',\n  ')} }
${requests.length === 1 && pipeline === 1 ? ONE_REQUEST : manyRequests(pipeline)}
done = function(summary)
  local e = summary.errors
  io.write(string.format(
    '${MARK}{"requests":%d,"seconds":%f,"refusals":%d,"failures":%d}\\n',
    summary.requests, summary.duration / 1e6, e.status, e.connect + e.read + e.write + e.timeout))
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
  const { address, requests, seconds, pipeline, core, folder } = run;
  const script = join(folder, 'script.lua');
  writeFileSync(script, wrkScript(requests, pipeline));
  const words = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, `--timeout=${TIMEOUT_SECONDS}s`, '-s', script];
  const { stdout } = await promisify(execFile)('taskset', ['-c', String(core), 'wrk', ...words, address], {
    timeout: seconds * 1000 + GRACE_MS,
    killSignal: 'SIGKILL',
  });
  return parseWrk(stdout);
}
