// `npm run bench:http` without load: what it sends, parses, compares and reports, and in which order it
// measures.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { makeCorpus } from '../../bench/corpus.ts';
import { fireWith, type Measured, measureAll, type Round, type Site } from '../../bench/http/measure.ts';
import { missing, parseCoreList } from '../../bench/http/needs.ts';
import { nginxConfig, returnLocation } from '../../bench/http/nginx.ts';
import { type HttpOptions, httpCommand } from '../../bench/http/options.ts';
import { againstOther, report, spentOf } from '../../bench/http/results.ts';
import { writeRows } from '../../bench/http/rows.ts';
import { cpuTime, endedSeconds, parseStat, untilAtRest } from '../../bench/http/server-process.ts';
import { tailTable } from '../../bench/http/tail-results.ts';
import type { TargetName } from '../../bench/http/targets.ts';
import { luaValue, parseWrk, type WrkResult, wrkScript } from '../../bench/http/wrk.ts';
import { makeScenario, SCENARIO_NAMES, type Scenario } from '../../bench/scenarios.ts';
import { PLATFORMS } from '../../src/index/product-type.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROUND: Round = { user: 2, system: 5, perSecond: 140_000, core: 0.97, client: 0.6 };
const TICK_US = 10_000; // the kernel rounds down to hundredths of a second
const onLinux = process.platform === 'linux' ? {} : { skip: 'CPU time is read from /proc' };

test('user and system time are apart, also for a process with a parenthesis in its name', () => {
  const line = '7 (a) (b) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 900 8 20 0 11 0 5 6 7';
  assert.deepEqual(parseStat(line), { own: { user: 2.5, system: 0.5 }, ended: { user: 9, system: 0.08 } });
  for (const bad of ['no such line', '7 (a) S 1 7']) assert.throws(() => parseStat(bad), /not a line of/);
});

test('the CPU time of a process is what the process counts itself, to a tick', onLinux, () => {
  const before = process.cpuUsage();
  const { user, system } = cpuTime(process.pid);
  const after = process.cpuUsage();
  for (const [name, seconds] of Object.entries({ user, system }) as ['user' | 'system', number][]) {
    const microseconds = Math.round(seconds * 1e6);
    const message = `${name}: ${before[name]}, ${microseconds}, ${after[name]}`;
    assert.ok(microseconds > before[name] - TICK_US && microseconds <= after[name], message);
  }
  assert.ok(endedSeconds() >= 0);
});

test('a process is measured once it rests, and one that never does is an error', async () => {
  const spent = [1, 1.5, 1.9, 1.94, 1.95, 9];
  const timeOf = () => ({ user: spent.shift() as number, system: 3 });
  await untilAtRest(7, timeOf, async () => {});
  assert.deepEqual(spent, [9], 'half a second with a hundredth of CPU time is rest, four hundredths are not');
  let user = 0;
  const busy = untilAtRest(
    7,
    () => ({ user: user++, system: 0 }),
    async () => {},
  );
  await assert.rejects(busy, /process 7 is still busy 120 s after its start/);
});

test("the end of wrk's output becomes a result, and anything else an error", () => {
  const line = 'vulndex-bench {"requests":1000,"refusals":3,"failures":1,"p99":810,"p999":1900}';
  const result = parseWrk(`Running 2s test @ http://127.0.0.1:1\n  2 requests in 1s\n${line}\n`);
  assert.deepEqual(result, { requests: 1000, refusals: 3, failures: 1, p99: 810, p999: 1900 });
  assert.throws(() => parseWrk('unable to connect'), /wrk did not report a result:\nunable/);
});

test('the script for wrk escapes what Lua would read', () => {
  assert.equal(luaValue('a"\\\né'), '"a\\034\\092\\010\\195\\169"');
  assert.equal(
    luaValue({ method: 'GET', headers: { A: 'b' } }),
    '{ ["method"] = "GET", ["headers"] = { ["A"] = "b" } }',
  );
  const request = { method: 'GET', path: '/x', headers: {} } as const;
  assert.doesNotMatch(wrkScript([request], 1), /request = function/);
  assert.match(wrkScript([request, request], 1), /request = function/);
  assert.match(wrkScript([request], 4), /for i = 0, 3 do/);
  assert.doesNotMatch(wrkScript([request], 1), /delay/);
  assert.match(wrkScript([request], 1, 1.25), /^delay = .* 1\.25 \* math\.log\(1 - math\.random/m);
});

test('bodies that vary are numbered, and those of another wrk have other numbers', () => {
  const varied = { start: 12, length: 12, choices: ' \n' };
  const request = { method: 'POST', path: '/x', headers: {}, body: `[]${' '.repeat(12)}`, varied } as const;
  const numbers = [1, 2].map(() => /^local number = (\d+)$/m.exec(wrkScript([request], 1))?.[1]);
  assert.ok(numbers.every((number) => number !== undefined) && numbers[0] !== numbers[1], String(numbers));
  assert.match(wrkScript([request], 1), /\["varied"\] = \{ \["start"\] = 12, \["length"\] = 12,/);
});

test('the table of tails compares with bare uWebSockets.js, and swaps with the same server without', () => {
  const starts = (p99: number, p999: number): WrkResult[] =>
    [0, 1, 2, 3, 4].map((start) => ({ requests: 12_000, refusals: 0, failures: 0, p99: p99 + start, p999 }));
  const table = tailTable(
    new Map([
      [
        'vulndex',
        new Map([
          ['half of that', starts(300, 900)] as const,
          ['half, with swaps', starts(600, 2_700)] as const,
        ]),
      ],
      ['uws', new Map([['half of that', starts(200, 600)] as const])],
    ]),
    6,
  );
  const cells = table.split('\n').map((line) =>
    line
      .split(/ *\| */)
      .slice(2, -1)
      .join('; '),
  );
  assert.equal(cells[2], 'vulndex; 2,000; 302 (1 %); 1.50 (1.49 to 1.50); 900 (0 %); 1.50 (1.50 to 1.50)');
  assert.equal(cells[3], 'vulndex; 2,000; 602 (1 %); 1.99 (1.99 to 2.00); 2700 (0 %); 3.00 (3.00 to 3.00)');
  assert.equal(cells[4], 'bare uWebSockets.js; 2,000; 202 (2 %); ; 600 (0 %); ');
});

test('options accept lists and reject unknown names and values out of range', () => {
  const read = (...words: readonly string[]): HttpOptions => {
    const command = httpCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    return command.parse(words, { from: 'user' }).opts();
  };
  assert.deepEqual(read('--scenario', 'zipf', '304', '--seconds', '2').scenario, ['zipf', '304']);
  assert.deepEqual(read().scenario, [...SCENARIO_NAMES, 'load']);
  assert.equal(read('--seconds', '0.8').seconds, 0.8);
  assert.deepEqual(read().baseline, ['uws', 'linear', 'nginx']);
  assert.equal(read().starts, 5);
  for (const words of [['--scenario', 'x'], ['--starts', '0'], ['--x'], ['x'], ['--seconds', '0']]) {
    assert.throws(() => read(...words), { code: /^commander\./ });
  }
});

test('a checkout that is not built is named with what to do', onLinux, (t) => {
  const folder = temporaryFolder(t);
  const lines = missing({ baseline: ['none'], against: folder });
  assert.ok(
    lines.includes(`${folder} has no dist/cli.js: run npm ci && npm run build there`),
    lines.join('\n'),
  );
});

test('the database is not measured by default, and says what it needs', onLinux, () => {
  const [line] = missing({ baseline: ['sqlite'] }).filter((each) => each.startsWith('sqlite'));
  const isOld = Number.parseInt(process.versions.node, 10) < 22;
  if (isOld) assert.match(line, /^sqlite needs Node 22 or newer, and this is v\d/);
  else assert.ok(line === undefined || line.endsWith('npm ci --prefix bench/baselines'), line);
});

test('each published advisory is a row, with its texts and spans', async (t) => {
  const folder = temporaryFolder(t);
  const { generation } = loadSnapshot((await makeCorpus(folder, 400)).snapshotPath);
  const path = join(folder, 'rows.ndjson');
  writeRows(generation, path);
  const rows = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const published = PLATFORMS.reduce((sum, platform) => {
    const { start, end } = generation.published(platform);
    return sum + end - start;
  }, 0);
  assert.equal(rows.length, published);
  for (const { id, type, slug, listed, page, spans } of rows) {
    const { vulnerability, product } = JSON.parse(page);
    assert.deepEqual([JSON.parse(listed).id, vulnerability.id, product.slug], [id, id, slug]);
    assert.ok(generation.findProduct(type, slug) !== undefined, slug);
    assert.deepEqual(Object.keys(spans[0]), ['from_version', 'to_version', 'to_bound']);
  }
});

test("a list of cores is parsed in the kernel's format", () => {
  assert.deepEqual(parseCoreList('0-2,5'), [0, 1, 2, 5]);
});

test('nginx returns a short constant reply, with quotes and backslashes escaped, and serves others as files', () => {
  const reply = (text: string) => ({ status: 200, headers: [], body: Buffer.from(text) });
  const of = (typical: string, ...others: string[]) =>
    returnLocation({ typical: reply(typical), replies: [typical, ...others].map(reply) });
  const location = of(String.raw`it's \n`);
  assert.equal(location, String.raw`location = /return { return 200 'it\'s \\n'; }`);
  assert.ok(nginxConfig('f', 1, location).includes(location));
  for (const other of [of('a', 'b'), of('$a'), of('a'.repeat(2000))]) assert.equal(other, undefined);
});

test('every scenario finds its requests in a small snapshot, the same each time', async (t) => {
  const { generation } = loadSnapshot((await makeCorpus(temporaryFolder(t), 400)).snapshotPath);
  for (const name of SCENARIO_NAMES) {
    const scenario = makeScenario(name, generation);
    assert.ok(scenario.requests.length > 0, name);
    for (const { path } of scenario.requests) assert.ok(path.startsWith('/') && !path.includes(' '), path);
    assert.deepEqual(makeScenario(name, generation), scenario);
  }
  const { requests } = makeScenario('batch-full', generation);
  assert.equal(JSON.parse(String(requests[0].body)).length, 50);
  for (const name of ['batch-full', 'osv-batch', 'npm-bulk'] as const) {
    const [{ body, varied }] = makeScenario(name, generation).requests;
    assert.ok(body !== undefined && varied !== undefined, name);
    const sent = Buffer.from(body);
    const meaning = (bytes: Buffer): unknown =>
      JSON.parse(String(name === 'npm-bulk' ? gunzipSync(bytes) : bytes));
    for (const choice of Buffer.from(varied.choices)) {
      const at: number = sent.length - varied.start;
      const other: Buffer = Buffer.from(sent).fill(choice, at, at + varied.length);
      assert.deepEqual(meaning(other), meaning(sent), `${name}, ${choice}`);
    }
  }
});

const SCENARIO: Scenario = {
  ...{ name: 'a', title: 'a title', status: 200 },
  requests: [{ method: 'GET', path: '/', headers: {} }],
};

/** Servers that do not differ from each other but in `bytes`, and what happened to them. */
function sceneOf(address: string, bodies: Readonly<Partial<Record<TargetName, string>>>) {
  const events: string[] = [];
  const target = (name: TargetName) => ({
    name,
    prepare: async ({ requests }: Scenario) => ({
      running: { address: `${address}/${bodies[name] ?? 'same'}`, pid: 0 },
      requests,
    }),
    stop: async () => {
      events.push(`stop ${name}`);
    },
  });
  const site: Site = {
    own: target('vulndex'),
    others: [target('against'), target('uws'), target('nginx')],
    fire: async (loads, _, seconds) => {
      const names = loads.map(({ running }) => running.address.split('/').at(-1));
      events.push(`${names.join(' ')}: ${seconds} s`);
      return loads.map(() => ROUND);
    },
    say: () => {},
  };
  return { site, events };
}

test('each start measures all servers anew, and leaves out one with other answers', async (t) => {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(url.includes('gone') ? 404 : 200).end(url.includes('same') ? 'same' : url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens
  const { site, events } = sceneOf(address, { against: 'more', uws: 'same2', nginx: 'wrong' });
  const [{ rounds, notes, bodyBytes }] = await measureAll(site, [SCENARIO], { starts: 2, seconds: 7 });
  assert.deepEqual([...rounds.keys()], ['vulndex', 'against', 'uws']);
  assert.deepEqual([...rounds.values()], Array(3).fill([ROUND, ROUND]));
  assert.equal(bodyBytes, 4);
  assert.deepEqual(notes, [
    'a title: the other build answers / with 200 and 6 bytes, not with 200 and our 4',
    'a title: nginx answers / with 200 and 7 bytes, not with 200 and our 4',
  ]);
  const stops = ['stop vulndex', 'stop against', 'stop uws', 'stop nginx'];
  const oneStart = ['same more same2: 1 s', 'same more same2: 7 s', ...stops];
  assert.deepEqual(events, [...oneStart, ...oneStart]);

  const gone = sceneOf(address, { against: 'gone' });
  const [other] = await measureAll(gone.site, [SCENARIO], { starts: 1, seconds: 1 });
  assert.deepEqual([...other.rounds.keys()], ['vulndex', 'uws', 'nginx']);
  const down = sceneOf(address, { vulndex: 'gone' });
  await assert.rejects(measureAll(down.site, [SCENARIO], { starts: 1, seconds: 1 }), /got 404, not 200/);
  assert.deepEqual(down.events, stops);
});

test(
  'servers get requests in turn, never two at once, and longer if they got little CPU time',
  onLinux,
  async () => {
    const events: string[] = [];
    const counts = { requests: 1000, refusals: 0, failures: 0, p99: 0, p999: 0 };
    const fireOf = (result: typeof counts) =>
      fireWith(
        (_, i) => ({
          hold: () => events.push(`hold ${i}`),
          goOn: () => events.push(`go on ${i}`),
          end: async () => result,
        }),
        async () => 0.1,
      );
    const load = { running: { address: '', pid: process.pid }, requests: SCENARIO.requests };
    const rounds = await fireOf(counts)([load, load], 200, 10);
    assert.deepEqual(events.slice(0, 5), ['go on 0', 'hold 0', 'go on 1', 'hold 1', 'go on 0']);
    assert.equal(events.length, 2 * 2 * 200); // twice as long as planned, since this process did nothing
    for (const { perSecond, core } of rounds) assert.ok(perSecond > 40 && perSecond <= 50 && core < 0.5);
    const refused = fireOf({ ...counts, refusals: 3 });
    await assert.rejects(
      refused([load], 200, 0),
      /^Error: \/: of 1000 replies 3 have a status of 400 or more/,
    );
    await fireOf({ ...counts, refusals: 1000 })([load], 401, 0);
    await assert.rejects(fireOf({ ...counts, failures: 1 })([load], 200, 0), /and 1 failed/);
  },
);

function measured(title: string, user: number, others: Partial<Round> = {}): Measured {
  const rounds = new Map<TargetName, Round[]>([
    ['vulndex', Array(5).fill({ ...ROUND, user })],
    ['against', Array(5).fill({ ...ROUND, ...others })],
  ]);
  return {
    title,
    bodyBytes: 19,
    answersHash: 'ab',
    rounds,
    notes: [`${title}: a note`],
  };
}

test('the table has user and system time apart, and throughput only if the core was full and that of wrk was not', () => {
  const text = report([measured('exists', 2.6, { core: 0.8 }), measured('batch', 2, { client: 0.95 })]);
  const lines = text.split('\n');
  assert.match(
    lines[2],
    /^\| exists \(19 B\) \| vulndex +\| 2\.60 \(0 %\) \| 5\.00 \(0 %\) .* 140,000 \| 97 % \| 60 % \|$/,
  );
  assert.match(
    lines[3],
    /2\.00 \(0 %\) .* 1\.30 \(1\.30 to 1\.30\) \| +1\.09 \(1\.09 to 1\.09\) \| +\| 80 % \|/,
  );
  assert.doesNotMatch(lines[5], /140,000/);
  assert.match(text, /^exists: a note$/m);
  assert.match(text, /^Answers: exists ab; batch ab\.$/m);
  assert.match(text, /^Against the other build, exists, user time: \+30\.0 %\.$/m);
  assert.doesNotMatch(text, /build, (batch|no difference)/);
  assert.match(report([measured('batch', 2)]), /no difference stands out of the spread\.$/);
});

test('what a scenario took against the other build is handed over, as user time and as all CPU time', () => {
  const figures = againstOther([SCENARIO], [measured('a', 2.4)]);
  assert.deepEqual(
    figures.map(({ source, name, value }) => [source, name, Number(value.toFixed(2))]),
    [
      ['a', 'a, user time against the other build', 1.2],
      ['a', 'a, CPU time against the other build', 1.06],
    ],
  );
});

test('what a scenario took is counted against bare uWebSockets.js, where that was measured', () => {
  const bare = {
    ...measured('a', 3),
    rounds: new Map(measured('a', 3).rounds).set('uws', Array(5).fill(ROUND)),
  };
  const [spent, ...others] = spentOf([SCENARIO, SCENARIO], [bare, measured('b', 3)]);
  assert.deepEqual([spent.name, spent.title, spent.comparison.ratio, others], ['a', 'a', 1.5, []]);
});
