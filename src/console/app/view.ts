// What every view gets from the shell.

import type { Api } from './api.ts';
import type { Settings } from './settings.ts';

export interface ViewProps {
  readonly api: Api;
  readonly settings: Settings;
  /** The state in the address. */
  readonly parameters: URLSearchParams;
  /** Puts another state into the address; `replace` leaves no entry in the history. */
  readonly setParameters: (
    parameters: Readonly<Record<string, string | undefined>>,
    how?: 'push' | 'replace',
  ) => void;
  /** Changes when the server has other data, came back, or there is another key: ask again. */
  readonly revision: number;
}
