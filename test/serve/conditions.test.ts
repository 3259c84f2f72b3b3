import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conditions } from '../../src/serve/conditions.ts';

function recorded() {
  let nowMs = 1_000;
  const lines: string[] = [];
  const write =
    (level: string) =>
    (members: object, text: string): void => {
      lines.push(`${level} ${text} ${JSON.stringify(members)}`);
    };
  const log = { info: write('info'), warn: write('warn'), error: write('error') } as ConstructorParameters<
    typeof Conditions
  >[0]; // a logger's methods have more overloads than are used here
  const conditions = new Conditions(log, () => nowMs);
  return { conditions, told: () => lines.splice(0), pass: (ms: number) => (nowMs += ms) };
}

test('a condition is logged when it begins and when it ends, and is listed in between', () => {
  const { conditions, told } = recorded();
  conditions.begin('snapshot_folder_unreadable', {
    answered: '503 no_snapshot',
    reason: 'EACCES',
    members: { message: 'all of it' },
  });
  assert.deepEqual(told(), [
    'error snapshot folder cannot be read {"condition":"snapshot_folder_unreadable","answered":"503 no_snapshot","reason":"EACCES","message":"all of it"}',
  ]);
  const [active, ...others] = conditions.active;
  assert.deepEqual(
    [active?.name, active?.sinceMs, active?.answered, active?.reason, others],
    ['snapshot_folder_unreadable', 1_000, '503 no_snapshot', 'EACCES', []],
  );
  conditions.end('snapshot_folder_unreadable');
  conditions.end('snapshot_folder_unreadable');
  assert.deepEqual(told(), [
    'info snapshot folder is readable again {"condition":"snapshot_folder_unreadable"}',
  ]);
  assert.deepEqual(conditions.active, []);
});

test('a lasting condition is logged again only when its details change, and keeps its start time', () => {
  const { conditions, told, pass } = recorded();
  const begin = (err: Error): void =>
    conditions.begin('keys_file_refused', { answered: 'with the keys read before', members: { err } });
  begin(new Error('no tiers'));
  assert.equal(told().length, 1);
  pass(500);
  begin(new Error('no tiers'));
  assert.equal(told().length, 0);
  begin(new Error('no keys'));
  assert.equal(told().length, 1);
  assert.equal(conditions.active[0]?.sinceMs, 1_000);
});
