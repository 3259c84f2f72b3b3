// The text of `lookup --explain`.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addLookupCommand } from '../../src/cli/lookup.ts';
import { renderExplanation } from '../../src/dialects/patchstack/explain.ts';
import { renderProduct } from '../../src/dialects/patchstack/product.ts';
import { type Ran, runCommand } from '../support/command.ts';
import { feedRecord, span } from '../support/feeds/advisories.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compileRecords, sampleRecords } from '../support/snapshots/snapshots.ts';

const THEME = { id: 9, type: 'theme', slug: 'boat', name: 'Boat' };
const folder = temporaryFolder({ after });
let path: string;

before(async () => {
  path = await compileRecords(folder, [
    ...sampleRecords(),
    feedRecord(501, {
      product: THEME,
      affected: [span(null, '1.2', 'exclusive', '1.2'), span('1.4', '2.0')],
      title: 'red \u001b[31m',
      sources: [
        { name: 'First', license: 'CC0-1.0', fields: ['title', 'affected'] },
        { name: 'Second', fields: ['cvss'] },
      ],
    }),
    feedRecord(502, { product: THEME, affected: [span('1.1', null)], cves: [], version_scheme: 'semver' }),
  ]);
});

function explain(...words: readonly string[]): Promise<Ran> {
  const answers = { product: renderProduct, explanation: renderExplanation };
  return runCommand((program) => addLookupCommand(program, answers), 'lookup', path, ...words, '--explain');
}

test('it says how the version was read, what was compared, where the fields are from, and what is clear', async () => {
  const { out, error } = await explain('theme', 'boat', '1.3-beta');
  assert.equal(error, undefined);
  assert.equal(
    out,
    '1.3-beta is not ordered by semver\n' +
      '1.3-beta is read by wordpress as 1, 3, beta\n' +
      '\n' +
      'does not apply: 502 - Advisory 502 (semver)\n' +
      '  1.3-beta is not a semantic version, such as 1.2.3  not ordered by this scheme  no fix\n' +
      '\n' +
      'does not apply: 501 CVE-2026-501 red  [31m (wordpress)\n' +
      '  1.3-beta >= 1.2  above the range  fixed in 1.2\n' +
      '  1.3-beta < 1.4   below the range  no fix\n' +
      '  source: First (CC0-1.0): title, affected\n' +
      '  source: Second: cvss\n' +
      '\n' +
      '0 of 2 advisories apply\n' +
      'lowest known version without an advisory: none\n' +
      'lowest such version not below 1.3-beta: none\n',
  );
});

test('it shows the range that decides, and the parts of each scheme', async () => {
  const { out } = await explain('plugin', 'gallery', '1.2');
  assert.match(out, /^1\.2 is read by php as 1, 2\n1\.2 is read by decimal as \.1, \.2\n\napplies: 103 /);
  assert.match(out, /^ {2}1\.0 <= 1\.2 <= 1\.2 {2}inside, decides {2}no fix$/m);
  assert.match(out, /3 of 3 advisories apply\nlowest known version without an advisory: 3\.5\n/);
  const { out: odd } = await explain('plugin', 'gallery', '1.x.');
  assert.match(odd, /php as 1, an unknown word, nothing\n.*decimal as \.1, an unknown word, nothing\n/);
  const { out: npm } = await explain('npm', 'left', 'v1.5.0-rc.1+b');
  assert.match(npm, /^v1\.5\.0-rc\.1\+b is read by semver as major 1, minor 5, patch 0, rc, 1\n/);
});

test('it counts the ranges that it does not show', async () => {
  const affected = Array.from({ length: 101 }, (_, i) => span(`${i + 1}.0`, `${i + 1}.1`));
  const many = await compileRecords(
    folder,
    Array.from({ length: 101 }, (_, i) => feedRecord(i + 1, { affected })),
    { name: 'many.vdx' },
  );
  const answers = { product: renderProduct, explanation: renderExplanation };
  const add = (program: Parameters<typeof addLookupCommand>[0]): void => addLookupCommand(program, answers);
  const { out } = await runCommand(add, 'lookup', many, 'plugin', 'gallery', '200', '--explain');
  assert.match(out, /\n0 of 101 advisories apply\n201 ranges that do not decide are not shown\n/);
});
