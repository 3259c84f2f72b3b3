// What all views have in common: the keyboard, the theme, a server that goes away and comes back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { RULED } from './support/data.ts';
import { inspectLooks } from './support/looks.ts';
import { picture } from './support/pictures.ts';
import { Scene } from './support/scene.ts';

const scene = await Scene.start();

const AT = `#/lookup?type=plugin&name=${RULED}&version=2.0`;
const FOUND = `${RULED} 2.0 is affected by 2 advisories`;
const STOPS = 40; // of the keyboard, more than the page has

interface Stop {
  readonly name: string;
  readonly isVisible: boolean;
  readonly inDialog: boolean;
}

/** Where the keyboard is. */
function focused(page: Page): Promise<Stop> {
  return page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { width, height, bottom } = element.getBoundingClientRect();
    return {
      name: `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40)}`,
      isVisible: outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && height > 0 && bottom > 0,
      inDialog: element.closest('dialog') !== null || element === document.body,
    };
  });
}

test('the keyboard reaches everything in sight, sees where it is, and may skip the bar', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    await page.getByRole('heading', { name: FOUND }).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('Tab');
    const first = await focused(page);
    assert.deepEqual(first, { name: 'BUTTON Skip to the content', isVisible: true, inDialog: false });
    await picture(page, 'skip-link');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');

    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const seen = new Map<string, Stop>();
    for (let i = 0; i < STOPS; i++) {
      await page.keyboard.press('Tab');
      const stop = await focused(page);
      if (!stop.name.startsWith('BODY')) seen.set(stop.name, stop);
    }
    const names = [...seen.keys()];
    for (const wanted of [
      ...[
        'A Look up',
        'A Inventory',
        'A Data',
        'A Operate',
        'A API',
        'BUTTON Key',
        'SELECT',
        'INPUT',
        'BUTTON Look up',
      ],
      ...['SUMMARY Copy as', 'BUTTON Critical 9.8', 'BUTTON Low 2.1', 'A licences'],
    ]) {
      assert.ok(
        names.some((name) => name.startsWith(wanted)),
        `${wanted} can be reached; reached were ${names.join(', ')}`,
      );
    }
    assert.deepEqual(
      [...seen.values()].filter(({ isVisible }) => !isVisible),
      [],
      'each stop is visible',
    );
  });
});

test('a dialog keeps the keyboard, and Escape leaves it to where it came from', async () => {
  await scene.visit({ at: AT }, async ({ page }) => {
    await page.getByRole('heading', { name: FOUND }).waitFor();
    const button = page.getByRole('button', { name: 'Key', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'API key' });
    await dialog.waitFor();
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab');
      const stop = await focused(page);
      assert.ok(stop.inDialog, `${stop.name} is in the dialog`);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.match((await focused(page)).name, /^BUTTON Key/);
  });
});

test('the theme follows the system until a person chooses one, which stays', async () => {
  const background = (page: Page): Promise<string> =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const turns = async (page: Page, colour: string): Promise<void> => {
    await until(`the page turns ${colour}`, async () => (await background(page)) === colour);
  };
  await scene.visit({ at: AT, context: { colorScheme: 'light' } }, async ({ page }) => {
    await page.getByRole('heading', { name: FOUND }).waitFor();
    const light = await background(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await background(page);
    assert.notEqual(light, dark);
    const theme = page.getByRole('combobox', { name: 'Theme' });
    await theme.selectOption('Light');
    await turns(page, light);
    await page.reload();
    await page.getByRole('heading', { name: FOUND }).waitFor();
    await turns(page, light);
    await theme.selectOption('Dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await turns(page, dark);
  });
});

test('everything is reached by touch on a phone', async () => {
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await scene.visit({ context }, async ({ page }) => {
    for (const name of ['Inventory', 'Data', 'Operate', 'Look up']) {
      await page.getByRole('link', { name, exact: true }).tap();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    }
    await page.getByRole('combobox', { name: /^Name/ }).tap();
    await page.getByRole('combobox', { name: /^Name/ }).fill('ruled-g');
    await page.getByRole('option', { name: RULED }).tap();
    await page.getByLabel('Version', { exact: true }).fill('2.0');
    await page.getByRole('button', { name: 'Look up' }).tap();
    await page.getByRole('heading', { name: FOUND }).waitFor();
    await page.getByRole('button', { name: /^Critical 9\.8/ }).tap();
    await page.getByRole('region', { name: 'Affected ranges' }).waitFor();
  });
});

test('a server that goes away is noticed, and when it is back the page answers by itself', async () => {
  const expected = [
    /request failed: .* net::ERR_CONNECTION_(REFUSED|RESET)/,
    // A server that drains answers 503 on connections that are open.
    /console error: .*(ERR_CONNECTION|status of 503)/,
  ];
  await scene.visit({ at: AT, expected }, async ({ page }) => {
    await page.getByRole('heading', { name: FOUND }).waitFor();
    await scene.stopServer();
    await page.getByLabel('Version', { exact: true }).fill('3.0.1');
    await page.keyboard.press('Enter');
    const notice = page.getByRole('alert').getByText('The server does not answer');
    await notice.waitFor();
    await inspectLooks(page, 'server-away');
    await scene.startAgain();
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: `${RULED} 3.0.1 is not affected` }).waitFor();
  });
});
