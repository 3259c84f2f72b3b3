// The harness of `npm run bench:http`, as far as it can be tested without load: what it sends, parses and accepts.
// One test makes a short run, if wrk is installed and the server is built.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { makeCorpus } from '../../bench/corpus.ts';
import { percentile, runArrivals } from '../../bench/http/arrivals.ts';
import { tableOf as latencyTable } from '../../bench/http/latency.ts';
import { type Round, summarise } from '../../bench/http/measure.ts';
import { missing, parseCoreList } from '../../bench/http/needs.ts';
import { nginxConfig } from '../../bench/http/nginx.ts';
import { baselinesOf, type HttpOptions, httpCommand } from '../../bench/http/options.ts';
import { sharesOf } from '../../bench/http/profile.ts';
import { withFigures } from '../../bench/http/report.ts';
import { type RunResults, resultTable, summaryTable } from '../../bench/http/results.ts';
import { writeRows } from '../../bench/http/rows.ts';
import { cpuSeconds, parseStat, processTree } from '../../bench/http/server-process.ts';
import { luaValue, parseWrk, wrkScript } from '../../bench/http/wrk.ts';
import { makeScenario, SCENARIO_NAMES } from '../../bench/scenarios.ts';
import { loadSnapshot } from '../../src/loader/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipAddon } from '../support/serving/transports.ts';

const ROUND: Round = {
  requestsPerSecond: 100_000,
  p50Ms: 0.5,
  p99Ms: 1,
  p999Ms: 2,
  cpuMicroseconds: 8,
  cpuShare: 0.97,
};
const onLinux = process.platform === 'linux' ? {} : { skip: 'CPU time is read from /proc' };

test('CPU time is user plus system time, also for a process with a parenthesis in its name', () => {
  const line = '7 (a) (b) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 9 9 20 0 11 0 5 6 7';
  assert.equal(parseStat(line), 3);
  assert.throws(() => parseStat('no such line'), /not a line of/);
});

test('the CPU time of this process grows with its work', onLinux, () => {
  const before = cpuSeconds(process.pid);
  const end = performance.now() + 150;
  while (performance.now() < end);
  const used = cpuSeconds(process.pid) - before;
  assert(used > 0.02 && used < 5, `${used} s`);
  assert.equal(processTree(process.pid)[0], process.pid);
  assert.deepEqual(processTree(2 ** 30), []);
});

test("the end of wrk's output becomes a result, and anything else an error", () => {
  const result = parseWrk(`Running 2s test @ http://127.0.0.1:1
  2 requests in 1s
vulndex-bench {"requests":1000,"seconds":2.0,"p50Ms":0.5,"p99Ms":1.5,"p999Ms":2.5,"refusals":3,"failures":1}
`);
  assert.deepEqual(result, {
    requests: 1000,
    seconds: 2,
    p50Ms: 0.5,
    p99Ms: 1.5,
    p999Ms: 2.5,
    refusals: 3,
    failures: 1,
  });
  assert.throws(() => parseWrk('unable to connect'), /did not report/);
});

test('a script sends one request without Lua, and several or pipelined ones in turn', () => {
  const request = { method: 'GET', path: '/a"b', headers: { PSKey: 'k' } } as const;
  assert.match(wrkScript([request], 1), /\["path"\] = "\/a\\034b"/);
  assert.doesNotMatch(wrkScript([request], 1), /^request = /m);
  const pipelined = wrkScript([request, { ...request, path: '/c' }], 16);
  assert.match(pipelined, /^request = /m);
  assert.match(pipelined, /for i = 0, 15 do/);
  assert.equal(pipelined.match(/\["method"\] = "GET"/g)?.length, 2);
  assert.equal(luaValue('é\\\n'), '"\\195\\169\\092\\010"');
});

function readOptions(...words: readonly string[]): HttpOptions {
  const command = httpCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(words, { from: 'user' }).opts();
}

test('options accept lists and reject unknown names and values out of range', () => {
  const options = readOptions('--scenario', 'zipf', '304', '--seconds', '2', '--baseline', 'uws');
  assert.deepEqual(options.scenario, ['zipf', '304']);
  assert.deepEqual(baselinesOf(options), ['uws']);
  assert.equal(options.seconds, 2);
  assert.deepEqual(baselinesOf(readOptions('--baseline', 'none')), []);
  assert.deepEqual(baselinesOf(readOptions()), ['uws', 'nginx-file', 'nginx-return', 'fastify']);
  assert.deepEqual(readOptions().scenario, SCENARIO_NAMES);
  for (const words of [
    ['--scenario', 'x'],
    ['--workers', '3'],
    ['--rounds', '0'],
    ['--x'],
    ['x'],
    ['--load', '2'],
  ]) {
    assert.throws(() => readOptions(...words), { name: /^(CommanderError|Error)$/, code: /^commander\./ });
  }
});

test('throughput of a server whose cores were not full is left out, its CPU time is not', () => {
  const full = summarise('vulndex', [
    ROUND,
    { ...ROUND, cpuMicroseconds: 10 },
    { ...ROUND, cpuMicroseconds: 9 },
  ]);
  assert.equal(full.cpuMicroseconds.median, 9);
  assert.equal(full.cpuMicroseconds.spread, 2 / 9);
  assert(full.isFull);
  const idle = summarise('uws', [ROUND, { ...ROUND, cpuShare: 0.89 }]);
  assert(!idle.isFull);
  const scenarios = [
    {
      name: 'a',
      title: 'a',
      bodyBytes: 19,
      answersHash: '',
      results: [full, idle],
    },
  ];
  const table = resultTable({ scenarios, load: 1, pipeline: 1 });
  const [own, other] = table.split('\n').slice(2);
  assert.match(own, /9\.00 .* 100,000 /);
  assert.match(other, /8\.00 .* 1\.13 x .* core not full /);
  assert.doesNotMatch(other, /100,000/);
  assert.doesNotMatch(resultTable({ scenarios, load: 1, pipeline: 16 }), /0\.50 .* 1\.00 /);
  assert.match(resultTable({ scenarios, load: 0.5, pipeline: 1 }), /held at 50 % .* 0\.50 .* 1\.00 /);
});

test('the summary has a line per scenario and a column per server', () => {
  const results = [summarise('vulndex', [ROUND]), summarise('fastify', [{ ...ROUND, cpuMicroseconds: 44 }])];
  const scenario = { title: 'a', bodyBytes: 1, answersHash: '', results };
  const table = summaryTable([
    { ...scenario, name: 'all-100' },
    { ...scenario, name: '401' },
  ]);
  assert.equal(table.split('\n').length, 3);
  assert.match(table, /^\| a +\| +8\.0 \| +\| +\| +44\.0 \|$/m);
});

test('figures replace the text between the marks of the page', () => {
  for (const path of ['README.md', join('docs', 'performance.md')]) {
    const once = withFigures(readFileSync(path, 'utf8'), 'figures');
    assert.match(once, /begin -->\nfigures\n<!-- figures: end/);
    assert.equal(withFigures(once, 'figures'), once);
  }
  assert.throws(() => withFigures('no marks', ''), /to write between/);
});

test('the nginx configuration has our bytes with quotes and backslashes escaped', () => {
  const returned = { status: 200, body: String.raw`it's \n` };
  const config = nginxConfig({ folder: 'f', workers: 2 }, 1, returned);
  assert(config.includes(String.raw`return 200 'it\'s \\n';`), config);
  assert.match(config, /worker_processes 2;/);
});

test("a list of cores is parsed in the kernel's format", () => {
  assert.deepEqual(parseCoreList('0-2,5'), [0, 1, 2, 5]);
});

test('every scenario finds its requests in a small snapshot, the same each time', async (t) => {
  const folder = temporaryFolder(t);
  const { generation } = loadSnapshot((await makeCorpus(folder, 2_000)).snapshotPath);
  for (const name of SCENARIO_NAMES) {
    const scenario = makeScenario(name, generation, 'key');
    assert(scenario.requests.length > 0, name);
    for (const { path, body } of scenario.requests) {
      assert(path.startsWith('/') && !path.includes(' '), path);
      if (name.startsWith('batch')) assert.equal(JSON.parse(String(body)).length, 50);
    }
    assert.deepEqual(makeScenario(name, generation, 'key'), scenario);
  }
  const rows = join(folder, 'rows.ndjson');
  assert.equal(writeRows(generation, rows), generation.publishedCount);
  const first = JSON.parse(readFileSync(rows, 'utf8').split('\n')[0]);
  assert.equal(JSON.parse(first.listed).id, first.id);
});

const lacks = [...missing(['uws']), ...(skipAddon === false ? [] : [skipAddon])];

test('a short run measures our server beside bare uWebSockets.js', {
  skip: lacks.join('; ') || false,
}, async (t) => {
  const json = join(temporaryFolder(t), 'results.json');
  const sizes = ['--advisories', '1000', '--seconds', '1', '--rounds', '1'];
  const words = ['--import', 'tsx', 'bench/http/run.ts', ...sizes, '--scenario', '401', '--baseline', 'uws'];
  await promisify(execFile)(process.execPath, [...words, '--json', json], { timeout: 60_000 });
  const { scenarios }: RunResults = JSON.parse(readFileSync(json, 'utf8'));
  assert.deepEqual(
    scenarios[0].results.map(({ target }) => target),
    ['vulndex', 'uws'],
  );
  for (const { cpuMicroseconds } of scenarios[0].results) assert(cpuMicroseconds.median > 0);
});

test('requests arrive at their rate, and their waiting counts from then', async (t) => {
  let count = 0;
  // One request at a time, each a few milliseconds: the server cannot keep up, so every request waits longer.
  const slow = createServer((request, response) => {
    request.resume().once('end', () => {
      const end = performance.now() + 5;
      while (performance.now() < end);
      response.end(String(count++));
    });
  });
  t.after(() => slow.close());
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`; // it listens
  const requests = [{ method: 'POST', path: '/', headers: {}, body: Uint8Array.of(1, 2) }] as const;
  const plan = { address, requests, status: 200, seconds: 0.4, warmUpSeconds: 0.1, connections: 8 };
  const { requests: counted, p50Ms, p99Ms, maxMs } = await runArrivals({ ...plan, requestsPerSecond: 300 });
  assert.equal(counted, 120);
  assert.equal(count, 150);
  assert(p50Ms > 50 && p99Ms >= p50Ms && maxMs >= p99Ms, `${p50Ms} ${p99Ms} ${maxMs}`);
  await assert.rejects(runArrivals({ ...plan, status: 404, requestsPerSecond: 20 }), /got 200, not 404/);
});

test('a percentile is the value that a share of the values do not exceed', () => {
  const values = Float64Array.from({ length: 100 }, (_, i) => i + 1);
  assert.deepEqual(
    [0, 0.5, 0.99, 1].map((share) => percentile(values, share)),
    [1, 50, 99, 100],
  );
});

test('the table of latencies names the rate at which both servers were held', () => {
  const round = { requests: 1, p50Ms: 1, p99Ms: 2, p999Ms: 3, maxMs: 4, lateP99Ms: 0.1 };
  const result = {
    scenario: 'a',
    title: 'a',
    saturatedPerSecond: 2_000,
    requestsPerSecond: 1_000,
    rounds: [round, { ...round, p99Ms: 3 }],
  };
  const table = latencyTable([
    { ...result, target: 'vulndex' },
    { ...result, target: 'uws' },
  ]);
  assert.match(
    table,
    /^\| a +\| vulndex +\| +2,000 \| +1,000 \| +1\.00 \| +2\.50 \| +40 % \| +3\.00 \| +4\.00 \| +0\.10 \|$/m,
  );
  assert.match(table, /^\| +\| bare uWebSockets\.js +\| +\| +1,000 \|/m);
});

test('a profile counts code below the handlers and the collector, and nothing else', () => {
  const frame = (functionName: string, url = '') => ({ functionName, url });
  const shares = sharesOf({
    nodes: [
      { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 7] },
      { id: 2, callFrame: frame('(idle)') },
      { id: 3, callFrame: frame(`(garbage collector)`) },
      { id: 4, callFrame: frame('', 'file:///a/http/uws.js'), children: [5] },
      { id: 5, callFrame: frame('handle', 'file:///a/http/service.js'), children: [6] },
      { id: 6, callFrame: frame('getUrl') },
      { id: 7, callFrame: frame('load', 'file:///a/loader/load.js') },
    ],
    samples: [2, 3, 4, 5, 6, 5, 7],
    timeDeltas: [9e6, 1e6, 2e6, 3e6, 4e6, 5e6, 9e6],
  });
  assert.deepEqual(shares, [
    { name: 'handle (service)', seconds: 8 },
    { name: 'getUrl', seconds: 4 },
    { name: 'a closure (uws)', seconds: 2 },
    { name: '(garbage collector)', seconds: 1 },
  ]);
});
