// Starts Chromium for one test file. scripts/browser.ts finds the program.

import { type Browser, chromium } from 'playwright-core';
import type { ProcessOwner } from '../../support/process/server-process.ts';

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

/** Closed with its owner. */
export async function launchBrowser(owner: ProcessOwner): Promise<Browser> {
  const executablePath = process.env.VULNDEX_CHROMIUM;
  if (executablePath === undefined || executablePath === '')
    throw new Error('VULNDEX_CHROMIUM is not set: run these tests with npm run test:browser');
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: START_MS });
  owner.after(() => browser.close());
  return browser;
}
