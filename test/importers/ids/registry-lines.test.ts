import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatLine,
  linesOfFile,
  parseLine,
  type RegistryLine,
} from '../../../src/importers/ids/registry-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';

const LINE: RegistryLine = {
  kind: 'advisory',
  number: 1_000_000_000,
  firstSeen: 1_767_225_600,
  source: 'osv',
  sourceId: 'GHSA-1',
  type: 'npm',
  slug: 'left',
};

test('a line is tab-separated text, and comes back as it went in', () => {
  const text = 'advisory\t1000000000\t2026-01-01T00:00:00Z\tosv\tGHSA-1\tnpm\tleft';
  assert.equal(formatLine(LINE), text);
  assert.deepEqual(parseLine(Buffer.from(text)), LINE);
  const product = { ...LINE, kind: 'product', source: '', sourceId: '' } as const;
  assert.deepEqual(parseLine(Buffer.from(formatLine(product))), product);
});

test('any id comes back as it went in, on one line without a zero byte', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '\u{1f600}',
    ' ',
    '\\',
    't',
    'n',
    '0',
    '\t',
    '\n',
    '\r',
    '\0',
    '\u0001',
    '\u0085',
  );
  const text = fc.array(piece, { minLength: 1 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (sourceId) => {
      const line = formatLine({ ...LINE, sourceId });
      assert.ok(!/[\n\r\0]/.test(line), line);
      assert.deepEqual(parseLine(Buffer.from(line)), { ...LINE, sourceId });
    }),
  );
});

test('what is not a line is told by what is wrong with it', () => {
  const good = formatLine(LINE);
  const cases: readonly (readonly [line: string | Buffer, problem: RegExp])[] = [
    ['', /^has 1 columns, not 7$/],
    [good.replace('\tleft', ''), /^has 6 columns/],
    [`${good}\t`, /^has 8 columns/],
    [good.replace('advisory', 'adviso'), /^begins with "adviso"$/],
    [good.replace('1000000000', '0'), /^"0" is not a number/],
    [good.replace('1000000000', '9007199254740993'), /is not a number/],
    [good.replace('1000000000', '1e9'), /is not a number/],
    [good.replace('2026-01-01', '2026-13-01'), /is not a time$/],
    [good.replace('npm', 'deno'), /^"deno" is not a type of product$/],
    [good.replace('left', ''), /^lacks a name$/],
    [good.replace('osv', ''), /^lacks a name$/],
    [good.replace('advisory', 'product'), /^lacks a name$/],
    [Buffer.from([0x61, 0xff]), /^is not valid UTF-8$/],
  ];
  for (const [line, problem] of cases) {
    const parsed = parseLine(Buffer.from(line));
    assert.ok(typeof parsed === 'string', String(line));
    assert.match(parsed, problem);
  }
});

test('lines are found across blocks of the file, with where each ends', (t) => {
  const path = join(temporaryFolder(t), 'lines');
  const texts = ['x'.repeat(700_000), '', 'y'.repeat(2_500_000), 'end'];
  writeFileSync(path, `head\n${texts.join('\n')}`);
  const fd = openSync(path, 'r');
  t.after(() => closeSync(fd));
  const found = Array.from(linesOfFile(fd, 5), ({ bytes, end, isWhole }) => [bytes.length, end, isWhole]);
  assert.deepEqual(found, [
    [700_000, 700_006, true],
    [0, 700_007, true],
    [2_500_000, 3_200_008, true],
    [3, 3_200_011, false],
  ]);
});
