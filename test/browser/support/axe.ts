// Finds obstacles for people who use a page with a keyboard or a screen reader, with axe-core.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

declare const axe: { run(context: Document, options: object): Promise<AxeResults> }; // in the page

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GRAVE: readonly (string | null | undefined)[] = ['serious', 'critical'];

/** What is serious or critical, one line for each element. */
export async function auditPage(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE); // by the debugger, so the page's policy is not loosened
  const { violations } = await page.evaluate(async () => axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => GRAVE.includes(impact))
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => {
        const why = (failureSummary ?? help).replace(/\s+/g, ' ');
        return `${id} at ${target.join(' ')}: ${why}`;
      }),
    );
}
