import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsState, manifestState, problemText } from '../../../src/console/operate/fleet.ts';
import { moment } from '../../../src/console/parts/words.ts';
import type { ManifestState } from '../../../src/dialects/operations/document.ts';

const AT = '2026-01-02T00:00:00Z';
const MANIFEST: ManifestState = {
  sequence: 12,
  id: '0123456789abcdef',
  state: 'live',
  published_at: AT,
  expires: AT,
  activate_at: null,
  bytes: 4_096,
  arrived_bytes: 1_024,
};

test('a manifest is told with its state, and how far its snapshot has come', () => {
  const told = (change: Partial<ManifestState>): string => manifestState({ ...MANIFEST, ...change });
  assert.equal(manifestState(null), 'No manifest was accepted yet.');
  assert.equal(told({}), 'Manifest 12: live.');
  assert.equal(told({ state: 'prepared' }), 'Manifest 12: prepared, live next.');
  assert.equal(told({ state: 'prepared', activate_at: AT }), `Manifest 12: prepared, live at ${moment(AT)}.`);
  assert.equal(told({ state: 'fetching' }), 'Manifest 12: fetching, 1.0 KiB of 4.0 KiB.');
  const reason = { code: 'shrunk', message: 'it lost its data; accept it' };
  assert.equal(
    told({ state: 'refused', reason }),
    'Manifest 12: refused: shrunk: it lost its data; accept it.',
  );
});

test('a problem says since when, and what to do where its message does not', () => {
  const since = `Since ${moment(AT)}: `;
  assert.equal(
    problemText({ kind: 'refused', code: 'expired', message: 'it ended; publish again', since: AT }),
    `${since}expired: it ended; publish again.`,
  );
  assert.equal(
    problemText({ kind: 'store', message: 'status 403', since: AT }),
    `${since}status 403. It is asked again; check address, credentials and store.`,
  );
  assert.match(problemText({ kind: 'system', message: 'ENOSPC', since: AT }), /ENOSPC\. Check room and /);
});

test('shared quotas are told by their mode, with the share of a replica that is alone', () => {
  const problem = { code: 'full', message: 'its memory is full; raise maxmemory' };
  assert.equal(limitsState({ mode: 'starting' }), 'The engine was not reached yet.');
  assert.equal(limitsState({ mode: 'fleet', replicas: 5 }), 'Counted over 5 replicas.');
  assert.equal(
    limitsState({ mode: 'local', replicas: 5, problem }),
    'Counted here alone, within 1/5 of each quota: full: its memory is full; raise maxmemory.',
  );
  assert.match(limitsState({ mode: 'local', replicas: 0, problem }), /within whole quotas: full/);
});
