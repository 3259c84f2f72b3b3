// The real records of Go, read as its client does: the index leaves out what a version has fixed, the rest is
// decided by the ranges of the records that are fetched. Compared with the evaluation of the OSV schema. The
// client's rules are here once more, and share no code with the server.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import semver from 'semver';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { runCommand } from '../support/command.ts';
import type { OsvEventJson, OsvJson } from '../support/feeds/osv.ts';
import { readKnownRecords, readOsvRecords, realDataOptions } from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PARTNER_KEY, startServer } from '../support/serving/server.ts';

interface ModuleJson {
  readonly path: string;
  readonly vulns: readonly { readonly id: string; readonly modified: string; readonly fixed?: string }[];
}

const SHOWN = 10; // of the differences, in a failure

/** Without what Go's own package ignores. */
function isLess(a: string, b: string): boolean {
  return semver.lt(plain(a), plain(b), { loose: true });
}

/** `go1.22rc1`, `v1.2` and `1.2.3` as SemVer; long numbers as they are. */
function plain(version: string): string {
  const text = version.replace(/^(?:v|go)/, '').replace(/(?<=\d)(rc|beta)(\d+)$/, '-$1.$2');
  const [, core = '', rest = ''] = /^([\d.]+)(.*)$/.exec(text) ?? [];
  return core + '.0'.repeat(3 - core.split('.').length) + rest;
}

function holds(events: readonly OsvEventJson[], version: string): boolean {
  let isAffected = false;
  for (const { introduced, fixed } of events) {
    if (!isAffected && introduced !== undefined) {
      isAffected = introduced === '0' || !isLess(version, introduced);
    } else if (isAffected && fixed !== undefined) isAffected = isLess(version, fixed);
  }
  return isAffected;
}

function affects({ affected }: OsvJson, module: string, version: string): boolean {
  return affected.some(
    (entry) =>
      entry.package.name === module &&
      (entry.ranges === undefined ||
        entry.ranges.length === 0 ||
        entry.ranges.some(({ events }) => holds(events, version))),
  );
}

/** Whether a range is open above the highest fix, or opens again: the fix would then hide the version. */
function isAboveEveryFix({ affected }: OsvJson, module: string, version: string): boolean {
  const fixes = affected
    .filter((entry) => entry.package.name === module)
    .flatMap(({ ranges = [] }) => ranges.flatMap(({ events }) => events))
    .flatMap(({ fixed }) => fixed ?? []);
  return fixes.length > 0 && fixes.every((fixed) => !isLess(version, fixed));
}

test('the client finds in the real records what affects each version', realDataOptions, async (t) => {
  const folder = temporaryFolder(t);
  const [export_, out] = [join(folder, 'go.ndjson'), join(folder, 'go.vdx')];
  writeFileSync(export_, readOsvRecords('golang'));
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', export_, '--out', out, '--json');
  if (ran.error !== undefined) throw ran.error;
  const server = await startServer(t, { snapshot: out });
  const read = async (name: string): Promise<unknown> => {
    const url = `${server.address}/govulndb/${name}.json.gz`;
    const response = await fetch(url, { headers: { PSKey: PARTNER_KEY } });
    assert.equal(response.status, 200, name);
    return JSON.parse(gunzipSync(Buffer.from(await response.arrayBuffer())).toString());
  };
  const modules = new Map(
    ((await read('index/modules')) as ModuleJson[]).map((module) => [module.path, module]), // as documented
  );
  const records = new Map<string, OsvJson>();
  const recordOf = async (id: string): Promise<OsvJson> => {
    const known = records.get(id) ?? ((await read(`ID/${id}`)) as OsvJson); // as documented
    records.set(id, known);
    return known;
  };
  const known = readKnownRecords('golang');
  const different: string[] = [];
  const source = readOsvRecords('golang')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): OsvJson => JSON.parse(line));
  const byId = new Map(source.map((record) => [record.id, record]));
  let left = 0;
  let traps = 0;
  for (const { name, version, ids } of known) {
    const found: string[] = [];
    for (const { id, fixed } of modules.get(name)?.vulns ?? []) {
      if (fixed !== undefined && !isLess(version, fixed)) left++;
      else if (affects(await recordOf(id), name, version)) found.push(id);
    }
    traps += ids.filter((id) => isAboveEveryFix(byId.get(id)!, name, version)).length; // every id is of a record
    const [got, expected] = [found.sort().join(' '), [...ids].sort().join(' ')];
    if (got !== expected)
      different.push(`${name}@${version}: ${got || 'none'}, expected ${expected || 'none'}`);
  }
  t.diagnostic(
    `${known.length - different.length} of ${known.length} are right; ${left} left out by the index`,
  );
  assert.deepEqual(different.slice(0, SHOWN), []);
  assert.ok(left > 1000, 'the index decides something');
  t.diagnostic(`${traps} findings are above the highest fix of their record`);
  assert.ok(traps > 30);
  // What the client shows as called or imported rests on these members alone.
  let specifics = 0;
  for (const { id, affected, withdrawn } of source) {
    if (withdrawn !== undefined) continue;
    for (const entry of affected) {
      const { name } = entry.package;
      if (affected.filter((each) => each.package.name === name).length > 1) continue; // joined in one entry
      if (entry.ecosystem_specific === undefined) continue;
      const served = (await recordOf(id)).affected.find((each) => each.package.name === name);
      assert.equal(JSON.stringify(served?.ecosystem_specific), JSON.stringify(entry.ecosystem_specific), id);
      specifics++;
    }
  }
  t.diagnostic(`${specifics} entries have their ecosystem_specific`);
  assert.ok(specifics > 900);
});
