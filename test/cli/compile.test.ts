import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { temporaryPath } from '../../src/files/temporary-file.ts';
import { readSnapshotHeader } from '../../src/loader/snapshot/reader.ts';
import { verifySnapshot } from '../../src/loader/snapshot/verify-deep.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { feedRecord, span } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { builtProgram } from '../support/process/built-program.ts';
import { killWhen, runProgram } from '../support/process/program.ts';
import { sampleRecords } from '../support/snapshots/snapshots.ts';

const BUILT_AT = '2026-01-10T06:07:08Z';

/** A folder for feeds and, in it, a folder `out` for snapshots. */
function workplace(t: TestContext) {
  const folder = temporaryFolder(t);
  const out = join(folder, 'out');
  mkdirSync(out);
  return {
    out,
    /** Writes a feed; returns its path. */
    feed: (content: string | Uint8Array, name = 'feed.ndjson'): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    compile: (feeds: string | readonly string[], target: string, ...more: readonly string[]): Promise<Ran> =>
      runCommand(addCompileCommand, 'compile', '--feed', ...[feeds].flat(), '--out', target, ...more),
    written: () => readdirSync(out).sort(),
  };
}

const line = (id: number, changes = {}): string => JSON.stringify(feedRecord(id, changes));

const GOOD = `${line(1)}\n${line(2)}\n`;

test('a valid feed becomes a snapshot, with a one-line summary', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const target = join(out, 'x.vdx');
  const ran = await compile(feed(GOOD), target, '--built-at', BUILT_AT);
  assert.equal(ran.error, undefined);
  assert.equal(ran.err, '');
  const { id } = verifySnapshot(target).generation;
  assert.match(
    ran.out,
    new RegExp(
      `^compiled 2 advisories into \\S+x\\.vdx \\(id ${id}, 0\\.0 MB, from 0\\.0 MB of feed, \\d\\.\\d s\\)\n$`,
    ),
  );
  assert.deepEqual(written(), ['x.vdx']);
});

test('a valid feed becomes a snapshot named after its time and id in a folder', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  await compile(feed(GOOD), out, '--built-at', '2026-01-10T08:07:08+02:00');
  const [name] = written();
  const { id, header } = readSnapshotHeader(join(out, name));
  assert.equal(name, `vulndex-20260110T060708Z-${id}.vdx`);
  assert.equal(header.builtAtMs, Date.parse(BUILT_AT));
  assert.equal(written().length, 1);
});

test('a valid feed can be compiled into a folder that does not exist yet', async (t) => {
  const { feed, out, compile } = workplace(t);
  assert.equal((await compile(feed(GOOD), join(out, 'a', 'b', 'x.vdx'))).error, undefined);
  assert.deepEqual(readdirSync(join(out, 'a', 'b')), ['x.vdx']);
});

test('a valid feed gives the same bytes whatever its line ends, blank lines, byte order mark, compression and order', async (t) => {
  const { feed, out, compile } = workplace(t);
  const lines = sampleRecords().map((record) => JSON.stringify(record));
  const plain = lines.join('\n');
  const forms: readonly (readonly (string | Uint8Array)[])[] = [
    [plain],
    [`\ufeff\n\n${lines.join('\r\n')}\r\n \t\n`],
    [gzipSync(plain)],
    [gzipSync(lines.slice(0, 4).join('\n')), lines.slice(4).join('\n')],
    [lines.slice(4).toReversed().join('\n'), lines.slice(0, 4).join('\n')],
  ];
  const snapshots: Buffer[] = [];
  for (const form of forms) {
    const feeds = form.map((content, i) => feed(content, `feed-${i}`));
    const ran = await compile(feeds, join(out, 'x.vdx'), '--built-at', BUILT_AT);
    assert.equal(ran.error, undefined);
    snapshots.push(readFileSync(join(out, 'x.vdx')));
  }
  snapshots.forEach((snapshot, i) => {
    assert.ok(snapshot.equals(snapshots[0]), `form ${i}`);
  });
  verifySnapshot(join(out, 'x.vdx'));
});

test('a bad line stops compilation: one line per problem, nothing written, an existing file kept', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const target = join(out, 'x.vdx');
  writeFileSync(target, 'what was there');
  const bad = line(3, {
    title: 7,
    affected: [{ from_version: '2', to_version: '1', to_bound: null, fixed_in: null }],
  });
  const path = feed(`${line(1)}\n${bad}\n${line(2)}\n{\n`);
  const { error, err, out: printed } = await compile(path, target);
  assert.equal(error?.name, 'CommandError');
  assert.match(error?.message ?? '', /^2 bad lines; nothing was written\. .*--skip-invalid$/);
  const [title, span, json, ...rest] = err.split('\n');
  assert.equal(title, `${path}:2: title: must be a string (got 7)`);
  assert.ok(span.startsWith(`${path}:2: affected[0]: `), span);
  assert.ok(json.startsWith(`${path}:4: line: is not valid JSON`), json);
  assert.deepEqual(rest, ['']);
  assert.equal(printed, '');
  assert.deepEqual(written(), ['x.vdx']);
  assert.equal(readFileSync(target, 'utf8'), 'what was there');
});

test('a bad line is kept raw with its problems by --skip-invalid', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const target = join(out, 'x.vdx');
  const bad = ` ${line(3, { title: null })}`;
  const path = feed(Buffer.concat([Buffer.from(`${GOOD}${bad}\r\n`), Uint8Array.of(0x22, 0xff, 0x0a)]));
  const ran = await compile(path, target, '--skip-invalid');
  assert.equal(ran.error, undefined);
  assert.deepEqual(written(), ['x.vdx', 'x.vdx.rejects.ndjson']);
  const rejects = readFileSync(`${target}.rejects.ndjson`, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    rejects.map((text) => JSON.parse(text)),
    [
      {
        file: path,
        line: 3,
        problems: [{ field: 'title', message: 'must be a string (got null)' }],
        raw: bad,
      },
      {
        file: path,
        line: 4,
        problems: [{ field: 'line', message: 'is not valid UTF-8' }],
        raw_base64: Buffer.of(0x22, 0xff).toString('base64'),
      },
    ],
  );
  assert.match(ran.err, /2 bad lines written to \S+x\.vdx\.rejects\.ndjson\n$/);
  assert.match(ran.out, /^compiled 2 advisories /);
  assert.equal(verifySnapshot(target).generation.advisoryCount, 2);
});

test('bad lines beyond the share that --max-reject allows stop compilation, even with --skip-invalid', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const path = feed(`${GOOD}${line(3, { title: null })}\n`);
  const refused = await compile(path, join(out, 'x.vdx'), '--skip-invalid', '--max-reject', '33');
  assert.match(refused.error?.message ?? '', /^\S+: 1 entry of 3 read .* --max-reject allows 33 %/);
  assert.ok(!written().includes('x.vdx'));
  const allowed = await compile(path, join(out, 'x.vdx'), '--skip-invalid', '--max-reject', '33.4');
  assert.equal(allowed.error, undefined);
});

test('a bad line leaves no old rejects file behind once there are no bad lines', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const target = join(out, 'x.vdx');
  await compile(feed(`${GOOD}{}\n`), target, '--skip-invalid');
  assert.equal(written().length, 2);
  await compile(feed(GOOD), target, '--skip-invalid');
  assert.deepEqual(written(), ['x.vdx']);
});

test('a second use of an id or a PSID is a bad line, even in another file', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const first = feed(GOOD, 'first');
  const second = feed(
    `${line(4, { psid: '0123456789ab' })}\n${line(2)}\n${line(5, { psid: '0123456789ab' })}\n`,
    'second',
  );
  const { error, err } = await compile([first, second], join(out, 'x.vdx'));
  assert.match(error?.message ?? '', /^2 bad lines/);
  assert.deepEqual(err.split('\n').slice(0, 2), [
    `${second}:2: id: 2 was already used at ${first}:2`,
    `${second}:3: psid: 0123456789ab is also the PSID of the advisory at ${second}:1`,
  ]);
  assert.deepEqual(written(), []);
});

test('a bad line cannot be skipped when no valid line is left', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const { error } = await compile(feed('{}\n'), join(out, 'x.vdx'), '--skip-invalid');
  assert.match(error?.message ?? '', /^there are no valid advisories to compile; nothing was written$/);
  assert.deepEqual(written(), []);
});

const odd = (id: number): string => line(id, { cve: 'CVE-2026-1' });

test('a member that the feed format does not have gets one warning on standard error, and the rest is compiled', async (t) => {
  const { feed, out, compile } = workplace(t);
  const path = feed(`${line(1)}\n${odd(2)}\n${odd(3)}\n`);
  const ran = await compile(path, join(out, 'x.vdx'));
  assert.equal(ran.error, undefined);
  assert.equal(
    ran.err,
    `${path}:2: warning: cve: is not a member of the feed format and was ignored in 2 records; did you mean cves?\n`,
  );
  assert.match(ran.out, /^compiled 3 advisories /);
});

test('a member that the feed format does not have makes the line bad with --strict', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const path = feed(`${line(1)}\n${odd(2)}\n`);
  const refused = await compile(path, join(out, 'x.vdx'), '--strict');
  assert.match(refused.error?.message ?? '', /^1 bad line; nothing was written\./);
  assert.equal(refused.err, `${path}:2: cve: is not a member of the feed format; did you mean cves?\n`);
  assert.deepEqual(written(), []);
  const skipped = await compile(path, join(out, 'x.vdx'), '--strict', '--skip-invalid');
  assert.match(skipped.out, /^compiled 1 advisory /);
  assert.deepEqual(written(), ['x.vdx', 'x.vdx.rejects.ndjson']);
});

test('a feed file that cannot be read to its end stops compilation, even with --skip-invalid; nothing is written', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const zipped = gzipSync(GOOD);
  const damaged = Buffer.from(zipped);
  damaged[zipped.length - 6] ^= 1;
  const cases: readonly (readonly [path: string, message: RegExp])[] = [
    [
      feed(zipped.subarray(0, -9), 'short.gz'),
      /short\.gz: the gzip content ends too early; fetch the file again$/,
    ],
    [feed(damaged, 'damaged.gz'), /damaged\.gz: the gzip content is damaged/],
    [feed('', 'empty'), /empty: the file contains no advisories; check that it is the right file$/],
    [feed(' \r\n\n', 'blank'), /blank: the file contains no advisories/],
    [join(out, 'missing'), /missing: no such file; check the path$/],
    [out, /out: this is a folder; name a file in it$/],
    [join(feed('', 'file'), 'feed.ndjson'), /feed\.ndjson: reading failed \(ENOTDIR/],
  ];
  for (const [path, message] of cases) {
    const { error } = await compile([feed(GOOD), path], join(out, 'x.vdx'), '--skip-invalid');
    assert.equal(error?.name, 'CommandError', path);
    assert.match(error?.message ?? '', message);
    assert.deepEqual(written(), [], path);
  }
});

const BAD = '{}\n'; // reading it would add messages

test('a target that is neither a snapshot nor a folder is refused before any feed is read', async (t) => {
  const { feed, out, compile } = workplace(t);
  const file = feed('kept', 'file');
  const cases: readonly (readonly [target: string, name: string, message: RegExp])[] = [
    [
      join(out, 'snapshots'),
      'UsageError',
      /--out \S+snapshots: .*no such folder.*"\S+snapshots\/".*"\S+snapshots\.vdx"/,
    ],
    [file, 'UsageError', /--out \S+file: .*must end in \.vdx/],
    ['', 'UsageError', /--out is empty/],
    [`${file}/`, 'CommandError', /file\/: cannot write there \(ENOTDIR\); choose another --out$/],
    [join(file, 'x.vdx'), 'CommandError', /file\/x\.vdx: cannot write there \(E\w+\); choose another --out$/],
    [join(out, `${'x'.repeat(260)}.vdx`), 'CommandError', /cannot write there \(ENAMETOOLONG\)/],
    [`${join(out, 'x'.repeat(240))}.vdx`, 'CommandError', /rejects\.ndjson: cannot write there/],
  ];
  for (const [target, name, message] of cases) {
    const { error, err } = await compile(feed(BAD), target, '--skip-invalid');
    assert.match(error?.message ?? '', message);
    assert.equal(error?.name, name, target);
    assert.equal(err, '', target);
  }
  assert.deepEqual(readdirSync(out), []);
  assert.equal(readFileSync(file, 'utf8'), 'kept');
});

test('a missing second feed, and standard input named twice, are refused before any feed is read', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const missing = await compile([feed(BAD), join(out, 'missing')], join(out, 'x.vdx'));
  assert.match(missing.error?.message ?? '', /missing: no such file; check the path$/);
  const twice = await compile([feed(BAD), '-', '-'], join(out, 'x.vdx'));
  assert.equal(twice.error?.name, 'UsageError');
  assert.match(twice.error?.message ?? '', /--feed -: .*once/);
  assert.equal(missing.err + twice.err, '');
  assert.deepEqual(written(), []);
});

test('a missing target folder with a trailing slash is created', async (t) => {
  const { feed, out, compile } = workplace(t);
  assert.equal((await compile(feed(GOOD), `${join(out, 'new')}/`)).error, undefined);
  assert.match(readdirSync(join(out, 'new')).join(), /^vulndex-\w+-\w+\.vdx$/);
});

const plan = ['--built-at', BUILT_AT];

test('- is standard input for a feed, plain or gzip, and problems name it', async (t) => {
  const { feed, out, compile } = workplace(t);
  await compile(feed(GOOD), join(out, 'file.vdx'), ...plan);
  const expected = readFileSync(join(out, 'file.vdx'));
  for (const input of [GOOD, gzipSync(GOOD)]) {
    const target = join(out, 'x.vdx');
    const ran = await runProgram(['compile', '--feed', '-', '--out', target, ...plan], { input });
    assert.equal(ran.stderr, '');
    assert.ok(readFileSync(target).equals(expected));
  }
  const bad = await runProgram(['compile', '--feed', '-', '--out', out, ...plan], { input: '{}\n' });
  assert.match(bad.stderr, /^-:1: id: is required\n/);
  const cut = await runProgram(['compile', '--feed', '-', '--out', out, ...plan], {
    input: gzipSync(GOOD).subarray(0, -6),
  });
  assert.match(cut.stderr, /^vulndex: -: the gzip content ends too early/);
});

test('the summary says how many fixed versions are vulnerable themselves', async (t) => {
  const { feed, out, compile } = workplace(t);
  const affected = [span('1.0', '2.0', 'last-affected', '1.5')];
  const ran = await compile(feed(line(1, { affected })), join(out, 'x.vdx'));
  assert.match(
    ran.out,
    /^1 fixed version is still vulnerable by the same advisory: 0 replaced by a later fixed version, 1 left out\ncompiled 1 advisory /,
  );
});

test('--quiet prints no summary, and with --json the object that was asked for', async (t) => {
  const { feed, out, compile } = workplace(t);
  const target = join(out, 'x.vdx');
  assert.deepEqual(await compile(feed(GOOD), target, '--quiet'), { out: '', err: '', error: undefined });
  assert.equal(JSON.parse((await compile(feed(GOOD), target, '--quiet', '--json')).out).advisories, 2);
  const { err } = await compile(feed(GOOD), target, '--quiet', '--verbose');
  assert.match(err, /option '--verbose' cannot be used with option '--quiet'/);
});

test('--verbose prints every rejected entry, and what each source took', async (t) => {
  const { feed, out } = workplace(t);
  const records = Array.from({ length: 12 }, (_, i) => `${line(i + 1, { title: 1 })}\n`);
  const path = feed(GOOD + records.join(''));
  const osv = join(out, 'none.json');
  writeFileSync(osv, JSON.stringify({ id: 'GHSA-aaaa-bbbb-cccc', modified: BUILT_AT, affected: [] }));
  const words = ['compile', '--osv', osv, '--feed', path, '--out', join(out, 'x.vdx'), '--max-reject', '100'];
  const problems = (text: string): number => text.match(/: title: /g)?.length ?? 0;
  const limited = await runCommand(addCompileCommand, ...words);
  assert.equal(problems(limited.err.replace(/^….*/gm, '')), 10);
  const { err, error } = await runCommand(addCompileCommand, ...words, '--verbose');
  assert.equal(error, undefined);
  assert.equal(problems(err), 12);
  assert.match(err, /^read 14 entries of feed \(\S+feed\.ndjson\) in \d\.\d s$/m);
});

test('- is standard output for the snapshot, with the summary on standard error', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const path = feed(GOOD);
  await compile(path, join(out, 'file.vdx'), ...plan);
  const ran = await runProgram(['compile', '--feed', path, '--out', '-', ...plan], { env: { TMPDIR: out } });
  assert.ok(ran.stdout.equals(readFileSync(join(out, 'file.vdx'))));
  assert.match(ran.stderr, /^compiled 2 advisories into - \(id /);
  assert.equal(ran.status, 0);
  assert.deepEqual(
    written().filter((name) => !name.startsWith('tsx-')), // a cache of tsx, which runs the program here
    ['file.vdx'],
  );
});

test('- as output leaves nothing behind when the reader of standard output has gone', async (t) => {
  const { feed, out, written } = workplace(t);
  // Even deflated, more than a pipe buffer holds.
  const lines = [1, 2, 3].map((id) => line(id, { details: randomBytes(1_000_000).toString('base64') }));
  const path = feed(`${lines.join('\n')}\n`);
  const ran = await runProgram(['compile', '--feed', path, '--out', '-'], {
    env: { TMPDIR: out },
    started: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
  });
  assert.deepEqual([ran.status, ran.stderr], [1, '']);
  assert.deepEqual(
    written().filter((name) => !name.startsWith('tsx-')),
    [],
  );
});

test('- is refused as output if that is a terminal', async (t) => {
  const { feed, compile } = workplace(t);
  const { isTTY } = process.stdout;
  process.stdout.isTTY = true;
  try {
    const { error, err } = await compile(feed('{}\n'), '-');
    assert.equal(error?.name, 'UsageError');
    assert.match(error?.message ?? '', /cannot write a snapshot to a terminal: redirect/);
    assert.equal(err, '');
  } finally {
    process.stdout.isTTY = isTTY;
  }
});

test('- as output cannot be combined with --skip-invalid', async (t) => {
  const { feed, compile } = workplace(t);
  const { error, err } = await compile(feed('{}\n'), '-', '--skip-invalid');
  assert.equal(error?.name, 'UsageError');
  assert.match(error?.message ?? '', /--skip-invalid .* standard output/);
  assert.equal(err, '');
});

const temporary = (folder: string): string | undefined =>
  readdirSync(folder).find((name) => name.startsWith('.compiling-'));

test('a signal while a feed is read leaves nothing behind', async (t) => {
  const { out } = workplace(t);
  const ran = await runProgram(['compile', '--feed', '-', '--out', join(out, 'x.vdx')], {
    started: (child) => void killWhen(child, 'SIGINT', () => temporary(out) !== undefined),
    keepsInputOpen: true,
  });
  assert.equal(ran.signal, 'SIGINT');
  assert.deepEqual(readdirSync(out), []);
});

test('a signal after the last line was read leaves nothing behind', async (t) => {
  const { out } = workplace(t);
  const details = 'What is wrong, and how it came to be. '.repeat(30);
  const lines = Array.from({ length: 30_000 }, (_, i) => line(i + 1, { details: `${details}${i}` }));
  const ran = await runProgram(['compile', '--feed', '-', '--out', join(out, 'x.vdx')], {
    input: `${lines.join('\n')}\n`,
    started: (child) => {
      let isRead = false;
      child.stdin?.once('finish', () => {
        isRead = true;
      });
      void killWhen(child, 'SIGTERM', () => isRead && temporary(out) !== undefined);
    },
  });
  assert.equal(ran.signal, 'SIGTERM', ran.stderr);
  assert.deepEqual(readdirSync(out), []);
});

test('the next compilation removes what a killed one left behind', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const [, host = ''] =
    /^\.compiling-(.+)-\d+-[0-9a-f]{8}-/.exec(basename(temporaryPath(out, 'compiling'))) ?? [];
  const left = join(out, `.compiling-${host}-${pid}-0a1b2c3d-0000-4000-8000-0123456789ab.tmp`);
  writeFileSync(left, 'half');
  await compile(feed(GOOD), join(out, 'x.vdx'));
  assert.deepEqual(written(), ['x.vdx']);
});

test('withdrawn advisories are counted separately in the summary', async (t) => {
  const { feed, out, compile } = workplace(t);
  const withdrawn = line(3, { withdrawn_at: '2026-01-05T00:00:00Z' });
  const ran = await compile(feed(`${GOOD}${withdrawn}\n`), join(out, 'x.vdx'));
  assert.match(ran.out, /^compiled 3 advisories \(1 withdrawn\) into /);
});

test('a target that cannot be written is refused if its folder is a file', async (t) => {
  const { feed, compile } = workplace(t);
  const file = feed('', 'file');
  const { error } = await compile(feed(GOOD), join(file, 'x.vdx'));
  assert.equal(error?.name, 'CommandError');
  assert.match(error?.message ?? '', /file\/x\.vdx: cannot write there \(E\w+\); choose another --out$/);
});

test('a target that cannot be written leaves nothing behind if a folder is in the way of the rejects file', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  mkdirSync(join(out, 'x.vdx.rejects.ndjson'));
  const { error } = await compile(feed(`${GOOD}{}\n`), join(out, 'x.vdx'), '--skip-invalid');
  assert.equal(error?.name, 'CommandError');
  assert.deepEqual(written(), ['x.vdx.rejects.ndjson']);
});

test('a build time that is invalid or before 1970 is refused, with what is expected', async (t) => {
  const { feed, out, compile, written } = workplace(t);
  const path = feed(GOOD);
  for (const time of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-01', '']) {
    const { error } = await compile(path, out, '--built-at', time);
    assert.match(error?.message ?? '', /--built-at <time>.*RFC 3339 date-time such as/, time);
  }
  const { error } = await compile(path, out, '--built-at', '1969-12-31T23:59:59Z');
  assert.match(error?.message ?? '', /--built-at <time>.*expected a time in 1970 or later/);
  assert.deepEqual(written(), []);
  assert.equal((await compile(path, out, '--built-at', '1970-01-01T00:00:00Z')).error, undefined);
  assert.equal(written().length, 1);
});

test('options that are missing are named', async () => {
  const target = await runCommand(addCompileCommand, 'compile', '--feed', 'x');
  assert.match(target.error?.message ?? '', /--out <file\|dir>/);
  const source = await runCommand(addCompileCommand, 'compile', '--out', 'x.vdx');
  assert.equal(source.error?.name, 'UsageError');
  assert.match(source.error?.message ?? '', /--osv <path\.\.\.>.* or --feed <file\.\.\.>$/);
});

test('as a process, compile exits with 1 and says why only on stderr', (t) => {
  const { feed, out, written } = workplace(t);
  const words = ['compile', '--feed', feed(`${GOOD}{}\n`), '--out', out];
  const ran = spawnSync(process.execPath, [builtProgram(), ...words], { encoding: 'utf8' });
  assert.equal(ran.status, 1);
  assert.equal(ran.stdout, '');
  assert.match(ran.stderr, /feed\.ndjson:3: id: is required\n/);
  assert.match(ran.stderr, /\nvulndex: 1 bad line; nothing was written\. [^\n]+\n$/);
  assert.deepEqual(written(), []);
});
