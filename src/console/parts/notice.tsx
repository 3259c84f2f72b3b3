// Messages in the page: something is wrong, worth knowing, or under way.

import type { ComponentChildren } from 'preact';
import type { ApiError } from '../app/api.ts';

interface NoticeProps {
  readonly kind: 'error' | 'warning' | 'info' | 'good';
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

export function Busy({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="busy" role="status">
      {children}…
    </p>
  );
}

const TITLES: Readonly<Record<ApiError['kind'], string>> = {
  unreachable: 'The server does not answer',
  key: 'A key is needed',
  forbidden: 'Your key does not include this',
  later: 'Not ready; trying again soon',
  refused: 'The server refused the request',
};

/** What went wrong with a request. Shows nothing where the shell does. */
export function Failure({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined || error.kind === 'unreachable') return null;
  return (
    <Notice kind={error.kind === 'refused' ? 'error' : 'warning'} title={TITLES[error.kind]}>
      {error.message}
    </Notice>
  );
}
