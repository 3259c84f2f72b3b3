// The entry: takes the key out of the address before anything else, then draws the page.

import { render } from 'preact';
import { Api } from './app/api.ts';
import { forgetKey, keptKey, takeKey } from './app/key.ts';
import { loadSettings } from './app/settings.ts';
import { Shell } from './app/shell.tsx';
import { Notice } from './parts/notice.tsx';
import './style/base.css';
import './style/sections.css';
import './app/shell.css';
import './parts/chart.css';
import './lookup/lookup.css';
import './inventory/inventory.css';
import './operate/operate.css';

const root = document.getElementById('console') as HTMLElement; // in index.html

const offeredKey = takeKey();

/** The server's root: the page is one folder below it. */
const base = new URL('..', location.href.split('#', 1)[0]);

try {
  const settings = await loadSettings(base);
  const api = new Api({ base, contract: settings.contract ?? '', key: keptKey, onKeyRefused: forgetKey });
  render(<Shell {...{ api, settings, offeredKey }} />, root);
} catch (error) {
  render(
    <Notice kind="error" title="The console could not start">
      {error instanceof Error ? error.message : String(error)} Reload the page to try again.
    </Notice>,
    root,
  );
}
