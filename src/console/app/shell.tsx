// The frame of the page: which view is shown, the key, the theme, and whether the server answers. Views own
// what they show.

import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { DataPage } from '../data/view.tsx';
import { InventoryPage } from '../inventory/view.tsx';
import { LookupPage } from '../lookup/view.tsx';
import { OperatePage } from '../operate/view.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Notice } from '../parts/notice.tsx';
import type { Api, Sight } from './api.ts';
import { forgetKey, keepKey, takeKey } from './key.ts';
import { KeyDialog } from './key-dialog.tsx';
import { fragmentOf, type Route, routeOf, type ViewName } from './route.ts';
import type { Settings } from './settings.ts';
import { ThemeSwitch } from './theme.tsx';
import type { ViewProps } from './view.ts';

interface Entry {
  readonly name: ViewName;
  readonly title: string;
  readonly View: ComponentType<ViewProps>;
}

const ENTRIES: readonly Entry[] = [
  { name: 'lookup', title: 'Look up', View: LookupPage },
  { name: 'inventory', title: 'Inventory', View: InventoryPage },
  { name: 'data', title: 'Data', View: DataPage },
  { name: 'operate', title: 'Operate', View: OperatePage },
];

/** How often the page asks whether the server is back. */
const KNOCK_MS = 2_000;
/** How often the page asks whether there is other data, while it can be seen. */
const LOOK_MS = 10_000;
const NEW_KEY = 'The new key replaces the one in this tab.';

interface ShellProps {
  readonly api: Api;
  readonly settings: Settings;
  /** That the address brought. */
  readonly offeredKey: string | undefined;
}

export function Shell({ api, settings, offeredKey }: ShellProps) {
  const entries = settings.port === 'service' ? ENTRIES : ENTRIES.filter(({ name }) => name === 'operate');
  const [route, setRoute] = useState(() => routeOf(location.hash, entries[0].name));
  const [sight, setSight] = useState(api.sight);
  const [revision, setRevision] = useState(0);
  const [offered, setOffered] = useState(offeredKey);
  const rekeyed = (): void => {
    api.rekeyed();
    setRevision((count) => count + 1);
  };
  useEffect(() => followAddress(entries[0].name, setRoute, setOffered), []);
  useEffect(() => api.watch(() => setSight(api.sight)), []);
  useEffect(() => followServer(api, sight, setRevision), [sight.isReachable]);
  useEffect(() => followData(api, settings, setRevision), []);
  const entry = entries.find(({ name }) => name === route.view) ?? entries[0];
  useEffect(() => {
    document.title = `${entry.title} · Vulndex console`;
  }, [entry]);
  const setParameters: ViewProps['setParameters'] = (parameters, how = 'push') => {
    const fragment = fragmentOf(entry.name, parameters);
    if (fragment === location.hash) return;
    if (how === 'push') history.pushState(null, '', fragment);
    else history.replaceState(null, '', fragment);
    setRoute(routeOf(fragment, entry.name));
  };
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <span class="brand" translate={false}>
          vulndex
        </span>
        <nav aria-label="Views">
          {entries.map(({ name, title }) => (
            <a key={name} href={fragmentOf(name)} aria-current={name === entry.name ? 'page' : undefined}>
              {title}
            </a>
          ))}
          {settings.port === 'service' && <a href="../docs/">API</a>}
        </nav>
        <span class="bar-end">
          {settings.port === 'service' && (
            <button type="button" class="quiet" onClick={() => api.wantKey(NEW_KEY)}>
              {api.key === '' ? 'Enter key' : 'Key'}
            </button>
          )}
          <ThemeSwitch />
        </span>
      </header>
      <div aria-live="polite">
        {!sight.isReachable && (
          <Notice kind="error" title="The server does not answer">
            The page shows what it has, and tries again every two seconds.
          </Notice>
        )}
      </div>
      <main id="main" tabIndex={-1}>
        <CurrentView
          key={entry.name}
          entry={entry}
          {...{ api, settings, parameters: route.parameters, setParameters, revision }}
        />
      </main>
      <footer>
        vulndex {settings.version} · <a href="./licenses.txt">licences of this page’s parts</a>
      </footer>
      {sight.keyWanted !== undefined && offered === undefined && (
        <KeyDialog
          why={sight.keyWanted.why}
          onKey={(key) => {
            keepKey(key);
            rekeyed();
          }}
          onClose={() => api.rekeyed()}
          onForget={
            api.key === ''
              ? undefined
              : () => {
                  forgetKey();
                  api.rekeyed();
                }
          }
        />
      )}
      {offered !== undefined && (
        <Confirm
          title={api.key === '' ? 'Use the key of this link?' : 'Replace the key of this tab?'}
          action="Use the new key"
          onConfirm={() => {
            keepKey(offered);
            setOffered(undefined);
            rekeyed();
          }}
          onClose={() => setOffered(undefined)}
        >
          <p>
            The link that you followed brought an API key. Whoever gave it to you may see what you look up.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Catches what a view throws. */
function CurrentView({ entry: { View }, ...props }: { readonly entry: Entry } & ViewProps) {
  const [error, retry] = useErrorBoundary();
  if (error === undefined) return <View {...props} />;
  return (
    <Notice kind="error" title="This view failed">
      {error instanceof Error ? error.message : String(error)}{' '}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </Notice>
  );
}

/** Follows links, the history, and addresses that bring a key. */
function followAddress(
  fallback: ViewName,
  setRoute: (route: Route) => void,
  setOffered: (key: string) => void,
): () => void {
  const follow = (): void => {
    const offered = takeKey();
    if (offered !== undefined) setOffered(offered);
    setRoute(routeOf(location.hash, fallback));
  };
  addEventListener('hashchange', follow);
  addEventListener('popstate', follow);
  return () => {
    removeEventListener('hashchange', follow);
    removeEventListener('popstate', follow);
  };
}

/** While the server is away, asks until it is back; then the views ask again. */
function followServer(
  api: Api,
  { isReachable }: Sight,
  setRevision: (change: (count: number) => number) => void,
): (() => void) | undefined {
  if (isReachable) return undefined;
  const timer = setInterval(() => {
    api.send(new URL('healthz', api.base), {}).then(
      () => setRevision((count) => count + 1),
      () => {}, // still away
    );
  }, KNOCK_MS);
  return () => clearInterval(timer);
}

/** Notices a swap of the data; then the views ask again. */
function followData(
  api: Api,
  { port, contract }: Settings,
  setRevision: (change: (count: number) => number) => void,
): (() => void) | undefined {
  if (port !== 'service' || contract === null) return undefined;
  let last: string | null = null;
  const look = (): void => {
    if (document.hidden || api.key === '') return;
    api.dataTag().then(
      (tag) => {
        if (last !== null && tag !== last) setRevision((count) => count + 1);
        last = tag;
      },
      () => {}, // errors show where somebody asked
    );
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearInterval(timer);
  };
}
