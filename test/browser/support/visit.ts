// A visit to a page in a context of its own, without storage. It fails if the page complained about anything,
// broke the policy of its contents, or asked another host for something.

import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

export interface VisitPlan {
  readonly browser: Browser;
  /** The only origins that the page may ask. */
  readonly origins: readonly string[];
  readonly context?: BrowserContextOptions;
  /** Complaints that belong to the test; each must occur. */
  readonly expected?: readonly RegExp[];
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The URLs of all requests, and their headers by URL. */
  readonly requests: readonly { readonly url: string; readonly headers: Readonly<Record<string, string>> }[];
}

const WAIT_MS = 30_000; // for anything awaited, on a busy machine
const MAX_SHOWN = 1_500; // characters of a page on which a test failed
const REPORT = 'reportViolation';

export async function visit(plan: VisitPlan, work: (visit: Visit) => Promise<void>): Promise<void> {
  const context = await plan.browser.newContext({ viewport: { width: 1280, height: 900 }, ...plan.context });
  const complaints: string[] = [];
  const requests: { url: string; headers: Readonly<Record<string, string>> }[] = [];
  context.setDefaultTimeout(WAIT_MS);
  await context.exposeFunction(REPORT, (what: string) => complaints.push(`CSP violation: ${what}`));
  await context.addInitScript({ content: INIT });
  context.on('page', (page) => listen(page, complaints));
  context.on('request', (request) => {
    const url = request.url();
    requests.push({ url, headers: request.headers() });
    if (!isOwn(url, plan.origins)) complaints.push(`request to another origin: ${url}`);
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? 'unknown';
    if (why === 'net::ERR_ABORTED') return; // the page no longer wants the answer, or left
    complaints.push(`request failed: ${request.method()} ${request.url()}: ${why}`);
  });
  const page = await context.newPage();
  try {
    await work({ page, context, requests });
    // What the page said before has arrived by then.
    await page.evaluate(() => document.readyState);
  } catch (error) {
    const said = unexpectedOf(complaints, plan.expected);
    if (said.length > 0) console.error(`the page complained:\n  ${said.join('\n  ')}`);
    const shown = await page.evaluate(() => document.body.innerText).catch(String);
    console.error(
      `at ${page.url()} the page shows:\n  ${shown.slice(0, MAX_SHOWN).replaceAll('\n', '\n  ')}`,
    );
    throw error;
  } finally {
    await context.close();
  }
  assert.deepEqual(unexpectedOf(complaints, plan.expected), [], 'the page complains about nothing');
  for (const pattern of plan.expected ?? [])
    assert.ok(
      complaints.some((complaint) => pattern.test(complaint)),
      `expected a complaint like ${pattern}`,
    );
}

/** tsx names functions with a helper that the page does not have. */
const INIT = `globalThis.__name ??= (value) => value;
addEventListener('securitypolicyviolation', (event) => {
  globalThis.${REPORT}(event.violatedDirective + ' ' + event.blockedURI + ' at ' + event.sourceFile + ':' + event.lineNumber);
});`;

function listen(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught error: ${error.stack ?? error.message}`));
  page.on('crash', () => complaints.push('the page crashed'));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog opened: ${dialog.message()}`);
    dialog.dismiss().catch(() => {}); // the page may be gone
  });
}

function unexpectedOf(complaints: readonly string[], expected: readonly RegExp[] = []): string[] {
  return complaints.filter((complaint) => !expected.some((pattern) => pattern.test(complaint)));
}

function isOwn(url: string, origins: readonly string[]): boolean {
  const { protocol, origin } = new URL(url);
  return protocol === 'data:' || origins.includes(origin); // a blob's origin is that of the page that made it
}
