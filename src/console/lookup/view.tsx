// The view "Look up".

import type { ViewProps } from '../app/view.ts';

export function LookupPage(_: ViewProps) {
  return <h1>Look up</h1>;
}
