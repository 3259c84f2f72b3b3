// Looking up a product: form, suggestions, verdict, ruler, advisories, the address that holds it all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { feedRecord, npmProduct, span } from '../support/feeds/advisories.ts';
import { until } from '../support/until.ts';
import { HOSTILE_URL, MARKUP_SLUG, NPM_RULED, PLUGIN_MARKUP_SLUG, RULED } from './support/data.ts';
import { inspectLooks } from './support/looks.ts';
import { picture } from './support/pictures.ts';
import { Scene } from './support/scene.ts';

const scene = await Scene.start();

function at(version: string, name = RULED, type = 'plugin'): string {
  return `#/lookup?${new URLSearchParams({ type, name, ...(version === '' ? {} : { version }) })}`;
}

function verdict(page: Page, text: string): Locator {
  return page.getByRole('heading', { level: 2, name: text, exact: true });
}

/** The middle of an element, from the left of the window. */
async function middle(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  assert.ok(box !== null, 'it is shown');
  return box.x + box.width / 2;
}

test('a look-up from the first letters of a name to the update, with the keyboard alone', async () => {
  await scene.visit({}, async ({ page }) => {
    const name = page.getByRole('combobox', { name: /^Name/ });
    await name.waitFor();
    await name.focus();
    await page.keyboard.type('ruled');
    await page.getByRole('option', { name: RULED }).waitFor();
    await page.keyboard.press('ArrowDown');
    assert.equal(await name.getAttribute('aria-activedescendant'), 'name-suggestions-0');
    await page.keyboard.press('Enter');
    await verdict(page, `4 advisories about ${RULED}`).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'version');
    await page.keyboard.type('2.0');
    await page.keyboard.press('Enter');
    await verdict(page, `${RULED} 2.0 is affected by 2 advisories`).waitFor();
    await page.getByText('Update to 3.0.1: it clears everything.').waitFor();
    assert.equal(page.url(), `${scene.address}/console/${at('2.0')}`);
  });
});

test('suggestions follow what is typed before they are asked for again, and the chosen one stays chosen', async () => {
  await scene.visit({}, async ({ page }) => {
    const answers: (() => Promise<void>)[] = [];
    await page.route('**/products?*prefix=ruled*', async (route) => {
      answers.push(() => route.continue());
    });
    const name = page.getByRole('combobox', { name: /^Name/ });
    const options = page.getByRole('listbox', { name: 'Products' }).getByRole('option');
    await name.fill('r');
    await options.nth(1).waitFor(); // more than one begins with it
    await name.fill('ruled');
    await until('only that one to be left', async () => (await options.count()) === 1);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: RULED, selected: true }).waitFor();
    await until('the answer to be asked for', () => answers.length > 0);
    const answered = page.waitForResponse(/prefix=ruled/);
    for (const answer of answers) await answer();
    await (await answered).finished();
    await page.getByRole('option', { name: RULED, selected: true }).waitFor();
    await page.unroute('**/products?*prefix=ruled*');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown'); // opens it again
    await page.getByRole('option', { name: RULED, selected: false }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: RULED, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await verdict(page, `4 advisories about ${RULED}`).waitFor();
  });
});

test('the ruler shows each advisory as a bar, the version as a needle, and what clears everything', async () => {
  await scene.visit({ at: at('2.0') }, async ({ page }) => {
    const ruler = page.getByRole('region', { name: 'Version ruler, wordpress' });
    const bars = ruler.getByRole('button');
    await bars.first().waitFor();
    assert.deepEqual(
      await bars.evaluateAll((all) => all.map((bar) => bar.getAttribute('aria-label')?.replace(/\. .*/, ''))),
      [
        'Critical 9.8, CVE-2026-9000101: from 1.5 before 2.4, affected',
        'Not rated, CVE-2026-9000102: from 2.0 up to 3.0, affected',
        'Medium 4.3, CVE-2026-9000103: before 1.2, not affected',
        'Low 2.1, CVE-2026-9000104: from 1.0 before 1.8, not affected',
      ],
    );
    assert.deepEqual(await ruler.getByRole('link').allTextContents(), [
      ...['1.0', '1.2', '1.5', '1.8', '2.0', '2.4', '3.0', '3.0.1'],
    ]);
    const [asked, update] = [ruler.locator('.ruler-line.asked'), ruler.locator('.ruler-line.update')];
    const tickOf = (version: string): Locator => ruler.getByRole('link', { name: version, exact: true });
    assert.ok(
      Math.abs((await middle(asked)) - (await middle(tickOf('2.0')))) < 2,
      'the needle is at its version',
    );
    assert.ok(Math.abs((await middle(update)) - (await middle(tickOf('3.0.1')))) < 2, 'so is the update');
    await ruler.getByText('update to 3.0.1').waitFor();
    await inspectLooks(page, 'look-up');

    await bars.first().click();
    const ranges = page.getByRole('region', { name: 'Affected ranges' });
    await ranges.getByText('1.5 <= 2.0 < 2.4').waitFor();
    await page.getByText('Somebody', { exact: true }).click();
    await page.getByText('Copyright Somebody').waitFor();
    await bars.nth(2).click();
    await page.getByText('Ruled Gallery: open redirect', { exact: true }).waitFor(); // a caption has it too
    await ranges.nth(1).getByText('2.0 >= 1.2').waitFor();
    await inspectLooks(page, 'look-up-open');
  });
});

test('an address opens its result at once in another browser, and Back and Forward lead through results', async () => {
  await scene.visit({ at: at('2.0') }, async ({ page }) => {
    const affected = verdict(page, `${RULED} 2.0 is affected by 2 advisories`);
    await affected.waitFor();
    await page.getByLabel('Version', { exact: true }).fill('3.0.1');
    await page.keyboard.press('Enter');
    const clear = verdict(page, `${RULED} 3.0.1 is not affected`);
    await clear.waitFor();
    await page.goBack();
    await affected.waitFor();
    assert.equal(await page.getByLabel('Version', { exact: true }).inputValue(), '2.0');
    await page.goForward();
    await clear.waitFor();
    assert.equal(page.url(), `${scene.address}/console/${at('3.0.1')}`);
  });
});

test('an id in place of a name shows its advisory, with the way to its product; an unknown one is said', async () => {
  await scene.visit({ at: '#/lookup', expected: [/status of 404/] }, async ({ page }) => {
    const name = page.getByRole('combobox', { name: /^Name/ });
    await name.fill('cve-2026-9000101');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 advisory with the id cve-2026-9000101' }).waitFor();
    await page.getByText('Ruled Gallery: SQL injection in the album search').waitFor();
    await name.fill('CVE-1999-0001');
    await page.keyboard.press('Enter');
    await page.getByText('The data has no advisory CVE-1999-0001').waitFor();
    assert.equal(await page.getByText('Ruled Gallery').count(), 0, 'nothing of the id before stays');
    await page.goBack();
    await page.getByRole('link', { name: RULED }).click();
    await verdict(page, `4 advisories about ${RULED}`).waitFor();
  });
});

test('markup in names and texts is text, and what is not of the web is not a link', async () => {
  await scene.visit({ at: at('1.0.0', MARKUP_SLUG, 'npm') }, async ({ page, requests }) => {
    await verdict(page, `${MARKUP_SLUG} 1.0.0 is affected by 1 advisory`).waitFor();
    await page.locator('summary', { hasText: `Title ${MARKUP_SLUG}` }).click();
    await page.getByText('alert(5)').waitFor();
    await page.getByText(HOSTILE_URL).first().waitFor();
    for (const source of await page.locator('.source summary').all()) await source.click();
    const links = await page
      .locator('a')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    assert.ok(links.includes('https://advisories.example/sound'));
    assert.deepEqual(
      links.filter((href) => !/^https?:/.test(href)),
      [],
    );
    assert.equal(await page.locator('img, script:not([src]), svg[onload]').count(), 0);
    assert.deepEqual(
      requests.filter(({ url }) => /\/x$/.test(url)),
      [],
    );
    await inspectLooks(page, 'look-up-hostile');
  });
});

test('markup in the slug of a plugin is text among the suggestions, too', async () => {
  await scene.visit({}, async ({ page }) => {
    await page.getByRole('combobox', { name: /^Name/ }).fill(PLUGIN_MARKUP_SLUG.slice(0, 3));
    await page.getByRole('option', { name: PLUGIN_MARKUP_SLUG }).click();
    await verdict(page, `1 advisory about ${PLUGIN_MARKUP_SLUG}`).waitFor();
  });
});

test('commands to copy quote what they contain, and hold no key', async () => {
  const context = { permissions: ['clipboard-read', 'clipboard-write'] };
  await scene.visit({ at: at('2.0'), context }, async ({ page }) => {
    await page.getByText('Copy as').click();
    await page.getByRole('button', { name: 'Copy wp-cli' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, `wp plugin update ${RULED} --version=3.0.1`);
    const commands = await page.locator('.commands code').allTextContents();
    assert.ok(commands.length >= 3);
    for (const text of commands) assert.ok(!text.includes(scene.keys.all));
    await inspectLooks(page, 'look-up-copy');
  });
});

test('a product without advisories, and a text that is not a version, have answers in words', async () => {
  const expected = [/status of 422/];
  await scene.visit({ at: at('1.0', 'never-heard-of'), expected }, async ({ page }) => {
    await verdict(page, 'No advisory names never-heard-of 1.0').waitFor();
    await inspectLooks(page, 'look-up-unknown');
    await page.goto(`${scene.address}/console/${at('not a version', MARKUP_SLUG, 'npm')}`);
    const notice = page.getByRole('status').filter({ hasText: 'This cannot be looked up' });
    await notice.waitFor();
    assert.match(await notice.innerText(), /expected a semantic version/);
    await picture(page, 'look-up-no-version');
  });
});

test('how much the first look-up transfers, and how long it takes on a slow processor', async (t) => {
  await scene.visit({ at: '#/lookup' }, async ({ page, context }) => {
    await page.getByRole('combobox', { name: /^Name/ }).waitFor();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto('about:blank');
    const startMs = performance.now();
    await page.goto(`${scene.address}/console/${at('2.0')}`);
    await verdict(page, `${RULED} 2.0 is affected by 2 advisories`).waitFor();
    const tookMs = performance.now() - startMs;
    t.diagnostic(`${bytes} bytes with headers, ${tookMs.toFixed(0)} ms at a quarter of the speed`);
    assert.ok(bytes > 0 && bytes < 80_000);
  });
});

/** What the page shows before anything is asked. */
function overview(page: Page): Locator {
  return page.getByRole('region', { name: 'In the data' });
}

test('before anything is asked, the page says what is in the data, and leads to what was added last', async () => {
  await scene.visit({}, async ({ page }) => {
    const headers = { PSKey: scene.keys.all };
    const response = await fetch(`${scene.address}/statistics`, { headers });
    const { advisories } = (await response.json()) as { advisories: { total: number; exploited: number } };
    const shown = overview(page);
    await shown.getByText(`${advisories.total.toLocaleString('en-US')} advisories about`).waitFor();
    await shown.getByText(`${advisories.exploited} known to be exploited`).waitFor();
    await shown.getByRole('row', { name: /^npm packages/ }).waitFor();
    await shown.getByRole('heading', { name: 'Newest advisories' }).waitFor();
    assert.equal(await shown.getByText('Changed since the previous snapshot').count(), 0);
    await inspectLooks(page, 'look-up-start');
    await shown.getByRole('listitem').getByRole('link').first().click();
    await page.getByRole('heading', { level: 2, name: /advisor(?:y|ies) about/ }).waitFor();
  });
});

test('data without advisories, and a key that grants no counts, leave the field and words', async () => {
  await scene.visit({}, async ({ page }) => {
    await page.route('**/statistics', async (route) => {
      const response = await route.fetch();
      const counts = (await response.json()) as { advisories: object };
      const advisories = { ...counts.advisories, total: 0 };
      await route.fulfill({ response, json: { ...counts, advisories, most_affected: {} } });
    });
    await page.reload();
    await page.getByText('The data has no advisories').waitFor();
    assert.equal(await overview(page).count(), 0);
  });
  await scene.visit({ key: scene.keys.little, expected: [/status of 403/] }, async ({ page, requests }) => {
    await page.getByText('Enter a name to see its advisories').waitFor();
    await page.waitForLoadState('networkidle');
    assert.ok(requests.some(({ url }) => url.endsWith('/statistics')));
    assert.equal(await page.locator('.notice').count(), 0);
    assert.equal(await overview(page).count(), 0);
  });
});

test('before anything is asked, a swap shows what changed with it, and which of it is exploited', async () => {
  await scene.visit({}, async ({ page }) => {
    await overview(page).waitFor();
    const added = feedRecord(9_000_902, {
      title: 'ruled-left: exploited since today',
      product: npmProduct(NPM_RULED, 9_000_300),
      is_exploited: true,
      affected: [span(null, '3.0.0', 'exclusive', '3.0.0')],
    });
    await scene.prepared(await scene.publish(2, [added]));
    await page.reload();
    const changed = overview(page).getByText('Changed since the previous snapshot').locator('..');
    await changed.getByRole('link', { name: 'npm 1' }).waitFor();
    const exploited = changed.getByRole('listitem');
    assert.match(await exploited.innerText(), /exploited since today.* Exploited npm, added$/s);
    await inspectLooks(page, 'look-up-start-changed');
    await exploited.getByRole('link').click();
    await verdict(page, `2 advisories about ${NPM_RULED}`).waitFor();
  });
});
