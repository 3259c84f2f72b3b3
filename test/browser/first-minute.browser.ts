// The first minute of somebody new: what the command of the README runs, a click on what it prints, a product
// that the page suggests.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { within } from '../soak/support/scale.ts';
import { temporaryFolder } from '../support/folder.ts';
import { launchBrowser } from './support/launch.ts';
import { picture } from './support/pictures.ts';
import { visit } from './support/visit.ts';

const START_MS = 120_000;

test('the demo prints an address of a look-up with its ruler, and the page suggests others', async () => {
  const folder = temporaryFolder({ after });
  const words = [
    'dist/cli.js',
    'demo',
    '--snapshots',
    folder,
    '--port',
    '0',
    '--ops-port',
    '0',
    '--drain-seconds',
    '0',
  ];
  const demo = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  after(() => demo.kill('SIGKILL'));
  let printed = '';
  demo.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const addressIn = (): string | undefined => /^open: (http:\S+\/console\/#\S*key=\S+)$/m.exec(printed)?.[1];
  await within(
    'the address of the console',
    START_MS,
    () => addressIn() !== undefined || demo.exitCode !== null,
  );
  const address = addressIn() ?? '';
  const browser = await launchBrowser({ after });
  await visit(
    { browser, origins: [new URL(address).origin], expected: [/status of 401/] },
    async ({ page }) => {
      await page.goto(address);
      await page.getByRole('button', { name: 'Use the new key' }).click();
      const ruler = page.getByRole('region', { name: /^Version ruler/ });
      const verdict = page.getByRole('heading', { name: /is affected by/ });
      await verdict.waitFor();
      await ruler.getByRole('button').first().waitFor();
      assert.ok(!page.url().includes('key='));
      await picture(page, 'first-1-opened');
      await page.getByRole('link', { name: 'Look up' }).click();
      const examples = page.getByRole('region', { name: 'Examples' }).getByRole('link');
      await examples.first().waitFor();
      await picture(page, 'first-2-examples');
      await examples.first().click();
      await verdict.waitFor({ state: 'detached' });
      await ruler.getByRole('button').first().waitFor();
      await picture(page, 'first-3-product');
    },
  );
});
