// Starts Chromium for one test file. scripts/browser.js finds the program.

import { after } from 'node:test';
import { type Browser, chromium } from 'playwright-core';

const ARGUMENTS = [
  '--no-sandbox', // in containers; nothing but our own pages is opened
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
const START_MS = 60_000; // a cold start on a busy machine

/** Closed when the tests of the file have ended. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.VULNDEX_CHROMIUM;
  if (executablePath === undefined || executablePath === '')
    throw new Error('VULNDEX_CHROMIUM is not set: run these tests with npm run test:browser');
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: START_MS });
  after(() => browser.close());
  return browser;
}
