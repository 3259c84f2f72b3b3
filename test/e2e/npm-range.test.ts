// What the service says about an npm advisory must agree with what it does: `affected`, read by node-semver
// as in any npm client, contains exactly the versions that lookups match. Tested around every bound.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import semver from 'semver';
import { Dice } from '../../src/generator/dice.ts';
import type { Generation } from '../../src/index/generation.ts';
import { Matches } from '../../src/index/lookup/matches.ts';
import { loadSnapshot } from '../../src/loader/snapshot/load.ts';
import { type ServedItem, servedItems } from '../support/answers/served-items.ts';
import { match } from '../support/answers/verdicts.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { realDataOptions } from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedSeed } from '../support/seed.ts';
import { startServer, type TestServer } from '../support/serving/server.ts';
import { realSnapshot } from '../support/snapshots/generation.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';
import { volume } from '../support/volume.ts';

const WITH_PRERELEASES = { includePrerelease: true };
const INVENTED = volume(12_000); // 15 % of them npm
// Tested per advisory besides its own: bounds of other advisories of the product.
const VERSIONS_OF_OTHERS = 12;
const SAMPLE = volume(400); // lookups over the socket, of each kind

/** The bounds in an expression, in full. */
function boundsOf(affected: string): string[] {
  return affected.split(/[|\s<>=]+/).filter((text) => text !== '' && text !== '*');
}

/** A bound, its neighbours in each part, pre-releases of it and just below and above it, and builds. */
function around(bound: string): string[] {
  const { major, minor, patch, prerelease } = semver.parse(bound)!;
  const core = `${major}.${minor}.${patch}`;
  const lowered = (part: number): number => Math.max(0, part - 1);
  const tag = prerelease.join('.');
  return [
    bound,
    core,
    `${core}+build.7`,
    `${core}-0`,
    `${core}-alpha.1`,
    `${core}-rc.1`,
    `${core}-zzz`,
    `${major}.${minor}.${patch + 1}`,
    `${major}.${minor}.${patch + 1}-0`,
    `${major}.${minor}.${lowered(patch)}`,
    `${major}.${minor}.${lowered(patch)}-rc.1`,
    `${major}.${minor + 1}.${patch}`,
    `${major}.${lowered(minor)}.${patch}`,
    `${major + 1}.${minor}.${patch}`,
    `${major + 1}.0.0-beta`,
    `${lowered(major)}.${minor}.${patch}`,
    ...(tag === '' ? [] : [`${core}-${tag}.0`, `${core}-${prerelease[0]}`, `${core}-${tag}+build`]),
  ].filter((version) => semver.valid(version) !== null); // one past the greatest number is not a version
}

interface Case {
  readonly item: ServedItem;
  readonly version: string;
  readonly isAffected: boolean;
}

/**
 * A lower bound of 0 means none, so it includes the pre-releases of 0.0.0; node-semver has a notation for
 * that.
 */
function rangeOf(affected: string): semver.Range {
  return new semver.Range(affected.replaceAll(/>= 0\.0\.0(?= |$)/g, '>= 0.0.0-0'), WITH_PRERELEASES);
}

/** Every npm advisory with the versions to test and what its `affected` says about them. */
function* casesOf(generation: Generation, dice: Dice): Generator<Case> {
  const byPackage = new Map<string, ServedItem[]>();
  for (const item of servedItems(generation, generation.published('npm'))) {
    const known = byPackage.get(item.product.slug);
    if (known === undefined) byPackage.set(item.product.slug, [item]);
    else known.push(item);
  }
  for (const items of byPackage.values()) {
    const all = items.flatMap((item) => boundsOf(item.version_info.affected)).flatMap(around);
    for (const item of items) {
      const { affected } = item.version_info;
      const range = rangeOf(affected);
      const own = boundsOf(affected).flatMap(around);
      const others = items.length > 1 && all.length > 0 ? VERSIONS_OF_OTHERS : 0;
      const versions = new Set([...own, '0.0.0', '0.0.0-0', '99999.0.0', '1.0.0-rc.1']);
      for (let i = 0; i < others; i++) versions.add(dice.pick(all));
      for (const version of versions) yield { item, version, isAffected: range.test(version) };
    }
  }
}

/** Checks all cases in process; returns a sample of them. */
function assertAgreement(t: TestContext, generation: Generation, dice: Dice): Case[] {
  const matches = new Matches();
  const sample: Case[] = [];
  const different: string[] = [];
  let count = 0;
  let affected = 0;
  let prereleases = 0;
  for (const each of casesOf(generation, dice)) {
    const { item, version, isAffected } = each;
    assert.ok(match(generation, 'npm', item.product.slug, version, matches), version);
    let isMatched = false;
    for (let i = 0; i < matches.count; i++) {
      if (generation.idAt(matches.advisoryAt(i)) === item.id) isMatched = true;
    }
    if (isMatched !== isAffected) {
      const said = item.version_info.affected;
      different.push(
        `${item.id} ${item.product.slug} ${version} in ${said}: ${isAffected}, not ${isMatched}`,
      );
    }
    count++;
    if (isAffected) affected++;
    if (version.includes('-')) prereleases++;
    if (sample.length < SAMPLE) sample.push(each);
    // Each as likely as any other.
    else if (dice.chance(SAMPLE / count)) sample[dice.whole(0, SAMPLE - 1)] = each;
  }
  t.diagnostic(`${count} versions asked, ${affected} of them affected, ${prereleases} pre-releases`);
  assert.equal(different.length, 0, `${different.length} differ: ${different.slice(0, 10).join('\n')}`);
  assert.ok(affected > count * 0.2 && affected < count * 0.9 && prereleases > count * 0.2);
  return sample;
}

async function assertAgreementByHttp(server: TestServer, sample: readonly Case[]): Promise<void> {
  for (const { item, version, isAffected } of sample) {
    const path = `/product/npm/${encodeURIComponent(item.product.slug)}/${encodeURIComponent(version)}`;
    const { vulnerabilities } = (await server.request(path)).json();
    const served: ServedItem | undefined = vulnerabilities.find(({ id }: ServedItem) => id === item.id);
    assert.equal(served !== undefined, isAffected, `${path}, ${item.id}: ${item.version_info.affected}`);
    const { vulnerable } = (await server.request(`${path}/exists`)).json();
    assert.equal(vulnerable, vulnerabilities.length > 0, path);
    for (const { version_info } of vulnerabilities) {
      assert.ok(rangeOf(version_info.affected).test(version), path);
    }
  }
}

/** In process for all cases, over the socket for the sample. */
async function assertSnapshotAgrees(t: TestContext, snapshot: string, seed: number): Promise<void> {
  const sample = assertAgreement(t, loadSnapshot(snapshot).generation, new Dice(seed));
  await assertAgreementByHttp(await startServer(t, { snapshot }), sample);
}

test('`affected` of an invented npm advisory, read by node-semver, agrees with lookups', async (t) => {
  const seed = printedSeed(t);
  const records = inventedRecords(INVENTED, seed).filter(({ product }) => product.type === 'npm');
  await assertSnapshotAgrees(t, await compileRecords(temporaryFolder(t), records.map(feedJson)), seed);
});

test(
  '`affected` of a real npm advisory, read by node-semver, agrees with lookups',
  realDataOptions,
  async (t) => {
    await assertSnapshotAgrees(t, await realSnapshot('npm'), printedSeed(t));
  },
);
