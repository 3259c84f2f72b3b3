// What this replica follows, and how it counts quotas with others. Nothing is shown of what is not set up.

import type { OperationsDocument } from '../../dialects/operations/document.ts';
import { moment } from '../parts/words.ts';
import { limitsState, manifestState, problemText } from './fleet.ts';

export function FollowedSource({ source, now }: OperationsDocument) {
  if (source === null) return null;
  const { url, manifest, problem, last_poll } = source;
  return (
    <section class="panel">
      <h2>Source</h2>
      <p class={manifest?.state === 'refused' ? 'high' : ''}>{manifestState(manifest)}</p>
      {problem !== null && <p class="high">{problemText(problem)}</p>}
      {manifest !== null && (
        <p class={manifest.expires <= now ? 'high' : ''}>
          <code>{manifest.id}</code>, published {moment(manifest.published_at)}, ends{' '}
          {moment(manifest.expires)}
        </p>
      )}
      <p class="soft">
        <code>{url}</code>
        {last_poll !== null && `, asked ${moment(last_poll)}`}
      </p>
    </section>
  );
}

export function SharedQuotas({ limits }: OperationsDocument) {
  if (limits === null) return null;
  return (
    <section class="panel">
      <h2>Shared quotas</h2>
      <p class={limits.mode === 'local' ? 'high' : ''}>{limitsState(limits)}</p>
      <p class="soft">
        <code>{limits.engine}</code>
      </p>
    </section>
  );
}
