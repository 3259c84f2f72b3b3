// The key of a person: how it arrives, where it stays, what a wrong, an expired or a small one leads to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeKey } from '../../src/access/keys-file.ts';
import { until } from '../support/until.ts';
import { RULED } from './support/data.ts';
import { SAMPLES } from './support/inventories.ts';
import { inspectLooks } from './support/looks.ts';
import { picture } from './support/pictures.ts';
import { Scene } from './support/scene.ts';

const scene = await Scene.start();

const AT = `#/lookup?type=plugin&name=${RULED}&version=2.0`;
const FOUND = `${RULED} 2.0 is affected by 2 advisories`;
const EXPIRES_MS = 8_000; // long enough for a page to start on a busy machine

async function enterKey(page: Page, key: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'API key' });
  await dialog.getByLabel('Key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
}

async function statusOf(key: string): Promise<number> {
  return (await fetch(`${scene.address}/product/plugin/${RULED}/2.0`, { headers: { PSKey: key } })).status;
}

test('a key in the address is taken out of it, and is sent in a header only', async () => {
  const key = scene.keys.all;
  await scene.visit(
    { key: '', at: `${AT}&key=${key}`, expected: [/status of 401/] },
    async ({ page, requests }) => {
      const dialog = page.getByRole('dialog', { name: 'Use the key of this link?' });
      await dialog.waitFor();
      assert.equal(await page.evaluate(() => sessionStorage.getItem('vulndex-key')), null);
      await dialog.getByRole('button', { name: 'Use the new key' }).click();
      await page.getByRole('heading', { name: FOUND }).waitFor();
      assert.equal(page.url(), `${scene.address}/console/${AT}`);
      assert.equal(await page.evaluate(() => sessionStorage.getItem('vulndex-key')), key);
      const elsewhere = await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie);
      assert.ok(!elsewhere.includes(key));
      assert.equal(await page.evaluate(() => history.length), 2, 'about:blank and this page');
      await page.getByRole('link', { name: 'Data' }).click();
      await page.goBack();
      assert.equal(page.url(), `${scene.address}/console/${AT}`);
      for (const { url } of requests)
        assert.ok(!url.includes(key), 'no address of a request contains the key');
      assert.ok(requests.some(({ headers }) => headers.pskey === key));
      assert.ok(requests.every(({ headers }) => headers.referer === undefined || headers.referer === ''));
    },
  );
});

test('a link that brings another key asks before it replaces the one of the tab', async () => {
  const { all, little } = scene.keys;
  await scene.visit({ at: AT, expected: [/status of 403/] }, async ({ page }) => {
    await page.getByRole('heading', { name: FOUND }).waitFor();
    const follow = (key: string) => page.evaluate((to) => location.assign(to), `${AT}&key=${key}`);
    const kept = () => page.evaluate(() => sessionStorage.getItem('vulndex-key'));
    const dialog = page.getByRole('dialog', { name: 'Replace the key of this tab?' });
    await follow(little);
    await dialog.waitFor();
    assert.ok(!page.url().includes(little));
    await picture(page, 'key-offered');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await kept(), all);
    await follow(little);
    await dialog.getByRole('button', { name: 'Use the new key' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await kept(), little);
    await follow(little);
    await page.getByRole('heading', { name: FOUND }).waitFor();
    assert.equal(await dialog.count(), 0, 'the same key is no question');
  });
  const link = `#key=${little}`;
  await scene.visit({ at: link }, async ({ page }) => {
    await page.getByRole('dialog', { name: 'Replace the key of this tab?' }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem('vulndex-key')), all);
  });
});

test('without a key the page asks for one; a wrong one is refused in words; the right one answers what was asked', async () => {
  await scene.visit({ key: '', at: AT, expected: [/status of 401/] }, async ({ page }) => {
    const dialog = page.getByRole('dialog', { name: 'API key' });
    await dialog.getByText('This server needs an API key.').waitFor();
    await inspectLooks(page, 'key');
    await enterKey(page, 'vdx_wrong');
    await page.getByText('The server does not know this key').first().waitFor();
    await picture(page, 'key-wrong');
    assert.equal(await page.evaluate(() => sessionStorage.getItem('vulndex-key')), null);
    await enterKey(page, scene.keys.all);
    await page.getByRole('heading', { name: FOUND }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });
});

test('a key that expires while the page is open is asked for again', async () => {
  const key = makeKey();
  scene.addKey(key, Date.now() + EXPIRES_MS);
  await until('the key is known', async () => (await statusOf(key)) === 200);
  await scene.visit({ key, at: AT, expected: [/status of 401/] }, async ({ page }) => {
    await page.getByRole('heading', { name: FOUND }).waitFor();
    await until('the key has expired', async () => (await statusOf(key)) === 401);
    await page.getByLabel('Version', { exact: true }).fill('3.0.1');
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: 'API key' })
      .getByText('The server does not know this key')
      .waitFor();
    await picture(page, 'key-expired');
    await enterKey(page, scene.keys.all);
    await page.getByRole('heading', { name: `${RULED} 3.0.1 is not affected` }).waitFor();
  });
});

test('a key of a small tier sees what it may, and is told what is missing', async () => {
  const { little: key } = scene.keys;
  await scene.visit({ key, at: AT, expected: [/status of 403/] }, async ({ page }) => {
    await page.getByRole('heading', { name: FOUND }).waitFor();
    await page.getByText('Your key does not include /explain').waitFor();
    await inspectLooks(page, 'small-key-look-up');
    const name = page.getByRole('combobox', { name: /^Name/ });
    await name.fill('anything');
    await name.fill(RULED);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Inventory' }).click();
    await page.getByLabel('Text of the inventory').fill(SAMPLES[0].text);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(/Stopped after 0 of 2 packages/).waitFor();
    await picture(page, 'small-key-inventory');
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByText('Your key does not include this').waitFor();
    await picture(page, 'small-key-data');
    await page.getByRole('link', { name: 'Operate' }).click();
    await page.getByText('Your key does not include this').waitFor();
    await picture(page, 'small-key-operate');
  });
});

test('a person may replace the key, or forget it, while views ask on', async () => {
  await scene.visit({ at: '#/operate', expected: [/status of 401/] }, async ({ page, requests }) => {
    await page.getByRole('heading', { name: 'Workers' }).waitFor();
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'API key' });
    await dialog.waitFor();
    const before = requests.length;
    await until('the view asked twice', () => requests.length > before + 2);
    await dialog.getByRole('button', { name: 'Forget the key' }).click();
    await dialog.getByText('This server needs an API key.').waitFor(); // the view asks on, and is refused
    assert.equal(await page.evaluate(() => sessionStorage.getItem('vulndex-key')), null);
  });
});
