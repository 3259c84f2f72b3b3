// The view "Inventory".

import type { ViewProps } from '../app/view.ts';

export function InventoryPage(_: ViewProps) {
  return <h1>Inventory</h1>;
}
