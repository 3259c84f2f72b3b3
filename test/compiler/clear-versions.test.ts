// Versions to update to, for products with several schemes. The slow twin asks a scan of the spans about
// every version that the product's data names.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Advisory } from '../../src/compiler/advisory.ts';
import { clearVersions } from '../../src/compiler/clear-versions.ts';
import { VersionTable } from '../../src/compiler/version-table.ts';
import { Dice } from '../../src/generator/dice.ts';
import { schemeFacts, VERSION_SCHEMES, type VersionScheme } from '../../src/index/versions/version-key.ts';
import { assertLinear, counted } from '../support/counted.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compare, scan } from '../support/oracles/linear-scan.ts';
import { printedSeed } from '../support/seed.ts';
import { compileGeneration, coreAdvisory, coreSpan } from '../support/snapshots/generation.ts';
import { volume } from '../support/volume.ts';

const SCHEMES: readonly VersionScheme[] = ['php', 'decimal', 'semver', 'wordpress'];

const folder = temporaryFolder({ after });

function drawAdvisory(dice: Dice, id: number): Advisory {
  const versionScheme = dice.pick(SCHEMES);
  const version = (): string => `${dice.whole(0, 3)}.${dice.whole(0, 12)}${dice.chance(0.3) ? '.0' : ''}`;
  const spans = Array.from({ length: dice.whole(1, 3) }, () => {
    const [from, to] = [version(), version()].sort((a, b) => compare(versionScheme, a, b));
    return coreSpan(dice.chance(0.2) ? null : from, to, 'inclusive', dice.chance(0.7) ? version() : null);
  });
  return coreAdvisory(id, { versionScheme, spans });
}

test('a version is clear if no advisory of any scheme applies to it', (t) => {
  const dice = new Dice(printedSeed(t));
  let clearCount = 0;
  for (let run = 0; run < volume(300); run++) {
    const advisories = Array.from({ length: dice.whole(2, 6) }, (_, i) => drawAdvisory(dice, i + 1));
    const generation = compileGeneration(folder, advisories);
    const { clearVersion, spanFrom, spanTo, spanFixedIn, versionSchemeStart } = generation.parts.columns;
    const got = Array.from(clearVersion, (row) => generation.versionText(row)).sort();
    const named = new Set([...spanFrom, ...spanTo, ...spanFixedIn]);
    named.delete(0xffff_ffff);
    const isClear = (row: number): boolean =>
      scan(advisories, { product: advisories[0].product, version: generation.versionText(row) })?.length ===
      0;
    // Of equal versions of a scheme the lowest row is kept, whether or not they are spelt alike.
    const expected = [...named].sort((a, b) => a - b).filter(isClear);
    const schemeOf = (row: number): number => versionSchemeStart.findLastIndex((start) => start <= row);
    const lowest = expected.filter((row, i) => {
      const before = expected[i - 1];
      if (i === 0 || schemeOf(before) !== schemeOf(row)) return true;
      const [a, b] = [before, row].map((each) => generation.versionText(each));
      return compare(VERSION_SCHEMES[schemeOf(row)], a, b) !== 0;
    });
    assert.deepEqual(got, lowest.map((row) => generation.versionText(row)).sort());
    clearCount += got.length;
  }
  assert.ok(clearCount > 0);
});

test('of equal versions the one is kept that is clear under the other schemes too', () => {
  const advisories = [
    coreAdvisory(1, { versionScheme: 'semver', spans: [coreSpan(null, '2.7', 'inclusive', '3.6')] }),
    coreAdvisory(2, { versionScheme: 'semver', spans: [coreSpan(null, '2.7', 'inclusive', '3.6.0')] }),
    // To PHP, 3.6.0 is a later version than 3.6.
    coreAdvisory(3, { versionScheme: 'php', spans: [coreSpan('1.12', '3.6')] }),
  ];
  const generation = compileGeneration(folder, advisories);
  const { clearVersion } = generation.parts.columns;
  assert.deepEqual(
    Array.from(clearVersion, (row) => generation.versionText(row)),
    ['3.6.0'],
  );
});

test('the work grows with the versions and intervals of two schemes, not with their product', () => {
  assertLinear('clear versions', (count) => {
    const table = new VersionTable();
    const schemes = [schemeFacts('php'), schemeFacts('semver')];
    for (let i = 0; i < count; i++) for (const scheme of schemes) table.intern(scheme, `1.0.${i}`);
    const versions = table.sort();
    let reads = 0;
    const onReads = (more: number): void => {
      reads += more;
    };
    const counting = {
      ...versions,
      compareRank: (rank: number, key: Uint8Array): number => {
        onReads(1);
        return versions.compareRank(rank, key);
      },
    };
    const groups = schemes.map((scheme) => {
      const first = versions.columns.versionSchemeStart[scheme.code];
      const named = Array.from({ length: count }, (_, i) => first + i);
      const ranks = counted(
        Uint32Array.from(named, (row) => versions.keyRank[row]),
        onReads,
      );
      // Of every four versions one is affected: the second.
      const intervals = counted(
        Array.from({ length: count / 4 }, (_, i) => ({ lo: 8 * i + 3, hi: 8 * i + 3 })),
        onReads,
      );
      return { scheme, ranks, intervals, named };
    });
    const cleared = clearVersions(groups, counting);
    assert.deepEqual(
      cleared.map((clear) => clear.length),
      [(count * 3) / 4, (count * 3) / 4],
    );
    return reads;
  });
});
