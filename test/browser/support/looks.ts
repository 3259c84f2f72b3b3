// How a view looks: in light and dark, as wide as a desk and as a phone. Pictures of each, what hinders
// people, what sticks out.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { auditPage } from './axe.ts';
import { picture } from './pictures.ts';

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Leaves the page in light, as wide as a desk. */
export async function inspectLooks(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await picture(page, `${name}-${colorScheme}`);
    assert.deepEqual(await auditPage(page), [], `${name} in ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await picture(page, `${name}-phone`);
  assert.deepEqual(await stickingOut(page), [], `${name} on a phone is no wider than the screen`);
  assert.deepEqual(await auditPage(page), [], `${name} on a phone`);
  await page.setViewportSize(DESK);
}

/** The elements that make the page wider than the window; those inside of a scrollable one do not. */
function stickingOut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
    return [`the page is ${scrollWidth} wide, the window ${clientWidth}`].concat(
      wide.slice(0, 10).map(({ tagName, className }) => `${tagName} ${className}`),
    );
  });
}
