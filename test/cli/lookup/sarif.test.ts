import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Command } from 'commander';
import { addLookupCommand } from '../../../src/cli/lookup.ts';
import { renderExplanation } from '../../../src/dialects/patchstack/explain.ts';
import { renderProduct } from '../../../src/dialects/patchstack/product.ts';
import { type Ran, runCommand } from '../../support/command.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { pluck } from '../../support/pluck.ts';
import { compileRecords } from '../../support/snapshots/snapshots.ts';

const folder = temporaryFolder({ after });
let snapshot: string;

before(async () => {
  const left = { product: npmProduct('left'), affected: [span(null, '2.0.0', 'exclusive', '2.0.0')] };
  snapshot = await compileRecords(folder, [
    feedRecord(1, { ...left, title: 'One', cvss: { score: 9.8, vector: null } }),
    feedRecord(2, {
      ...left,
      title: 'Two',
      cvss: null,
      cves: [],
      ghsa: 'GHSA-aaaa',
    }),
    feedRecord(3, {
      ...left,
      title: 'Three',
      product: npmProduct('right', 12),
      affected: [span(null, null)],
      cvss: { score: 5, vector: null },
      cves: [],
    }),
  ]);
});

function lookup(...words: readonly string[]): Promise<Ran> {
  const answers = { product: renderProduct, explanation: renderExplanation };
  const add = (program: Command): void => addLookupCommand(program.version('1.2.3'), answers);
  return runCommand(add, 'lookup', snapshot, ...words);
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect by asserting on it
type Json = any;

async function reportOf(
  packages: Readonly<Record<string, string>>,
  name = 'package-lock.json',
): Promise<Json> {
  const from = join(folder, name);
  const entries = Object.entries(packages).map(([pack, version]) => [`node_modules/${pack}`, { version }]);
  writeFileSync(
    from,
    JSON.stringify({
      name: 'site',
      lockfileVersion: 3,
      packages: { '': {}, ...Object.fromEntries(entries) },
    }),
  );
  const { out, error } = await lookup('--from', from, '--sarif');
  assert.equal(error, undefined);
  return JSON.parse(out);
}

test('the parts that SARIF 2.1.0 requires are there, and references among them hold', async () => {
  const log = await reportOf({ left: '1.0.0', right: '1.0.0' }, 'a lock.json');
  assert.equal(log.version, '2.1.0');
  const [run] = log.runs;
  const { name, version, rules } = run.tool.driver;
  assert.deepEqual([name, version], ['vulndex', '1.2.3']);
  assert.deepEqual(pluck(rules, 'id'), ['vulndex-2', 'vulndex-1', 'vulndex-3']);
  assert.deepEqual(pluck(rules, 'name'), ['GHSA-aaaa', 'CVE-2026-1', 'vulndex-3']);
  for (const result of run.results) {
    assert.equal(rules[result.ruleIndex].id, result.ruleId);
    assert.equal(result.locations[0].physicalLocation.artifactLocation.uri, 'a%20lock.json');
  }
  const shown = run.results.map(({ level, message }: { level: string; message: { text: string } }) => [
    level,
    message.text,
  ]);
  assert.deepEqual(shown, [
    ['warning', 'npm left@1.0.0: NPM: Two. Update to 2.0.0.'],
    ['error', 'npm left@1.0.0: NPM: One. Update to 2.0.0.'],
    ['warning', 'npm right@1.0.0: NPM: Three. No version is known that clears everything.'],
  ]);
  assert.equal(rules[1].properties['security-severity'], '9.8');
  assert.ok(!('security-severity' in rules[0].properties), 'a score that is missing stays so');
  assert.equal(rules[1].helpUri, 'https://advisories.example/1');
  assert.deepEqual(run.invocations, [{ executionSuccessful: true, toolExecutionNotifications: [] }]);
});

test('entries that were not looked up make the run incomplete', async () => {
  const [run] = (await reportOf({ left: '3.0.0', right: 'next' })).runs;
  const [{ executionSuccessful, toolExecutionNotifications: told }] = run.invocations;
  assert.equal(executionSuccessful, false);
  assert.deepEqual(told, [
    { level: 'error', message: { text: '1 not looked up (not a version): npm right next' } },
  ]);
  assert.deepEqual(run.results, []);
});

test('--sarif is for a file, and not with --json', async () => {
  assert.match(
    String((await lookup('npm', 'left', '1.0.0', '--sarif')).error?.message),
    /--sarif is for --from FILE/,
  );
  const both = await lookup('--from', 'x', '--sarif', '--json');
  assert.match(String(both.error?.message), /cannot be used with/);
});
