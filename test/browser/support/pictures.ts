// Screenshots of views, for people to look at.

import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Writes `NAME.png` into the folder of screenshots: the whole page, or what is in the window. */
export async function picture(page: Page, name: string, part: 'page' | 'window' = 'page'): Promise<void> {
  const folder = process.env.VULNDEX_SCREENSHOTS ?? 'screenshots';
  await page.screenshot({
    path: join(folder, `${name}.png`),
    fullPage: part === 'page',
    animations: 'disabled',
  });
}
