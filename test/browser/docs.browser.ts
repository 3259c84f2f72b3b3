// The page of the API.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditPage } from './support/axe.ts';
import { RULED } from './support/data.ts';
import { picture } from './support/pictures.ts';
import { Scene } from './support/scene.ts';

const scene = await Scene.start();

test('the page of the API shows every operation, and tries one with the key of the console', async () => {
  await scene.visit({ at: '../docs/' }, async ({ page, requests }) => {
    await page.getByRole('heading', { name: /^vulndex/ }).waitFor();
    const document = (await (await fetch(`${scene.address}/openapi.json`)).json()) as { paths: object };
    const operations = page.locator('.opblock');
    const count = Object.values(document.paths).flatMap((item: object) =>
      Object.keys(item).filter((method) => ['get', 'post'].includes(method)),
    ).length;
    await operations.nth(count - 1).waitFor();
    assert.equal(await operations.count(), count);
    await picture(page, 'docs');
    // Of what is ours to colour: inside an operation it is Swagger UI's.
    assert.deepEqual(await auditPage(page), []);

    const operation = page.locator('.opblock', { hasText: 'Explain a lookup' });
    await operation
      .getByRole('button', { name: /explain/ })
      .first()
      .click();
    await operation.getByPlaceholder('name').fill(RULED);
    await operation.getByPlaceholder('version').fill('2.0');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.getByText('"lowest_clear": "3.0.1"').first().waitFor();
    const asked = requests.find(({ url }) => url.endsWith(`/explain/plugin/${RULED}/2.0`));
    assert.equal(asked?.headers.pskey, scene.keys.all);
    await picture(page, 'docs-tried', 'window');
  });
});

test('--no-console leaves nothing of the pages on either port, and everything else', async () => {
  const { port, opsPort } = await scene.another({ 'no-console': true });
  const statusOf = async (at: number, path: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${at}/${path}`);
    await response.arrayBuffer(); // a connection whose answer is not read stays open
    return response.status;
  };
  for (const path of ['console', 'console/', 'console/index.html', 'console/settings.json', 'docs', 'docs/'])
    for (const at of [port, opsPort]) assert.equal(await statusOf(at, path), 404, `${path} on port ${at}`);
  assert.equal(await statusOf(port, 'openapi.json'), 200);
  assert.equal(await statusOf(opsPort, 'status'), 200);
});
