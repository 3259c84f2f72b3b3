import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CVSS_VECTORS } from '../../../src/generator/cvss.ts';
import { baseScore } from '../../../src/importers/record/cvss.ts';

/** All ways to pick one of each. */
function products<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((sets, list) => sets.flatMap((set) => list.map((item) => [...set, item])), [[]]);
}

test('the base score of a 3.1 vector is that of the formula in the specification', () => {
  const vectors = Object.values(CVSS_VECTORS).flat();
  assert.ok(vectors.length > 300);
  for (const { vector, score } of vectors) assert.equal(baseScore(vector), score, vector);
});

test('the base score of a 2.0 vector is that of the formula in the guide, for every base vector', () => {
  const impacts = { N: 0, P: 0.275, C: 0.66 };
  const metrics = [
    Object.entries({ L: 0.395, A: 0.646, N: 1 }),
    Object.entries({ H: 0.35, M: 0.61, L: 0.71 }),
    Object.entries({ M: 0.45, S: 0.56, N: 0.704 }),
    ...Array.from({ length: 3 }, () => Object.entries(impacts)),
  ];
  const all = products(metrics);
  assert.equal(all.length, 729);
  for (const [av, ac, au, c, i, a] of all) {
    const vector = `AV:${av[0]}/AC:${ac[0]}/Au:${au[0]}/C:${c[0]}/I:${i[0]}/A:${a[0]}`;
    const impact = 10.41 * (1 - (1 - c[1]) * (1 - i[1]) * (1 - a[1]));
    const exploitability = 20 * av[1] * ac[1] * au[1];
    const score = (0.6 * impact + 0.4 * exploitability - 1.5) * (impact === 0 ? 0 : 1.176);
    // The guide rounds to one decimal; on a boundary, either neighbour is as good.
    const found = baseScore(vector);
    assert.ok(found !== undefined && Math.abs(found - score) <= 0.0501, `${vector}: ${found}, not ${score}`);
    assert.equal(baseScore(`(${vector})`), found);
  }
});

test('the base score of a 3.0 or 4.0 vector is what its authors publish', () => {
  const published: readonly (readonly [vector: string, score: number])[] = [
    ['CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', 7.5],
    ['CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N', 8.7],
    ['CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.3],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N', 0],
  ];
  for (const [vector, score] of published) assert.equal(baseScore(vector), score, vector);
});

test('the base score leaves out the metrics of time and environment', () => {
  const base = 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:L/A:L';
  assert.equal(baseScore(`${base}/E:P/RL:O/RC:C/CR:H`), baseScore(base));
  const four = 'CVSS:4.0/AV:N/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';
  assert.equal(baseScore(`${four}/E:P`), baseScore(four));
});

test('a text that is not a whole vector has no base score', () => {
  const base = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
  for (const text of [
    '',
    'banana',
    'CVSS:3.1',
    'CVSS:3.1/AV:N/AC:L',
    'AV:N/AC:L/Au:N',
    base.replace('A:H', 'A:Z'),
    base.replace('A:H', 'A:'),
    base.replace('3.1', '3.2'),
    base.replace('3.1', '4.0'),
    base.replace('CVSS:3.1/', ''),
    base.toLowerCase(),
    `${base}/QQ:Z`,
    `${base}/AV:L`,
    `${base}/`,
    ` ${base}`,
    `${base}${'/AV:N'.repeat(1e5)}`,
  ]) {
    assert.equal(baseScore(text), undefined, text.slice(0, 100));
    assert.equal(baseScore(text), undefined, 'the second time too');
  }
});
