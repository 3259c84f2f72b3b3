// What goes to the worker and what comes back.

import type { Inventory } from '../../inventory/inventory.ts';

/** What to read. */
export interface Task {
  readonly source: Blob | string;
  /** '' for a text that was pasted. */
  readonly fileName: string;
}

export type Outcome =
  | { readonly kind: 'read'; readonly inventory: Inventory }
  | { readonly kind: 'refused'; readonly why: string };
