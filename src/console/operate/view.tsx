// The view "Operate".

import type { ViewProps } from '../app/view.ts';

export function OperatePage(_: ViewProps) {
  return <h1>Operate</h1>;
}
