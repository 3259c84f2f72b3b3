// Inventories: dropped, pasted and chosen files of every format, large ones, bad ones, and the reports about
// them.

import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../support/folder.ts';
import { MARKUP_SLUG, NPM_RULED, PLUGIN_MARKUP_SLUG, RULED } from './support/data.ts';
import { packageLock, SAMPLES } from './support/inventories.ts';
import { inspectLooks } from './support/looks.ts';
import { picture } from './support/pictures.ts';
import { Scene } from './support/scene.ts';

const scene = await Scene.start();
const folder = temporaryFolder({ after });

const AT = '#/inventory';
const PACKAGES = 1_500;
const LARGE_BYTES = 50_000_000;
const LARGE_PACKAGES = 5_000;
const LARGE_PLACES = 38; // which makes it nearly that large

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
    return new Promise<number>((resolve, reject) => {
      setTimeout(() => reject(new Error(`${name}: the page never said: ${end}`)), 30_000);
      const observer = new MutationObserver(() => {
        if (!isAtEnd()) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - startMs)); // with what it shows
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  }, dropped);
}

/** Each package is at many places, as in a project of many workspaces. */
function writeLargeLock(file: string): void {
  const packages = Array.from({ length: LARGE_PACKAGES * LARGE_PLACES }, (_, i) => {
    const name = `large-${i % LARGE_PACKAGES}`;
    return {
      name,
      version: '1.0.0',
      place: `packages/workspace-${Math.floor(i / LARGE_PACKAGES)}/node_modules/${name}`,
    };
  });
  const text = packageLock(packages);
  assert.ok(text.length < LARGE_BYTES);
  writeFileSync(file, text.padEnd(LARGE_BYTES, ' '));
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
      await summary.getByText(`(${format})`).waitFor();
      await page.getByRole('row', { name: affected }).waitFor(); // and the next one is dropped beside it
    }
  });
});

test('the next inventory is pasted without a field', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    const { fileName, text } = SAMPLES[0];
    await drop(page, { text, name: fileName, end: '1 of 2 packages affected.' });
    await page.evaluate(
      (pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', pasted);
        document.body.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        );
      },
      packageLock(manyPackages().slice(0, 3)),
    );
    await page.getByText('3 entries in the pasted text').waitFor();
  });
});

test('what cannot be looked up is counted and shown unfolded, beside packages of every type', async () => {
  const purls = ['pkg:pypi/jinja2@2.4.1', 'pkg:maven/org.a/b@1.0?type=jar', 'pkg:acme/plug@1.0.0', 'no purl'];
  const components = purls.map((purl) => ({ type: 'library', name: purl, purl }));
  const text = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components });
  await scene.visit({ at: AT }, async ({ page }) => {
    await drop(page, {
      text,
      name: 'bom.json',
      end: '0 of 2 packages affected.',
    });
    await page.getByText('4 entries in bom.json (CycloneDX 1.6): 2 to look up, 2 not').waitFor();
    await page.getByText('1 × ecosystem acme: pkg:acme/plug@1.0.0').waitFor();
    await inspectLooks(page, 'inventory-not-looked-up');
  });
});

test(`${PACKAGES} packages are read, asked about and shown`, async (t) => {
  await scene.visit({ at: AT }, async ({ page, requests }) => {
    const packages = manyPackages();
    const text = packageLock(packages);
    const tookMs = await drop(page, { text, name: 'package-lock.json', end: 'of 1,500 packages affected.' });
    t.diagnostic(`${PACKAGES} packages: ${tookMs.toFixed(0)} ms`);
    assert.ok(requests.filter(({ url }) => new URL(url).pathname === '/batch').length >= PACKAGES / 50);
    await picture(page, 'inventory-large', 'window');
    await page.getByRole('button', { name: 'Another inventory' }).click();
    await inspectLooks(page, 'inventory-empty');
    await drop(page, {
      text: packageLock(packages.slice(0, 12)),
      name: 'package-lock.json',
      end: 'packages affected.',
    });
    await page.locator('table.packages button.opener').first().click();
    await inspectLooks(page, 'inventory');
  });
});

test('a large lockfile is read while the page answers keys', async (t) => {
  const file = join(folder, 'package-lock.json');
  writeLargeLock(file);
  await scene.visit({ at: AT }, async ({ page }) => {
    const field = page.getByRole('combobox', { name: 'Theme' });
    await page.evaluate(() => {
      const waits: number[] = [];
      Object.assign(globalThis, { waits });
      addEventListener(
        'keydown',
        ({ timeStamp }) => requestAnimationFrame(() => waits.push(performance.now() - timeStamp)),
        true,
      );
    });
    const startMs = performance.now();
    await page.getByLabel('or choose a file').setInputFiles(file);
    const done = page
      .getByText(`${LARGE_PACKAGES.toLocaleString('en')} packages`)
      .first()
      .waitFor();
    let isDone = false;
    done.then(
      () => {
        isDone = true;
      },
      () => {}, // awaited below
    );
    await field.focus();
    while (!isDone) {
      await page.keyboard.press('End');
      await page.keyboard.press('Home');
    }
    await done;
    const tookMs = performance.now() - startMs;
    const waits = await page.evaluate(() => (globalThis as unknown as { waits: number[] }).waits);
    waits.sort((a, b) => a - b);
    const [median, worst] = [waits[waits.length >> 1], waits[waits.length - 1]];
    t.diagnostic(
      `${LARGE_BYTES} bytes read in ${tookMs.toFixed(0)} ms; ${waits.length} keys answered after ${median.toFixed(0)} ms, at worst ${worst.toFixed(0)} ms`,
    );
    assert.ok(waits.length >= 10, 'keys were pressed while it was read');
    await page
      .getByRole('button', { name: 'Cancel' })
      .or(page.getByRole('button', { name: 'Another inventory' }))
      .first()
      .click();
  });
});

test('a file above the limit is refused before it is read', async () => {
  const file = join(folder, 'too-large.json');
  writeFileSync(file, '');
  truncateSync(file, 53 * 1024 * 1024);
  await scene.visit({ at: AT }, async ({ page }) => {
    await page.getByLabel('or choose a file').setInputFiles(file);
    await page.getByRole('alert').getByText('This has 53.0 MB; at most 50 MB are read.').waitFor();
  });
});

const REFUSED: readonly Dropped[] = [
  { name: 'package-lock.json', text: '{ "lockfileVersion": 3, "packages": {', end: 'This cannot be read' },
  { name: 'notes.txt', text: 'left 1.0.0\n', end: 'This is not one of the accepted formats' },
  { name: 'empty.json', text: '  ', end: 'There is no text' },
  { name: 'any.json', text: `{ "${MARKUP_SLUG}": 1 }`, end: `"${MARKUP_SLUG}"` },
  { name: 'page.html', text: `<html>${MARKUP_SLUG}</html>`, end: 'This is HTML' },
  { name: 'package-lock.json', text: '{ "lockfileVersion": 99, "packages": [1] }', end: 'of version 99' },
  { name: 'package.json', text: `{ "dependencies": { "${NPM_RULED}": "^1.0.0" } }`, end: 'package.json' },
  { name: 'pnpm-lock.yaml', text: "lockfileVersion: '9.0'\npackages: [", end: 'This cannot be read' },
];

test('what is not an inventory is refused in words, and the page stays usable', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    for (const refused of REFUSED) await drop(page, refused);
    await inspectLooks(page, 'inventory-refused');
    await drop(page, { text: SAMPLES[0].text, name: SAMPLES[0].fileName, end: '1 of 2 packages affected.' });
  });
});

test('a lockfile of a newer version is read as far as it is understood, and the page says so', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    const text = packageLock([{ name: NPM_RULED, version: '1.0.0' }], 99);
    await drop(page, { text, name: 'package-lock.json', end: '1 of 1 package affected.' });
    await page.getByText('The file has version 99; it was read like version 3').waitFor();
  });
});

test('a list with quotes and semicolons, and with markup in names, is read as it was meant', async () => {
  const text = `"name";"status";"version"\r\n"${RULED}";"active; ""really""";"2.0"\r\n"${PLUGIN_MARKUP_SLUG.replaceAll('"', '""')}";"active";"1.0"\r\n`;
  await scene.visit({ at: AT }, async ({ page, requests }) => {
    await drop(page, { text, name: 'plugins.csv', end: '2 of 2 packages affected.' });
    await page.getByRole('button', { name: PLUGIN_MARKUP_SLUG }).click();
    await page.getByText('A plugin with markup in its slug').waitFor();
    await page.getByText('active; "really"').first().waitFor();
    assert.equal(await page.locator('img, svg[onload]').count(), 0);
    assert.deepEqual(
      requests.filter(({ url }) => /\/x$/.test(url)),
      [],
    );
    await inspectLooks(page, 'inventory-markup');
  });
});

test('a pasted text is read at once, and sorted by what is asked for', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    await page.getByLabel('Text of the inventory').fill(SAMPLES[1].text);
    await page.getByRole('button', { name: 'Check' }).click();
    const rows = page.locator('table.packages tbody tr');
    // Rows stand in the inventory's order until they are answered.
    await page.getByText('1.0.0 → 2.0.0').waitFor();
    assert.match(await rows.first().innerText(), /ruled-left/);
    await page.getByRole('button', { name: 'Name' }).click();
    await rows.first().filter({ hasText: '@scope/clear' }).waitFor();
  });
});

test('reports are saved as CSV and JSON', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    await drop(page, { text: SAMPLES[0].text, name: SAMPLES[0].fileName, end: '1 of 2 packages affected.' });
    const saved = async (title: string): Promise<{ name: string; text: string }> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save ${title}` }).click(),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const csv = await saved('CSV');
    assert.equal(csv.name, 'vulndex-package-lock.json.csv');
    const [header, ...lines] = csv.text.trimEnd().split('\r\n');
    assert.match(header, /^type,name,version,/);
    assert.equal(lines.length, 2);
    assert.ok(
      lines.some(
        (line) => line.startsWith(`npm,${NPM_RULED},1.0.0,`) && line.includes(',2.0.0,critical,9.1,'),
      ),
    );
    const json = JSON.parse((await saved('JSON')).text);
    assert.deepEqual(json.updates[0].steps, [{ from: '1.0.0', to: '2.0.0' }]);
  });
});
