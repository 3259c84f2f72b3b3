// The view "Data".

import type { ViewProps } from '../app/view.ts';

export function DataPage(_: ViewProps) {
  return <h1>Data</h1>;
}
