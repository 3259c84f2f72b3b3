import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSarif } from '../../../../src/console/inventory/exports/sarif.ts';
import { answeredRow } from '../../../../src/console/inventory/findings.ts';
import { advisoryOf, packageOf, rowOf } from '../../../support/console/inventory-rows.ts';
import { pluck } from '../../../support/pluck.ts';

const report = { fileName: 'package-lock.json', format: 'x', version: '0.1.0', notes: [] };
const rows = [
  rowOf(packageOf('a', '1.0.0'), '2.0.0', 9.8, 5),
  rowOf(packageOf('b', '1.0.0'), null, 9.8),
  rowOf(packageOf('c', '1.0.0'), null),
];

test('the parts that SARIF 2.1.0 requires are there, and references among them hold', () => {
  const log = JSON.parse(toSarif({ ...report, rows }));
  assert.equal(log.version, '2.1.0');
  const [run] = log.runs;
  assert.equal(run.tool.driver.name, 'vulndex');
  assert.deepEqual(pluck(run.tool.driver.rules, 'id'), ['vulndex-1', 'vulndex-2']);
  assert.equal(run.results.length, 3);
  for (const result of run.results) {
    assert.equal(run.tool.driver.rules[result.ruleIndex].id, result.ruleId);
    assert.ok(['error', 'warning', 'note'].includes(result.level));
    assert.equal(typeof result.message.text, 'string');
    assert.equal(result.locations[0].physicalLocation.artifactLocation.uri, 'package-lock.json');
  }
  assert.deepEqual(
    run.results.map(
      ({ level, message }: { level: string; message: { text: string } }) => `${level}: ${message.text}`,
    ),
    [
      'error: npm a@1.0.0: Advisory 1. Update to 2.0.0.',
      'warning: npm a@1.0.0: Advisory 2. Update to 2.0.0.',
      'error: npm b@1.0.0: Advisory 1. No version is known that clears everything.',
    ],
  );
  assert.deepEqual(run.tool.driver.rules[0].properties['security-severity'], '9.8');
  assert.deepEqual(run.invocations, [{ executionSuccessful: true, toolExecutionNotifications: [] }]);
});

test('only addresses of the web become links, and a rating that is missing stays so', () => {
  const urls = ['javascript:alert(1)', 'data:text/html,x', '', 'https://advisories.example/x'];
  const vulnerabilities = urls.map((url, i) => advisoryOf(i, null, { url, cve: null, ghsa: 'GHSA-x' }));
  const log = JSON.parse(
    toSarif({ ...report, rows: [answeredRow(packageOf('a', '1'), 0, { vulnerabilities })] }),
  );
  const { rules } = log.runs[0].tool.driver;
  assert.deepEqual(
    rules.flatMap(({ helpUri }: { helpUri?: string }) => helpUri ?? []),
    ['https://advisories.example/x'],
  );
  assert.ok(rules.every((rule: { properties: object }) => !('security-severity' in rule.properties)));
  assert.equal(rules[0].name, 'GHSA-x');
});

test('packages without an answer make the run incomplete', () => {
  const failed = answeredRow(packageOf('d', 'x'), 0, {
    error: { code: 'invalid_version', message: 'not a version' },
  });
  const [run] = JSON.parse(toSarif({ ...report, fileName: 'a b:c.json', rows: [...rows, failed] })).runs;
  assert.equal(run.invocations[0].executionSuccessful, false);
  assert.deepEqual(run.invocations[0].toolExecutionNotifications, [
    { level: 'error', message: { text: 'npm d@x: not a version' } },
  ]);
  assert.equal(run.results[0].locations[0].physicalLocation.artifactLocation.uri, 'a%20b%3Ac.json');
});
