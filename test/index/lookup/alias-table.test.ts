// Ids of an advisory besides its number: how they are parsed, and what they find.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../../../src/index/column-texts.ts';
import type { IndexColumns } from '../../../src/index/columns.ts';
import {
  aliasesFrom,
  findAlias,
  findPsid,
  formatPsid,
  normaliseAlias,
  parsePsid,
  writePsid,
} from '../../../src/index/lookup/alias-table.ts';
import { ByteWriter } from '../../../src/index/memory/byte-writer.ts';
import { coreAdvisory, generationOf } from '../../support/snapshots/generation.ts';

function idsNamed(columns: IndexColumns, alias: string): number[] {
  return Array.from(findAlias(columns, normaliseAlias(alias)), (ordinal) => columns.advisoryId[ordinal]);
}

test('a PSID is twelve hex digits in any case, and is shown in lower case with leading zeros', () => {
  for (const psid of ['000000000000', '00000000000a', 'ffffffffffff', '0123456789ab']) {
    assert.equal(formatPsid(parsePsid(psid)!), psid);
    const out = new ByteWriter((size) => new Uint8Array(size), 1, 100);
    writePsid(out, parsePsid(psid)!);
    assert.equal(Buffer.from(out.view()).toString(), psid);
    assert.equal(parsePsid(psid.toUpperCase()), parsePsid(psid));
  }
  for (const text of ['', '12345678901', '1234567890abc', '12345678901g', ' 0123456789a', '0x1234567890']) {
    assert.equal(parsePsid(text), undefined, text);
  }
});

test('a CVE id matches with and without its prefix, in any case', () => {
  for (const text of ['CVE-2026-1', 'cve-2026-1', '2026-1']) assert.equal(normaliseAlias(text), '2026-1');
  assert.equal(normaliseAlias('ghsa-xxxx-2222-cccc'), 'GHSA-XXXX-2222-CCCC');
});

test('an alias finds every advisory that has it, and none that only shares a prefix', (t) => {
  const { columns } = generationOf(t, [
    coreAdvisory(1, { cves: ['2026-1', '2026-12'], ghsa: 'GHSA-aaaa-bbbb-cccc' }),
    coreAdvisory(2, { cves: ['2026-1'] }),
    coreAdvisory(3, { cves: ['2026-123', '2026-123'], ghsa: '' }),
    coreAdvisory(4),
  ]).parts;
  assert.deepEqual(idsNamed(columns, 'CVE-2026-1'), [2, 1]);
  assert.deepEqual(idsNamed(columns, '2026-12'), [1]);
  assert.deepEqual(idsNamed(columns, '2026-123'), [3]);
  assert.deepEqual(idsNamed(columns, 'GHSA-AAAA-bbbb-CCCC'), [1]);
  for (const alias of ['', '2026-', '2026-1234', 'GHSA-aaaa-bbbb-cccd', '0', 'zzz', '2026-1é']) {
    assert.deepEqual(idsNamed(columns, alias), [], alias);
  }
});

test('an alias of any length and of any letters is found', (t) => {
  const aliases = [1, 95, 96, 97, 191, 192, 193].flatMap((length) => [
    'A'.repeat(length),
    'É'.repeat(length),
  ]);
  const { columns } = generationOf(t, [coreAdvisory(1, { aliases })]).parts;
  for (const alias of aliases) {
    assert.deepEqual(idsNamed(columns, alias), [1], alias);
    assert.deepEqual(idsNamed(columns, `${alias}B`), [], alias);
  }
});

test('the aliases that begin with the same letters are neighbours', (t) => {
  const aliases = ['GO-1', 'GO', 'GOX-1', 'GO-22', 'GN-9', 'GO-'];
  const { columns } = generationOf(t, [coreAdvisory(1, { aliases })]).parts;
  const under = (letters: string): string[] => {
    const { start, end } = aliasesFrom(columns, letters);
    return Array.from({ length: end - start }, (_, i) =>
      textAt(columns.aliasText, columns.aliasStart, start + i),
    );
  };
  assert.deepEqual(under('GO-'), ['GO-', 'GO-1', 'GO-22']);
  assert.deepEqual(under('GP'), []);
  assert.deepEqual(under('ZZZ'), []);
});

test('without any alias in the feed, none is found', (t) => {
  assert.deepEqual(idsNamed(generationOf(t, [coreAdvisory(1)]).parts.columns, '2026-1'), []);
});

test('every PSID finds its advisory, withdrawn or not, and other PSIDs find nothing', (t) => {
  const psids = ['000000000000', 'ffffffffffff', '0123456789ab', '800000000000', '00000000000f'];
  const { columns } = generationOf(
    t,
    psids.map((psid, i) => coreAdvisory(i + 1, { psid, withdrawnAt: i === 2 ? 1_700_000_000 : null })),
  ).parts;
  psids.forEach((psid, i) => {
    assert.equal(columns.advisoryId[findPsid(columns, parsePsid(psid)!)!], i + 1, psid);
  });
  for (const psid of ['000000000001', 'fffffffffffe', '0123456789ac']) {
    assert.equal(findPsid(columns, parsePsid(psid)!), undefined, psid);
  }
});
