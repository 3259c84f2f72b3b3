// Inventories: dropped, pasted and chosen files of every format, large ones, bad ones, and the reports about them.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../support/folder.ts';
import { MARKUP_SLUG, NPM_RULED, PLUGIN_MARKUP_SLUG, RULED } from './support/data.ts';
import { packageLock, SAMPLES } from './support/inventories.ts';
import { inspectLooks } from './support/looks.ts';
import { Scene } from './support/scene.ts';

const scene = await Scene.start();
const folder = temporaryFolder({ after });

const AT = '#/inventory';
const PACKAGES = 1_500;
const LIMIT_MS = 2_000;
const TRIES = 3; // other work on the machine may slow one down
const LARGE_BYTES = 50_000_000;
const ANSWER_MS = 200; // of a key, while a large file is read

interface Dropped {
  readonly text: string;
  readonly name: string;
  /** What the page says at the end, for those who do not see the table. */
  readonly end: string;
}

/** Drops a file; resolves with the milliseconds until the page has shown the end. */
async function drop(page: Page, dropped: Dropped): Promise<number> {
  await page.getByRole('region', { name: 'Your inventory' }).waitFor();
  return page.evaluate(({ text, name, end }) => {
    const area = document.querySelector('[aria-label="Your inventory"]');
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const isAtEnd = (): boolean =>
      [...document.querySelectorAll('[role="status"], [role="alert"]')].some((element) =>
        element.textContent?.includes(end),
      );
    const startMs = performance.now();
    area?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    return new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isAtEnd()) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - startMs)); // with what it shows
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  }, dropped);
}

function manyPackages(): { readonly name: string; readonly version: string }[] {
  const affected = scene.data.invented
    .filter(({ product, withdrawn_at }) => product.type === 'npm' && withdrawn_at === undefined)
    .flatMap(({ product, affected = [] }) =>
      affected.slice(0, 1).map((span) => ({ name: product.slug, version: span.from_version ?? '0.0.1' })),
    );
  const names = new Map(affected.map((pack) => [pack.name, pack]));
  const packages = [...names.values()].slice(0, PACKAGES / 2);
  const rest = Array.from({ length: PACKAGES - packages.length }, (_, i) => ({
    name: `clear-${i}`,
    version: '1.0.0',
  }));
  return [...packages, ...rest];
}

test('every format is read where it is dropped, and its affected package is found', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    for (const { fileName, text, format, affected } of SAMPLES) {
      await drop(page, { text, name: fileName, end: '1 of 2 packages affected.' });
      const summary = page.getByRole('region', { name: 'Summary' });
      await summary
        .getByText(format, { exact: false })
        .waitFor()
        .catch(async () => {
          throw new Error(`${format}: ${await summary.innerText()}`);
        });
      await page.getByRole('row', { name: affected }).waitFor();
      await page.getByRole('button', { name: 'Another inventory' }).click();
    }
  });
});

test(`${PACKAGES} packages are read, asked about and shown within ${LIMIT_MS} ms`, async (t) => {
  await scene.visit({ at: AT }, async ({ page, requests }) => {
    const packages = manyPackages();
    const text = packageLock(packages);
    const times: number[] = [];
    while (times.length < TRIES) {
      times.push(await drop(page, { text, name: 'package-lock.json', end: 'of 1,500 packages affected.' }));
      if (times[times.length - 1] < LIMIT_MS) break;
      if (times.length < TRIES) await page.getByRole('button', { name: 'Another inventory' }).click();
    }
    t.diagnostic(`${PACKAGES} packages: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    assert.ok(Math.min(...times) < LIMIT_MS, `took ${times.join(', ')} ms`);
    assert.ok(requests.filter(({ url }) => url.endsWith('/batch')).length >= PACKAGES / 50);
    await inspectLooks(page, 'inventory');
  });
});
