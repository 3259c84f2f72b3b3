// The key of a person: how it arrives, where it stays, what a wrong or expired one leads to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scene } from './support/scene.ts';

const scene = await Scene.start();
const PLACE = 'vulndex-key';

test('a key in the address is taken out of it, and is sent in a header only', async () => {
  const key = scene.keys.all;
  await scene.visit({ key: '', at: `#/data?key=${key}` }, async ({ page, requests }) => {
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.getByRole('button', { name: 'Key', exact: true }).waitFor();
    assert.equal(page.url(), `${scene.address}/console/#/data`);
    assert.equal(await page.evaluate((place) => sessionStorage.getItem(place), PLACE), key);
    assert.equal(await page.evaluate(() => localStorage.length), 1, 'the theme alone is kept for longer');
    assert.equal(await page.evaluate(() => document.cookie), '');
    assert.equal(await page.evaluate(() => history.length), 2, 'about:blank and this page');
    await page.getByRole('link', { name: 'Look up' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.goBack();
    assert.equal(page.url(), `${scene.address}/console/#/data`);
    assert.ok(requests.length > 0);
    for (const { url } of requests) assert.ok(!url.includes(key), 'no address of a request contains the key');
  });
});
