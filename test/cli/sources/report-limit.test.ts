import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitedReport } from '../../../src/cli/sources/report-limit.ts';

test('of many problems of one kind the first ten are printed, and the others counted', () => {
  const lines: string[] = [];
  const report = new LimitedReport((line) => lines.push(line));
  for (let i = 0; i < 25; i++)
    report.add(`file:${i}`, `affected[${i}].to_version: "${i}.x" is not a version`);
  report.add('file:99', 'title: is required');
  for (let i = 0; i < 11; i++) report.add(`file:${i}`, `fixed: "${i}" is not a pep440 version`);
  report.end();
  report.end();
  assert.equal(lines.length, 23);
  assert.equal(lines[0], 'file:0: affected[0].to_version: "0.x" is not a version');
  assert.equal(lines[10], 'file:99: title: is required');
  assert.equal(lines[21], '… and 15 more like: affected[N].to_version: "…" is not a version');
  assert.equal(lines[22], '… and 1 more like: fixed: "…" is not a pep440 version');
});

test('a complete report prints every problem as it comes', () => {
  const lines: string[] = [];
  const report = new LimitedReport((line) => lines.push(line), true);
  for (let i = 0; i < 25; i++) report.add(`file:${i}`, 'title: is required');
  report.end();
  assert.equal(lines.length, 25);
});

test('ever new kinds of problems are counted too', () => {
  const lines: string[] = [];
  const report = new LimitedReport((line) => lines.push(line));
  for (let i = 0; i < 1000; i++) report.add('file', `kind ${String.fromCodePoint(0x4e00 + i)}`);
  report.end();
  assert.equal(lines.length, 201);
  assert.equal(lines[200], '… and 800 other problems');
});
