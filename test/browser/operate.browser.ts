// The views Data and Operate: what they show of a process that was asked, what changes with a swap, and
// orders.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { OperationsDocument } from '../../src/dialects/operations/document.ts';
import { readSnapshotHeader } from '../../src/loader/snapshot/reader.ts';
import { feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { publishTo } from '../support/fleet/memory-store.ts';
import { startWebStore } from '../support/fleet/web-store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { compileRecords, readBytes } from '../support/snapshots/snapshots.ts';
import { until } from '../support/until.ts';
import { NPM_RULED } from './support/data.ts';
import { inspectLooks } from './support/looks.ts';
import { Scene } from './support/scene.ts';

const scene = await Scene.start({ 'keep-generations': 3 });

const HOUR_MS = 3_600_000;

const NEW = feedRecord(9_000_901, {
  title: 'ruled-left: published while the page was open',
  created_at: '2026-05-31T00:00:00Z',
  product: npmProduct(NPM_RULED, 9_000_300),
  affected: [span(null, '3.0.0', 'exclusive', '3.0.0')],
});

function panel(page: Page, title: string): Locator {
  return page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) });
}

/** At most one order a second is accepted, and none before the last one was carried out. */
async function isOrderAccepted(): Promise<boolean> {
  const { now, last_order } = JSON.parse((await scene.server.ops('operations')).text) as OperationsDocument;
  if (last_order === null) return true;
  return last_order.outcome !== 'pending' && Date.parse(now) - Date.parse(last_order.at) > 1_500;
}

async function order(page: Page, button: string, action: string): Promise<void> {
  await until('another order to be accepted', isOrderAccepted);
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('the view Data counts what is served, and says that nothing is there to compare with', async () => {
  await scene.visit({ at: '#/data' }, async ({ page }) => {
    const { advisories } = (await (
      await fetch(`${scene.address}/statistics`, { headers: { PSKey: scene.keys.all } })
    ).json()) as { advisories: { total: number } };
    await page.getByText(advisories.total.toLocaleString('en-US')).first().waitFor();
    await page.getByRole('heading', { name: 'Advisories by month' }).waitFor();
    await page.locator('canvas').first().waitFor();
    await page.getByText('No earlier snapshot is in memory').waitFor();
    await inspectLooks(page, 'data');
  });
});

test('a swap shows by itself in an open look-up, and the view Data lists what changed', async () => {
  const at = `#/lookup?type=npm&name=${NPM_RULED}&version=1.0.0`;
  await scene.visit({ at }, async ({ page }) => {
    const result = page.getByRole('heading', { level: 2, name: /ruled-left 1\.0\.0 is affected by/ });
    await result.waitFor();
    assert.match(await result.innerText(), /by 1 advisory$/);
    const published = await scene.publish(2, [NEW]);
    await page.getByRole('heading', { name: `${NPM_RULED} 1.0.0 is affected by 2 advisories` }).waitFor();
    await page.getByText('Update to 3.0.0').first().waitFor();
    await scene.prepared(published);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('radio', { name: 'npm' }).check();
    await page.getByRole('link', { name: /published while the page was open/ }).waitFor();
    await page.getByText('1 change: 1 added.').waitFor();
    await inspectLooks(page, 'data-changes');
  });
});

test('the view Operate shows what a process was asked, with a key that grants it', async () => {
  await scene.sendRequests();
  await scene.visit(
    { at: '#/operate', key: scene.keys.watch, expected: [/status of 403/] },
    async ({ page }) => {
      await page.getByRole('heading', { name: 'Workers' }).waitFor();
      await page.locator('canvas').first().waitFor();
      const rows = panel(page, 'Workers').getByRole('row');
      assert.equal(await rows.count(), 3, 'a header and two workers');
      await panel(page, 'Keys').getByText('k_all').waitFor();
      await panel(page, 'Hottest products').getByRole('link').first().waitFor();
      await inspectLooks(page, 'operate');
      await order(page, 'Reload', 'Reload');
      await page.getByText('Your key may look, but not act').waitFor();
      await inspectLooks(page, 'operate-refused');
    },
  );
});

test('reload, roll-back and its end are confirmed first, carried out, and their outcome shown', async () => {
  await scene.visit({ at: '#/operate' }, async ({ page }) => {
    await order(page, 'Reload', 'Reload');
    await page.getByText(/Reload: done/).waitFor();
    await page.getByRole('button', { name: 'Roll back to…' }).click();
    const dialog = page.getByRole('dialog');
    await inspectLooks(page, 'operate-confirm');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await order(page, 'Roll back to…', 'Roll back');
    await page.getByText(/Roll-back: done/).waitFor();
    await page.getByText(/^Rolled back to 1\.vdx/).waitFor();
    await order(page, 'End the roll-back', 'End the roll-back');
    await page.getByText(/End of the roll-back: done/).waitFor();
    await page.getByText(/^Rolled back to/).waitFor({ state: 'detached' });
  });
});

test('the operations port serves the view Operate alone, without a key', async () => {
  await scene.sendRequests();
  await scene.visit({ operations: true }, async ({ page, requests }) => {
    await page.getByRole('heading', { name: 'Workers' }).waitFor();
    assert.deepEqual(
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents(),
      ['Operate'],
    );
    await panel(page, 'Hottest products').getByRole('row').nth(1).waitFor();
    await inspectLooks(page, 'operate-port');
    await order(page, 'Reload', 'Reload');
    await page.getByText(/Reload: done/).waitFor();
    assert.ok(requests.every(({ headers }) => headers.pskey === undefined));
  });
});

test('a replica shows what it follows, when it switches and what is wrong, without the password', async (t) => {
  const store = await startWebStore(t);
  const folder = temporaryFolder(t);
  const nowMs = Date.now();
  const file = await compileRecords(folder, [NEW], { name: 'new.vdx' });
  const bytes = readBytes(file);
  const { id } = readSnapshotHeader(file);
  const timeIn = (ms: number): string => new Date(nowMs + ms).toISOString();
  const change = { published_at: timeIn(0), activate_at: timeIn(HOUR_MS), expires: timeIn(2 * HOUR_MS) };
  publishTo(store, { sequence: 7, id, bytes, change });
  const live = join(folder, 'live');
  mkdirSync(live);
  await compileRecords(live, [NEW], { name: 'old.vdx', builtAtMs: nowMs - HOUR_MS });
  const source = new URL(store.url);
  Object.assign(source, { username: 'reader', password: 'not-to-be-shown' });
  const options = { snapshots: live, source: source.href, 'source-interval': '1' };
  const server = await scene.another(options);
  await scene.visit({ operations: server }, async ({ page }) => {
    const shown = panel(page, 'Source');
    await shown.getByText('Manifest 7: prepared, live at').waitFor();
    await shown.getByText(store.url.href).waitFor();
    await inspectLooks(page, 'operate-source');
    store.status = 403;
    await shown.getByText(/Since .*status 403.*check address/).waitFor();
    assert.doesNotMatch(await page.content(), /not-to-be-shown/);
  });
});
