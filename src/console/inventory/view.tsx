// The view "Inventory": a pasted or dropped file, read here in the browser, and what the server says about
// each package in it.

import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { ViewProps } from '../app/view.ts';
import { Notice } from '../parts/notice.tsx';
import { InventoryInput } from './input.tsx';
import { InventoryArea } from './input-area.tsx';
import { Results } from './results.tsx';
import { serverOf } from './server.ts';
import { Session } from './session.ts';
import { readInWorker } from './start-worker.ts';
import type { Task } from './task.ts';

/** Outlives the view, in the memory of this tab. */
const sessions = new WeakMap<Api, Session>();

function sessionOf(api: Api): Session {
  let session = sessions.get(api);
  if (session === undefined) {
    session = new Session({ read: readInWorker, serverFor: (signal) => serverOf(api, signal) });
    sessions.set(api, session);
  }
  return session;
}

export function InventoryPage({ api, settings, revision }: ViewProps) {
  const session = sessionOf(api);
  const [state, setState] = useState(session.state);
  useEffect(() => {
    setState(session.state);
    return session.watch(() => setState(session.state));
  }, [session]);
  const onTask = (task: Task): void => void session.start(task, revision);
  return (
    <InventoryArea onTask={onTask}>
      <h1>Inventory</h1>
      {state.kind === 'read' ? (
        <Results api={api} session={session} state={state} revision={revision} version={settings.version} />
      ) : (
        <InventoryInput
          isReading={state.kind === 'reading'}
          isRefused={state.kind === 'empty' && state.refusal !== undefined}
          onTask={onTask}
          onCancel={() => session.cancel()}
        >
          {state.kind === 'empty' && state.refusal !== undefined && (
            <Notice kind="error" title="This cannot be read">
              {state.refusal}
            </Notice>
          )}
        </InventoryInput>
      )}
    </InventoryArea>
  );
}
