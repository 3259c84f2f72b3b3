import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severityOf } from '../../../src/dialects/osv/severity.ts';
import { words } from '../../support/words.ts';

test('a vector has the type of its version', () => {
  const vectors = {
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H': 'CVSS_V3',
    'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N/E:P/RL:O/RC:C': 'CVSS_V3',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N': 'CVSS_V4',
    'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:H/SC:N/SI:N/SA:N/E:P/U:Amber': 'CVSS_V4',
    'AV:N/AC:L/Au:N/C:P/I:P/A:P': 'CVSS_V2',
  };
  for (const [score, type] of Object.entries(vectors)) assert.deepEqual(severityOf(score), { type, score });
});

test('a text that the schema does not accept has no type', () => {
  for (const text of [
    '',
    ...words(`
      high CVSS:3.1 CVSS:3.2/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/
      CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:Z CVSS:4.0/AV:N/AC:L/AT:N/PR:N (AV:N/AC:L/Au:N/C:P/I:P/A:P)
      __proto__
    `),
  ]) {
    assert.equal(severityOf(text), undefined, text);
  }
});
