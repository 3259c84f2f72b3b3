import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dsvFormat } from 'd3-dsv';
import { toCsv } from '../../../../src/console/inventory/exports/csv.ts';
import { answeredRow, waitingRow } from '../../../../src/console/inventory/findings.ts';
import { advisoryOf, packageOf, rowOf } from '../../../support/console/inventory-rows.ts';

const report = { fileName: 'x', format: 'x', version: '0.1.0', notes: [] };

test('a line for each package and advisory, with all cells', () => {
  const csv = toCsv({
    ...report,
    rows: [
      rowOf(packageOf('a', '1.0.0', { places: ['x', 'y'] }), '2.0.0', 9.8, 5),
      rowOf(packageOf('b', '1.0.0', { direct: null }), null),
      waitingRow(packageOf('c', '1.0.0', { direct: false }), 2),
      answeredRow(packageOf('d', 'x'), 3, { error: { code: 'invalid_version', message: 'not a version' } }),
    ],
  });
  assert.equal(
    csv,
    [
      'type,name,version,direct,where,state,update_to,severity,score,exploited,id,cve,ghsa,title,fixed_in,url',
      'npm,a,1.0.0,yes,x; y,affected,2.0.0,critical,9.8,no,1,CVE-2026-1,,Advisory 1,9.0.0,https://advisories.example/1',
      'npm,a,1.0.0,yes,x; y,affected,2.0.0,medium,5,no,2,CVE-2026-2,,Advisory 2,9.0.0,https://advisories.example/2',
      'npm,b,1.0.0,,,clear,,,,,,,,,,',
      'npm,c,1.0.0,no,,not asked,,,,,,,,,,',
      'npm,d,x,yes,,failed,,,,,,,,not a version,,',
      '',
    ].join('\r\n'),
  );
});

test('cells survive quotes, commas and line breaks, and no cell is a formula', () => {
  const titles = ['a "b", c\r\nd', '=cmd()', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=1,"2"', 'plain = text'];
  const rows = titles.map((title, i) =>
    answeredRow(packageOf('@scope/a', '1.0.0'), i, { vulnerabilities: [advisoryOf(i, 5, { title })] }),
  );
  const [header, ...lines] = dsvFormat(',').parseRows(toCsv({ ...report, rows }));
  assert.ok(lines.every((cells) => cells.length === header.length));
  assert.deepEqual(
    lines.map((cells) => cells[header.indexOf('title')]),
    ['a "b", c\r\nd', "'=cmd()", "'+1", "'-1", "'@SUM(A1)", "'\tx", "'\rx", '\'=1,"2"', 'plain = text'],
  );
  assert.equal(lines[0][1], "'@scope/a");
});
