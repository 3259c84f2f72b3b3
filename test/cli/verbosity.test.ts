import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showProgress } from '../../src/cli/progress.ts';
import { addQuietOption } from '../../src/cli/verbosity.ts';
import { runCommand } from '../support/command.ts';

test('--quiet hides progress on standard error, until the next command', async (t) => {
  const said: string[] = [];
  let nowMs = 0;
  t.mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0);
  const work = (...words: string[]): Promise<unknown> =>
    runCommand(
      (program) => {
        addQuietOption(program.command('work')).action(() => {
          const progress = showProgress({ label: 'x', unit: 'y' }, process.stderr, () => nowMs);
          progress.advance(1);
          nowMs += 60_000;
          progress.advance(1);
        });
      },
      'work',
      ...words,
    );
  await work('--quiet');
  assert.deepEqual(said, []);
  await work();
  assert.equal(said.length, 1);
});
